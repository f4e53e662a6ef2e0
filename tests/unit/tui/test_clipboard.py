"""What goes through the terminal's clipboard, and where the rest goes."""

from __future__ import annotations

from pathlib import Path

import pytest

from echolot_tui.tui.clipboard import MOST_BYTES, fits, write_aside


@pytest.mark.parametrize("sign", ["x", "é", "漢", "😀"])
def test_what_fits_is_counted_in_bytes(sign: str) -> None:
    size = len(sign.encode())
    assert fits(sign * (MOST_BYTES // size))
    assert not fits(sign * (MOST_BYTES // size + 1))


def test_undecodable_names_are_counted_and_written_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    text = "| \udcff name | 漢 |\n"
    assert fits(text)
    path = write_aside(text)
    assert path.parent == tmp_path
    assert path.read_text() == "| ? name | 漢 |\n"


def test_every_text_has_a_file_of_its_own_that_nobody_else_may_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    first, second = write_aside("one"), write_aside("two")
    assert (first.read_text(), second.read_text()) == ("one", "two")
    assert first.stat().st_mode & 0o077 == 0
