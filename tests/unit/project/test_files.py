"""Files are whole or absent."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from echolot_tui.errors import EcholotError
from echolot_tui.project.files import read_bytes, write_atomic
from echolot_tui.project.layout import Layout, find_config


def test_a_write_replaces_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    target = tmp_path / "deep" / "report.json"
    write_atomic(target, b"one")
    write_atomic(target, b"two")
    assert target.read_bytes() == b"two"
    assert [entry.name for entry in target.parent.iterdir()] == ["report.json"]


def test_a_failed_rename_keeps_the_old_file_and_no_temporary(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "report.json"
    write_atomic(target, b"old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(EcholotError, match=r"report.json: cannot be written .No space left"):
        write_atomic(target, b"new")
    assert target.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["report.json"]


def test_reading_says_what_is_wrong(tmp_path: Path) -> None:
    with pytest.raises(EcholotError, match="there is no such file"):
        read_bytes(tmp_path / "absent")
    with pytest.raises(EcholotError, match="a folder, not a file"):
        read_bytes(tmp_path)


def test_the_config_is_found_up_to_the_checkout_root(tmp_path: Path) -> None:
    (tmp_path / "echolot.yml").touch()
    checkout = tmp_path / "checkout"
    inside = checkout / "build" / "out"
    inside.mkdir(parents=True)
    assert find_config(inside) == tmp_path / "echolot.yml"
    (checkout / ".git").mkdir()
    assert find_config(inside) is None
    (checkout / "echolot.yml").touch()
    assert find_config(inside) == checkout / "echolot.yml"
    assert Layout(root=checkout).cache == checkout / ".echolot" / "cache"


def test_a_folder_that_is_a_file_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "out").touch()
    with pytest.raises(EcholotError, match="cannot be written"):
        write_atomic(tmp_path / "out" / "report.json", b"x")
