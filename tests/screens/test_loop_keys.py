"""Every key of the loop's screens does what the table of actions says."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest
from textual.command import CommandPalette

from echolot_tui.collect.model import RunRecord
from echolot_tui.tui.actions import ACTIONS, TITLES, Where
from echolot_tui.tui.help import HelpScreen
from echolot_tui.tui.screens.calibration import CalibrationScreen
from echolot_tui.tui.screens.collect import CollectScreen
from echolot_tui.tui.screens.detectors import DetectorsScreen
from echolot_tui.tui.screens.doctor import DoctorScreen
from echolot_tui.tui.screens.history import HistoryScreen
from echolot_tui.tui.screens.home import HomeScreen
from echolot_tui.tui.screens.report import ReportScreen
from echolot_tui.tui.screens.setup import SetupScreen
from echolot_tui.tui.store import ComparisonAsk, Failed, ProfileAsk, Ready, Working
from echolot_tui.tui.widgets.grid import Grid
from history_data import FLAGS, history_of_all
from loop_data import (
    a_hunt,
    a_probe,
    a_round,
    a_set,
    calibration,
    collect,
    doctor,
    done,
    ended,
    ended_early,
    filling,
    first_start,
    history,
    home_view,
    progress,
    setup,
    without_hunts,
)
from screens_app import OpenApp, PlainApp, press

Then = Callable[[PlainApp], Any]


@dataclass(frozen=True)
class Case:
    """One key: what was there and pressed before it, and what must be true after."""

    where: Where
    key: str
    then: Then
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    state: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.where}-{'-'.join((*self.before, self.key))}"


def asked(*what: object) -> Then:
    return lambda app: app.recorded.asked[-1] == what


def says(*texts: str) -> Then:
    return lambda app: all(text in app.text for text in texts)


def lacks(text: str) -> Then:
    return lambda app: text not in app.text


def is_on(kind: type) -> Then:
    return lambda app: type(app.screen) is kind


def compares(*sides: str, names: tuple[str, ...] = (), flags: tuple[str, ...] = ()) -> Then:
    def check(app: PlainApp) -> bool:
        ask = app.recorded.asked[-1][1]
        assert isinstance(ask, ComparisonAsk)
        return (ask.sides, ask.names, ask.first_flags) == (sides, names, flags)

    return check


def focus(grid: str) -> Then:
    return lambda app: app.focused is app.screen.query_one(f"#{grid}", Grid)


def begins(**given: Any) -> Then:
    full = {"label": "", "runs": None, "resume": False} | given
    return lambda app: app.recorded.asked[-1] == ("begin", full)


at_home = partial(Case, "home")
LOOSE = {"home": without_hunts("a/report.json", "b/report.json")}
BARE = {"home": first_start()}
TRACES = tuple(f"/project/r1/run_iter00{at}.pftrace" for at in range(5))

HOME = [
    at_home("enter", asked("report", "/project/r1/report.json")),
    at_home("enter", says("this round has no report yet"), before=("end",)),
    at_home("enter", focus("rounds"), before=("tab",)),
    at_home("enter", asked("report", "a/report.json"), state=LOOSE),
    at_home("tab", focus("hunts")),
    at_home("tab", focus("rounds"), before=("tab",)),
    at_home("tab", asked("show hunt", 1), after=("down",)),
    at_home("tab", says("/project/r1/report.json"), after=("down", "down")),
    at_home("tab", says("there are no hunts yet"), state=LOOSE),
    at_home("space", says("1     1 before")),
    at_home("space", lacks("1     1 before"), before=("space",)),
    at_home("space", says("1     a/report.json"), state=LOOSE),
    at_home("d", compares()),
    at_home(
        "d",
        compares(
            "/project/r2/report.json", "/project/r1/report.json", names=("after the tab redesign", "before")
        ),
        before=("down", "space", "up", "space"),
    ),
    at_home("d", says("mark two reports first"), state=LOOSE),
    at_home(
        "d", compares("b/report.json", "a/report.json"), before=("down", "space", "up", "space"), state=LOOSE
    ),
    at_home(
        "n",
        asked("hunt", "--since", "the fix", "--", "why slow?"),
        after=(*"why slow?", "enter", *"the fix", "enter"),
    ),
    at_home("n", asked("hunt", "--", "why?"), after=(*"why?", "enter", "enter")),
    at_home(
        "n", lambda app: all(each == ("look around",) for each in app.recorded.asked), after=("x", "escape")
    ),
    at_home("n", is_on(SetupScreen), before=("escape",), state=BARE),
    at_home("c", is_on(CollectScreen)),
    at_home("c", says("there is no echolot.yml yet: n makes one"), before=("escape",), state=BARE),
    at_home("a", asked("analyze", "some/traces"), after=(*"some/traces", "enter")),
    at_home("a", is_on(ReportScreen), after=(*"some/traces", "enter")),
    at_home("k", asked("calibrate", TRACES, None)),
    at_home("k", is_on(CalibrationScreen)),
    at_home("k", says("the cursor is on no round"), state=LOOSE),
    at_home("t", is_on(DetectorsScreen)),
    at_home("t", asked("report", "/project/r1/report.json")),
    at_home("C", asked("hunt", "--done", "a lock"), after=(*"a lock", "enter")),
    at_home("C", says("no hunt is current"), state=LOOSE),
    at_home("R", asked("hunt", "--resume", "2")),
    at_home("R", says("the cursor is on no hunt"), state=LOOSE),
    at_home("N", asked("note", "--hunt", "2", "--round", "1", "--", "hot"), after=(*"hot", "enter")),
    at_home("N", asked("note", "--hunt", "2", "--", "hot"), before=("tab",), after=(*"hot", "enter")),
    at_home(
        "L",
        asked("round", "1", "--hunt", "2", "--label", "before2"),
        after=("2", "enter"),
    ),
    at_home("o", asked("perfetto", "--", "/project/r1/report.json")),
    at_home("o", asked("perfetto", "--", TRACES[0].replace("r1", "r3")), before=("end",)),
    at_home("h", is_on(HistoryScreen)),
    at_home("p", says("a profile needs"), state=LOOSE),
    at_home(
        "p",
        asked(
            "profile",
            ProfileAsk(
                before="/project/r1",
                after="/project/r2",
                names=("before", "after the tab redesign"),
                folder="/project/.echolot/out",
            ),
        ),
    ),
    at_home("w", asked("watch", "in"), after=(*"in", "enter")),
    at_home("w", is_on(CollectScreen), after=(*"in", "enter")),
    at_home("D", asked("examine")),
    at_home("D", is_on(DoctorScreen)),
    at_home("r", asked("look around")),
    at_home("escape", says("this is the first screen")),
]

recording = partial(Case, "collect")
NOTHING = {"collect": collect(None)}
EARLY = {"collect": ended_early()}
IN_FLIGHT = {"collect": filling()}

COLLECT = [
    recording("enter", begins(), state=NOTHING),
    recording("enter", says("it is being recorded"), state=IN_FLIGHT),
    recording("enter", begins()),
    recording("enter", begins(runs=6, resume=True), before=("plus",)),
    recording("s", asked("stop", "after this run"), state=IN_FLIGHT),
    recording("s", says("nothing is being recorded")),
    recording("x", asked("stop", "now"), state=IN_FLIGHT),
    recording("x", says("nothing is being recorded")),
    recording("plus", asked("more"), state=IN_FLIGHT),
    recording("plus", says("1 run of cold-start, on top of the last set")),
    recording("r", begins(resume=True), state=EARLY),
    recording("r", says("every run has its trace")),
    recording("r", says("once the set has ended"), state=IN_FLIGHT),
    recording("n", begins(label="after"), after=(*"after", "enter", "enter")),
    recording("n", says("it is being recorded"), state=IN_FLIGHT),
    recording("L", says('called "after"'), after=(*"after", "enter")),
    recording("d", compares()),
    recording("w", asked("watch", "in"), after=(*"in", "enter")),
    recording("escape", is_on(HomeScreen)),
]

first = partial(Case, "setup")
PROCESSES = {"setup": setup(a_probe())}
SLICES = {"setup": setup(a_probe(process="com.example.app"))}
TRACE = (*"traces", "enter")

SETUP = [
    first("enter", asked("look into", "traces", None), before=(*"traces",)),
    first("enter", asked("look into", "traces", "com.example.app"), before=TRACE, state=PROCESSES),
    first("enter", says("step 5 of 6"), before=(*TRACE, "end"), state=PROCESSES),
    first("enter", says("step 4 of 6", "name: bindApplication"), before=(*TRACE, "down"), state=SLICES),
    first("enter", says("step 4 of 6"), before=TRACE, state=SLICES),
    first("enter", says("step 6 of 6", "mode: host"), before=("enter", *"run {trace}")),
    first(
        "enter",
        lambda app: app.recorded.asked[-2][0] == "write config" and "name: run" in app.recorded.asked[-2][1],
        before=("enter", "enter"),
    ),
    first("escape", is_on(HomeScreen)),
    first("escape", says("step 1 of 6"), before=("enter",)),
    first("escape", says("step 3 of 6"), before=(*TRACE, "down", "enter"), state=SLICES),
    first("escape", says("step 5 of 6"), before=("enter", "enter")),
]

calibrating = partial(Case, "calibration")
CALIBRATION = [
    calibrating("e", asked("write calibration")),
    calibrating("y", lambda app: app.clipboard.startswith("# calibrated on 3 runs")),
    calibrating("v", says("min_slice_ms: 30.4    # top10(self_ms)=20.24")),
    calibrating("v", lacks("/project/echolot.calibrated.yml"), before=("v",)),
    calibrating("b", asked("calibrate", ("r1/a.pftrace", "r1/b.pftrace"), 3), after=("3", "enter")),
    calibrating("b", asked("calibrate", ("r1/a.pftrace", "r1/b.pftrace"), None), after=("enter",)),
    calibrating("b", says("is no number of rows"), after=("x", "enter")),
    calibrating("r", asked("calibrate", ("r1/a.pftrace", "r1/b.pftrace"), None)),
    calibrating("escape", is_on(HomeScreen)),
    calibrating("escape", is_on(CalibrationScreen), before=("v",)),
]

over_commits = partial(Case, "history")
HISTORY = [
    over_commits("o", asked("judge", "s.json"), after=(*"s.json", "enter")),
    over_commits("r", asked("judge", "s.json"), before=("o", *"s.json", "enter")),
    over_commits("r", asked("analyze history")),
    over_commits("enter", says("relative")),
    over_commits("enter", says("there is no series here"), state={"history": history()}),
    over_commits("slash", says("no series holds this text"), after=(*"zzz", "enter")),
    over_commits("slash", says("1 of 1"), after=(*"launch", "enter")),
    over_commits("b", asked("bless", FLAGS, "launch", "meant"), after=(*"meant", "enter")),
    over_commits("b", says("a blessing needs a reason"), after=("enter",)),
    over_commits("b", says("has no blessings"), before=("o", "s", "enter")),
    over_commits("u", asked("bless", FLAGS, "launch", None)),
    over_commits("escape", is_on(HistoryScreen), before=("enter",)),
    over_commits("escape", is_on(HomeScreen)),
]
DOCTOR = [
    Case("doctor", "r", asked("examine")),
    Case("doctor", "escape", is_on(HomeScreen)),
]

STACKS: dict[Where, tuple[type, ...]] = {
    "home": (HomeScreen,),
    "setup": (HomeScreen, SetupScreen),
    "collect": (HomeScreen, CollectScreen),
    "calibration": (HomeScreen, CalibrationScreen),
    "history": (HomeScreen, HistoryScreen),
    "doctor": (HomeScreen, DoctorScreen),
}
TO_THE_KEYS: dict[Where, tuple[str, ...]] = {"setup": (*TRACE,)}
"""What has to be pressed before letters are keys and not typed."""

EVERYWHERE = [
    Case(where, key, then, before=TO_THE_KEYS.get(where, ()), state=PROCESSES if where == "setup" else {})
    for where in STACKS
    for key, then in [
        ("question_mark", is_on(HelpScreen)),
        ("question_mark", says(TITLES[where] + ": keys")),
        ("ctrl+p", lambda app: isinstance(app.screen, CommandPalette)),
        ("T", lambda app: app.theme == "echolot-light"),
        ("G", lambda app: app.glyph_level == "braille"),
        ("M", says("no mouse to take")),
        ("ctrl+z", asked("suspend")),
        ("ctrl+l", lambda app: app.repaints == 1),
        ("q", lambda app: app._exit),
    ]
]

CASES = [*HOME, *COLLECT, *SETUP, *CALIBRATION, *HISTORY, *DOCTOR, *EVERYWHERE]


def marked_where_slow(case: Case) -> Any:
    """Home by the fast tests, the other screens by the slow ones."""
    slow = case.where != "home"
    return pytest.param(case, marks=[pytest.mark.slow] if slow else [])


@pytest.mark.parametrize("case", list(map(marked_where_slow, CASES)), ids=str)
async def test_key(open_app: OpenApp, case: Case) -> None:
    usual = {
        "home": home_view(),
        "collect": ended(),
        "calibration": calibration(),
        "history": history_of_all(),
        "doctor": doctor(),
    }
    async with open_app(usual | case.state, *STACKS[case.where], size=(120, 40)) as pilot:
        await press(pilot, *case.before)
        if case.key == "q":
            await pilot.press("q")
        else:
            await press(pilot, case.key, *case.after)
        assert case.then(pilot.app), (pilot.app.recorded.asked, pilot.app.text)


def test_every_key_of_every_screen_is_pressed_here() -> None:
    pressed = {(case.where, case.key) for case in CASES}
    declared = {(where, key) for action in ACTIONS for where in action.where for key in action.keys}
    assert {each for each in declared if each[0] in STACKS} - pressed == set()


async def test_the_first_start_goes_to_the_first_config_by_itself(open_app: OpenApp) -> None:
    async with open_app({"home": first_start()}, HomeScreen) as pilot:
        assert isinstance(pilot.app.screen, SetupScreen)
        await press(pilot, "escape")
        pilot.app.store.put(home=first_start())
        await pilot.pause()
        assert isinstance(pilot.app.screen, HomeScreen), "who left it is not sent there again"


async def test_news_for_a_screen_that_is_being_left_do_no_harm(open_app: OpenApp) -> None:
    async with open_app({"home": home_view(), "collect": filling()}, HomeScreen, CollectScreen) as pilot:
        screen = pilot.app.screen
        await screen.remove_children()
        pilot.app.store.answer(collect=ended())
        assert isinstance(screen, CollectScreen)


async def test_a_set_that_ends_while_it_is_looked_at_offers_its_report(open_app: OpenApp) -> None:
    async with open_app({"home": home_view(), "collect": filling()}, HomeScreen, CollectScreen) as pilot:
        pilot.app.store.put(collect=ended())
        await pilot.pause(0.3)
        await press(pilot, "enter")
        assert pilot.app.recorded.asked[-1] == ("report", "/project/round-1/report.json")


async def test_leaving_says_what_would_be_lost_and_a_second_press_leaves(open_app: OpenApp) -> None:
    watched = collect(None, watching="[/] fill", running=True, plan=None)
    async with open_app({"home": home_view(), "collect": watched}, HomeScreen, CollectScreen) as pilot:
        await press(pilot, "q")
        assert not pilot.app._exit
        assert "watching [/] fill ends with this app; q again leaves" in pilot.app.text
        await press(pilot, "G", "q")
        assert not pilot.app._exit, "something else was done in between"
        await pilot.press("q")
        assert pilot.app._exit


async def test_textuals_own_keys_for_leaving_do_as_q_does(open_app: OpenApp) -> None:
    watched = collect(None, watching="fill", running=True, plan=None)
    async with open_app({"home": home_view(), "collect": watched}, HomeScreen) as pilot:
        await press(pilot, "ctrl+c")
        assert "q leaves, ctrl+z goes back to the shell" in pilot.app.text
        await press(pilot, "ctrl+q")
        assert not pilot.app._exit
        assert "watching fill ends with this app; q again leaves" in pilot.app.text
        await pilot.press("ctrl+q")
        assert pilot.app._exit


async def test_leaving_while_a_set_is_recorded_asks_nothing(open_app: OpenApp) -> None:
    async with open_app({"home": home_view(), "collect": filling()}, HomeScreen, CollectScreen) as pilot:
        await pilot.press("q")
        assert pilot.app._exit


async def test_a_config_that_is_half_made_is_not_left_in_silence(open_app: OpenApp) -> None:
    async with open_app({"home": first_start(), **PROCESSES}, HomeScreen, SetupScreen) as pilot:
        await press(pilot, *TRACE, "down", "enter", "q")
        assert not pilot.app._exit
        assert "echolot.yml is not written yet; q again leaves" in pilot.app.text


async def test_why_not_is_taken_back_when_the_cursor_moves_or_something_is_done(open_app: OpenApp) -> None:
    async with open_app({"home": home_view()}, HomeScreen) as pilot:
        for way_on in ("up", "space"):
            await press(pilot, "end", "enter")
            assert "this round has no report yet" in pilot.app.text
            await press(
                pilot, "up" if way_on == "space" else way_on, *(["space"] if way_on == "space" else [])
            )
            assert "this round has no report yet" not in pilot.app.text


async def test_the_label_of_a_set_is_its_own(open_app: OpenApp) -> None:
    async with open_app({"home": home_view(), "collect": ended()}, HomeScreen, CollectScreen) as pilot:
        await press(pilot, "n", *"one", "enter")
        assert 'called "one"' in pilot.app.text
        pilot.app.store.put(collect=filling())
        await pilot.pause(0.3)
        pilot.app.store.put(collect=ended())
        await pilot.pause(0.3)
        await press(pilot, "n", *"two", "enter")
        assert 'called "two"' in pilot.app.text


async def test_the_cursor_goes_with_the_run_in_flight_until_somebody_moves_it(open_app: OpenApp) -> None:
    def at_run(k: int) -> Any:
        runs = [done(at, 1000.0 + at) for at in range(k)]
        return collect(progress(a_set(*runs, RunRecord(k=k, state="recording"))), running=True)

    async with open_app({"home": home_view(), "collect": at_run(7)}, HomeScreen, CollectScreen) as pilot:
        grid = pilot.app.screen.query_one("#rows", Grid)
        assert grid.cursor == 7
        assert [text.split()[:3] for text in pilot.app.text.splitlines() if text.startswith("▌")] == [
            ["▌", "8", "recording"]
        ]
        pilot.app.store.put(collect=at_run(8))
        await pilot.pause(0.3)
        assert grid.cursor == 8
        await press(pilot, "home")
        pilot.app.store.put(collect=at_run(9))
        await pilot.pause(0.3)
        assert grid.cursor == 0


async def test_the_next_step_after_the_last_hunt_is_the_next_question(open_app: OpenApp) -> None:
    closed = a_hunt(1, a_round(1), a_round(2), current=False, state="concluded", conclusion="a lock")
    view = home_view(
        hunts=(closed,), next_word="compare", next_step='echolot hunt "QUESTION" opens the next hunt'
    )
    async with open_app({"home": view}, HomeScreen) as pilot:
        assert 'next  n  echolot hunt "QUESTION"' in pilot.app.text


async def test_the_hunts_cursor_is_on_the_hunt_that_is_shown(open_app: OpenApp) -> None:
    newer = a_hunt(3, current=False, state="abandoned", question="a slip")
    view = home_view()
    view = home_view(hunts=(newer, *view.value.hunts))
    async with open_app({"home": view}, HomeScreen) as pilot:
        assert pilot.app.screen.query_one("#hunts", Grid).cursor == 1


async def test_leaving_a_screen_gives_up_the_work_that_was_for_it(open_app: OpenApp) -> None:
    ended: list[str] = []

    async def measuring() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            ended.append("report")

    async with open_app({"home": home_view()}, HomeScreen, ReportScreen) as pilot:
        app = pilot.app
        app.run_worker(measuring(), name="report", group="report", exclusive=True)
        app.store.put(report=Working(text="measured 3/20  a.pftrace"))
        await pilot.pause(0.3)
        await press(pilot, "escape")
        assert ended == ["report"]
        assert isinstance(app.screen, HomeScreen)
        assert "given up: measured 3/20" in app.text
        assert isinstance(app.store.state.report, Failed)


async def test_leaving_a_screen_that_is_done_gives_up_nothing(open_app: OpenApp) -> None:
    async with open_app({"home": home_view(), "doctor": doctor()}, HomeScreen, DoctorScreen) as pilot:
        await press(pilot, "escape")
        assert "given up" not in pilot.app.text
        assert isinstance(pilot.app.store.state.doctor, Ready)


async def test_the_palette_is_plain_text_and_does_what_it_lists(open_app: OpenApp) -> None:
    async with open_app({"home": home_view()}, HomeScreen, glyphs="ascii") as pilot:
        await press(pilot, "ctrl+p")
        assert [text for text in pilot.app.text.splitlines() if not text.isascii()] == []
        await press(pilot, *"doctor")
        assert "What this terminal and this machine can do" in pilot.app.text
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, DoctorScreen)


async def test_home_says_what_the_doctor_found(open_app: OpenApp) -> None:
    async with open_app({"home": home_view()}, HomeScreen) as pilot:
        assert "doctor   not run since this start: D checks this machine" in pilot.app.text
    found = doctor()
    async with open_app({"home": home_view(), "doctor": found}, HomeScreen) as pilot:
        failed = found.value.failures
        assert f"doctor: {len(failed)} check failed: {failed[0].text}" in " ".join(pilot.app.text.split())


async def test_what_the_launches_said_is_told_and_is_no_warning(open_app: OpenApp) -> None:
    told = "am start -W: from 310 to 340 ms (spread 10%)"
    slot = collect(progress(a_set(done(0, 310.0), done(1, 340.0)), facts=(told,)))
    async with open_app({"home": home_view(), "collect": slot}, HomeScreen, CollectScreen) as pilot:
        (shown,) = [each.strip() for each in pilot.app.text.splitlines() if "am start" in each]
        assert shown == told


async def test_coming_back_shows_the_collect_as_it_is_now(open_app: OpenApp) -> None:
    async with open_app({"home": home_view(), "collect": filling()}, HomeScreen, CollectScreen) as pilot:
        await press(pilot, "escape")
        pilot.app.store.put(collect=ended())
        await pilot.pause(0.3)
        await press(pilot, "c")
        assert "5/5 done" in pilot.app.text
        assert pilot.app.recorded.asked[-1] == ("open collect",)
