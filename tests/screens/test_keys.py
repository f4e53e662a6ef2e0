"""Every key of every screen does what the table of actions says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest
from textual.command import CommandPalette

from echolot_tui.tui.actions import ACTIONS, TITLES, Where
from echolot_tui.tui.help import HelpScreen
from echolot_tui.tui.screens.comparison import ComparisonScreen
from echolot_tui.tui.screens.detectors import DetectorsScreen
from echolot_tui.tui.screens.home import HomeScreen
from echolot_tui.tui.screens.report import ReportScreen
from echolot_tui.tui.screens.spread import SpreadScreen
from echolot_tui.tui.store import ComparisonAsk, ProfileAsk, Ready
from echolot_tui.tui.widgets.chips import Chips
from echolot_tui.tui.widgets.grid import Grid
from echolot_tui.tui.widgets.prompt import Prompt
from screens_app import OpenApp, PlainApp, press
from screens_data import follows, home, shown, shown_report, typical

Then = Callable[[PlainApp], Any]


@dataclass(frozen=True)
class Case:
    """One key: what was pressed before it, and what must be true after."""

    where: Where
    key: str
    then: Then
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    following: bool = False
    """On the comparison whose rows follow the whole run."""

    def __str__(self) -> str:
        return f"{self.where}-{'-'.join((*self.before, self.key))}"


def options(app: PlainApp) -> Any:
    slot = app.store.state.comparison
    assert isinstance(slot, Ready)
    return slot.value.options


def asked(app: PlainApp) -> tuple[object, ...]:
    return app.recorded.asked[-1]


def cursor(app: PlainApp) -> int:
    return app.screen.query_one(Grid).cursor


def says(text: str) -> Then:
    return lambda app: text in app.text


def lacks(text: str) -> Then:
    return lambda app: text not in app.text


def is_on(kind: type) -> Then:
    return lambda app: type(app.screen) is kind


def option(name: str, value: object) -> Then:
    return lambda app: getattr(options(app), name) == value


def params(app: PlainApp) -> Any:
    slot = app.store.state.what_if
    assert isinstance(slot, Ready)
    return slot.value.params


def sides(app: PlainApp) -> Any:
    ask = asked(app)[1]
    assert isinstance(ask, ComparisonAsk)
    return ask.sides


def names(app: PlainApp) -> Any:
    ask = asked(app)[1]
    assert isinstance(ask, ComparisonAsk)
    return ask.names


PROFILED = ProfileAsk(before="before", after="after", names=("before", "after"), folder="out")


def profiled(app: PlainApp) -> Any:
    ask = asked(app)[1]
    assert isinstance(ask, ProfileAsk)
    return ask


LONGEST = ("--row", "Repository.load", "--run", "4", "--", "after/report.json")


def marked(app: PlainApp) -> tuple[str, ...]:
    """Side and number of the run that o opens."""
    found = [text.split() for text in app.text.splitlines() if "▌" in text]
    return tuple(found[0][:2])


comparison = partial(Case, "comparison")
report = partial(Case, "report")
detectors = partial(Case, "detectors")
spread = partial(Case, "spread")

COMPARISON = [
    comparison("enter", is_on(SpreadScreen)),
    comparison("enter", option("steady", value=True), before=("end",)),
    comparison("slash", lambda app: app.focused is app.screen.query_one(Prompt)),
    comparison("slash", option("text", "cache"), after=(*"cache", "enter")),
    comparison("slash", option("text", ""), after=(*"cache", "escape")),
    comparison("d", option("direction", "slower")),
    comparison("d", option("direction", "faster"), before=("d",)),
    comparison("d", option("direction", "both"), before=("d", "d")),
    comparison("v", option("verdicts", ("slower",))),
    comparison("t", option("detectors", ("io_wait",))),
    comparison("t", option("detectors", ()), before=("t", "t")),
    comparison("i", option("min_impact", "noticeable")),
    comparison("f", lambda app: app.focused is app.screen.query_one(Chips)),
    comparison("f", option("verdicts", ("slower",)), after=("down", "space")),
    comparison("f", option("verdicts", ("slower", "faster")), after=("down", "space", "right", "space")),
    comparison("f", option("direction", "slower"), after=("right", "enter")),
    comparison("f", lambda app: app.focused is app.screen.query_one(Grid), after=("escape",)),
    comparison("0", option("verdicts", ()), before=("v",)),
    comparison("b", option("sort", "ratio")),
    comparison("g", lacks("step 5"), following=True),
    comparison("g", says("step 5"), before=("g",), following=True),
    comparison("g", says("no row only follows the whole run")),
    comparison("z", option("steady", value=True)),
    comparison("w", says("the builds differ")),
    comparison("a", lacks("median")),
    comparison("a", says("median"), before=("a",)),
    comparison("s", lambda app: sides(app) == ("after/report.json", "before/report.json")),
    comparison("n", lambda app: names(app) == ("before one", "after"), after=(*" one", "enter", "enter")),
    comparison(
        "n", lambda app: "compare" not in [one[0] for one in app.recorded.asked], after=("x", "escape")
    ),
    comparison("c", lambda app: asked(app) == ("open collect",)),
    comparison("p", lambda app: profiled(app) == PROFILED),
    comparison("o", lambda app: asked(app) == ("perfetto", *LONGEST)),
    comparison("o", says("the cursor is on no row"), before=("end",)),
    comparison("1", lambda app: asked(app) == ("report", "before/report.json")),
    comparison("2", lambda app: asked(app) == ("report", "after/report.json")),
    comparison(
        "y", lambda app: "| Repository.load |" in app.clipboard and "takes 47.70 ms longer" in app.clipboard
    ),
    comparison("y", says("the cursor is on no row"), before=("end",)),
    comparison("Y", lambda app: app.clipboard.count("\n| ") >= 3),
    comparison("e", lambda app: asked(app) == ("export",)),
    comparison("r", lambda app: asked(app) == ("compare again",)),
]

SPREAD = [
    spread("right", says("row 2 of 3")),
    spread("right", says("this is the last row"), before=("right", "right")),
    spread("left", says("this is the first row")),
    spread("left", says("row 1 of 3"), before=("right",)),
    spread("o", lambda app: asked(app) == ("perfetto", *LONGEST)),
    spread("tab", lambda app: marked(app) == ("after", "▌5"), after=("end",)),
    spread("tab", lambda app: asked(app)[4] == "5", after=("o",)),
    spread("shift+tab", lambda app: marked(app) == ("after", "▌3"), after=("end",)),
    spread("c", lambda app: asked(app) == ("open collect",)),
    spread("y", lambda app: "| Repository.load |" in app.clipboard),
]

REPORT = [
    report("enter", lacks("inflate")),
    report("enter", says("inflate"), before=("enter",)),
    report("enter", lambda app: app.screen.has_class("-full"), before=("down",)),
    report(
        "slash", lambda app: app.text.count("draw") and "inflate" not in app.text, after=(*"draw", "enter")
    ),
    report("slash", says('no row holds "nowhere"'), after=(*"nowhere", "enter")),
    report("w", says("No slice matches the end anchor")),
    report("tab", lambda app: cursor(app) == 4),
    report("shift+tab", lambda app: cursor(app) == 0, before=("down", "down")),
    report("s", says("SELECT 1"), before=("down",)),
    report("y", lambda app: "| draw |" in app.clipboard, before=("down",)),
    report("y", says("the cursor is on no row")),
    report("Y", lambda app: "inflate" in app.clipboard and "# " in app.clipboard),
    report("o", lambda app: asked(app) == ("perfetto", "--", "out/report.json")),
    report("o", lambda app: asked(app)[:3] == ("perfetto", "--row", "draw"), before=("down",)),
    report("t", is_on(DetectorsScreen)),
    report("r", lambda app: asked(app) == ("report", None)),
]

DETECTORS = [
    detectors("right", lambda app: params(app) == {"min_slice_ms": 13}),
    detectors("plus", lambda app: params(app) == {"min_slice_ms": 13}),
    detectors("left", lambda app: params(app) == {"min_slice_ms": 11}),
    detectors("minus", lambda app: params(app) == {"min_slice_ms": 11}),
    detectors("0", lambda app: params(app) == {"min_slice_ms": 12}, before=("right", "right")),
    detectors("enter", says("3 → 2 listed of 4"), after=("backspace", "backspace", *"20", "enter")),
    detectors("enter", says("is no number"), after=("x", "enter")),
    detectors("enter", lambda app: params(app) == {"min_slice_ms": 12}, after=("9", "escape")),
    detectors("tab", says("> min_slice_ms")),
    detectors("tab", says("this detector has no parameters"), before=("down",)),
    detectors(
        "e",
        lambda app: app.clipboard == "detectors:\n  main_thread_block:\n    min_slice_ms: 13\n",
        before=("right",),
    ),
]

STACKS: dict[Where, tuple[type, ...]] = {
    "comparison": (HomeScreen, ComparisonScreen),
    "spread": (HomeScreen, ComparisonScreen),
    "report": (HomeScreen, ReportScreen),
    "detectors": (HomeScreen, ReportScreen, DetectorsScreen),
}

EVERYWHERE = [
    Case(where, key, then, after=after)
    for where in STACKS
    for key, then, after in [
        ("question_mark", is_on(HelpScreen), ()),
        ("question_mark", says(TITLES[where] + ": keys"), ()),
        ("ctrl+p", lambda app: isinstance(app.screen, CommandPalette), ()),
        ("T", lambda app: app.theme == "echolot-light", ()),
        ("G", lambda app: app.glyph_level == "braille", ()),
        ("M", says("no mouse to take"), ()),
        ("ctrl+z", lambda app: asked(app) == ("suspend",), ()),
        ("ctrl+l", lambda app: app.repaints == 1, ()),
        ("q", lambda app: app._exit, ()),
    ]
]

BACK = [
    Case("comparison", "escape", is_on(HomeScreen)),
    Case("comparison", "escape", option("text", ""), before=("slash", "x", "enter")),
    Case("comparison", "escape", lacks("the builds differ"), before=("w",)),
    Case("report", "escape", lacks("Startup"), before=("w", "end")),
    Case("spread", "escape", is_on(ComparisonScreen)),
    Case("report", "escape", is_on(HomeScreen)),
    Case("report", "escape", lambda app: not app.screen.has_class("-full"), before=("down", "enter")),
    Case("detectors", "escape", is_on(ReportScreen)),
]

CASES = [*COMPARISON, *SPREAD, *REPORT, *DETECTORS, *EVERYWHERE, *BACK]


def marked_where_slow(case: Case) -> Any:
    """The comparison and its spread by the fast tests, the other screens by the slow ones."""
    slow = case.where not in {"comparison", "spread"}
    return pytest.param(case, marks=[pytest.mark.slow] if slow else [])


@pytest.mark.parametrize("case", list(map(marked_where_slow, CASES)), ids=str)
async def test_key(open_app: OpenApp, case: Case) -> None:
    state = {
        "home": home("a/report.json", "b/report.json"),
        "comparison": shown(follows() if case.following else typical()),
        "report": shown_report(),
    }
    async with open_app(state, *STACKS[case.where], size=(120, 40)) as pilot:
        if case.where == "spread":
            await press(pilot, "enter")
        await press(pilot, *case.before)
        if case.key == "q":
            await pilot.press("q")
        else:
            await press(pilot, case.key, *case.after)
        assert case.then(pilot.app), pilot.app.text


def test_every_key_of_every_screen_is_pressed_here() -> None:
    pressed = {(case.where, case.key) for case in CASES}
    declared = {(where, key) for action in ACTIONS for where in action.where for key in action.keys}
    declared = {(where, key) for where, key in declared if where in STACKS}
    assert declared - pressed == set()
