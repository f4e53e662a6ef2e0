"""Fixtures of the screens' tests.

A snapshot is an SVG, which doubles as a picture for the documentation, and the same screen as plain
text, which is what a person reads in a diff. Both are bound to the Textual of constraints.txt.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode
from syrupy.location import PyTestLocation
from textual.pilot import Pilot
from textual.screen import Screen

from screens_app import OpenApp, PlainApp, Same, settle, terminal

ROOT = Path(__file__).parents[2]


@pytest.fixture
def open_app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OpenApp:
    """``async with open_app({"comparison": …}, ComparisonScreen, size=(80, 24)) as pilot``."""
    for name in ("NO_COLOR", "TEXTUAL_THEME", "TEXTUAL_FPS", "COLUMNS", "LINES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)

    @asynccontextmanager
    async def opened(
        state: dict[str, Any],
        *screens: Callable[[], Screen[None]],
        size: tuple[int, int] = (80, 24),
        no_colour: bool = False,
        **fields: Any,
    ) -> AsyncIterator[Pilot[None]]:
        if no_colour:
            monkeypatch.setenv("NO_COLOR", "1")
            fields["colours"] = "none"
        app = PlainApp(state, screens, terminal(width=size[0], height=size[1], **fields), tmp_path / "log")
        async with app.run_test(size=size) as pilot:
            await settle(pilot)
            yield pilot

    return opened


class _Picture(SingleFileSnapshotExtension):
    """One file a picture, in ``snapshots/<test module>/``."""

    _write_mode = WriteMode.TEXT
    file_extension = "svg"

    @classmethod
    def dirname(cls, *, test_location: PyTestLocation) -> str:
        """Beside the tests of the other screens."""
        return str(ROOT / "snapshots" / Path(test_location.filepath).stem)


class _Text(_Picture):
    """The same as text."""

    file_extension = "txt"


@pytest.fixture
def looks_the_same(snapshot: SnapshotAssertion, request: pytest.FixtureRequest) -> Same:
    """Compare the screen with its snapshot, as text and as picture."""
    locked = re.search(r"^textual==(\S+)$", (ROOT / "constraints.txt").read_text(), re.MULTILINE)
    assert locked is not None
    installed = metadata.version("textual")
    if installed != locked[1]:
        if request.config.option.update_snapshots:
            pytest.fail(f"snapshots are made with Textual {locked[1]}; this is {installed}")
        pytest.skip(f"snapshots are of Textual {locked[1]}; this is {installed}")

    as_text, as_picture = snapshot.use_extension(_Text), snapshot.use_extension(_Picture)

    def compare(pilot: Pilot[None]) -> None:
        app = pilot.app
        assert isinstance(app, PlainApp)
        assert app.text == as_text
        assert app.svg == as_picture

    return compare
