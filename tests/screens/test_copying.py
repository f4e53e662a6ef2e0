"""Copying goes through the terminal, so that it reaches the person's own machine over ssh."""

from __future__ import annotations

import base64
import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from echolot_tui.tui.intents import Copy
from echolot_tui.tui.screens.comparison import ComparisonScreen
from screens_app import OpenApp, press, settle
from screens_data import many, shown


async def test_t14_a_copy_is_the_terminals_own_escape_and_is_said(
    open_app: OpenApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSH_TTY", "/dev/pts/3")
    async with open_app({"comparison": shown(many(3))}, ComparisonScreen, size=(120, 40)) as pilot:
        written: list[str] = []
        monkeypatch.setattr(pilot.app._driver, "write", written.append)
        pilot.app.screen.post_message(Copy("| row | 3.00 |\n", "the row"))
        await settle(pilot)
        assert "copied the row through the terminal (15 characters)" in pilot.app.text
    escape = next(text for text in written if text.startswith("\x1b]52;c;"))
    assert base64.b64decode(escape.removeprefix("\x1b]52;c;").rstrip("\a")) == b"| row | 3.00 |\n"


async def test_t14_what_a_terminal_would_cut_off_is_in_a_file(
    open_app: OpenApp, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    async with open_app({"comparison": shown(many(3))}, ComparisonScreen, size=(200, 40)) as pilot:
        pilot.app.screen.post_message(Copy("x" * 100_000, "the table"))
        await settle(pilot)
        assert "the table is too long for the terminal's clipboard" in pilot.app.text
        assert pilot.app.clipboard == ""
    (path,) = tmp_path.glob("echolot-copy-*.md")
    assert path.read_text() == "x" * 100_000


async def test_t13_names_of_300_characters_are_cut_in_the_table_and_whole_beside_it(
    open_app: OpenApp,
) -> None:
    """How fast that is with thousands of rows, bench/tui.py measures."""
    comparison = many(60)
    rows = [
        replace(row, location=f"com.example.{'Long' * 70}{at % 10}Name")
        for at, row in enumerate(comparison.rows)
    ]
    state = {"comparison": shown(replace(comparison, rows=tuple(rows)))}
    async with open_app(state, ComparisonScreen, size=(120, 40)) as pilot:
        await press(pilot, "down")
        lines = pilot.app.text.splitlines()
        assert all(len(line) <= 120 for line in lines)
        table = [line for line in lines if "com.example.Long" in line and "ms" not in line]
        assert table
        assert any("…" in line for line in table)
        await press(pilot, "enter")
        whole = "".join(line.strip() for line in pilot.app.text.splitlines())
        assert f"com.example.{'Long' * 70}" in whole
        assert re.search(r"Long\dName", whole)
