"""The bridge's loop: which verb each intent runs, and what becomes of what it prints."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from echolot_tui.errors import EcholotError
from echolot_tui.investigate.facts import RoundFacts
from echolot_tui.investigate.model import ReportLink
from echolot_tui.investigate.view import HuntView
from echolot_tui.tui import loop, loop_collect, loop_hunts
from echolot_tui.tui.loop import LoopBridge
from echolot_tui.tui.perfetto import PerfettoAsk
from echolot_tui.tui.store import Failed, HomeView, Ready, Store
from loop_data import a_hunt, a_probe, a_round, calibration, doctor, home_view, setup

Hear = Callable[[str], None]


class Verbs:
    """Stands for the processes: remembers what was asked, prints what was prepared."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, ...]] = []
        self.prints: dict[str, bytes] = {}
        self.lines: dict[str, Sequence[tuple[str, str]]] = {}
        """Of a verb that goes on: what it says (``talk``) and prints (``out``), in order."""
        self.refuses: dict[str, str] = {}

    async def run(
        self,
        arguments: Sequence[str],
        on_line: Hear,
        *,
        on_output: Callable[[bytes], Awaitable[None]] | None = None,
    ) -> bytes:
        self.asked.append(tuple(arguments))
        verb = arguments[0]
        if verb in self.refuses:
            raise EcholotError(self.refuses[verb])
        for way, text in self.lines.get(verb, ()):
            if way == "talk":
                on_line(text)
            elif on_output is not None:
                await on_output(text.encode() + b"\n")
        return self.prints.get(verb, b"")


class Made:
    """A bridge with nothing behind it."""

    def __init__(self, verbs: Verbs, folder: Path) -> None:
        self.verbs = verbs
        self.started: list[Coroutine[Any, Any, None]] = []
        self.said: list[str] = []
        self.copied: list[str] = []
        self.store = Store(lambda _, call: call(), time.monotonic)
        self.bridge = LoopBridge(
            self, self.store, self.said.append, copy=self.copied.append, log_folder=folder / "log"
        )

    def run_worker(self, work: Coroutine[Any, Any, None], **_: object) -> None:
        self.started.append(work)

    async def finish(self) -> None:
        while self.started:
            await self.started.pop(0)


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Made:
    monkeypatch.chdir(tmp_path)
    verbs = Verbs()
    verbs.prints["status"] = b'{"engine": "embedded", "next": "setup", "todo": "probe"}'
    for module in (loop, loop_hunts, loop_collect):
        monkeypatch.setattr(module, "run_verb", verbs.run)
    monkeypatch.setattr("echolot_tui.tui.bridge.run_verb", verbs.run)
    return Made(verbs, tmp_path)


STEPS: list[tuple[Callable[[LoopBridge], None], tuple[str, ...], str]] = [
    (lambda to: to.ask_hunt("why?", ""), ("hunt", "--", "why?"), "hunt opened"),
    (lambda to: to.ask_hunt("why?", "the fix"), ("hunt", "--since", "the fix", "--", "why?"), "hunt opened"),
    (lambda to: to.resume_hunt(2, closed=False), ("hunt", "--resume", "2"), "hunt 2 is the current one"),
    (lambda to: to.resume_hunt(2, closed=True), ("hunt", "--reopen", "2"), "hunt 2 is the current one"),
    (lambda to: to.conclude_hunt("a lock"), ("hunt", "--done", "a lock"), "hunt concluded"),
    (lambda to: to.write_note(1, None, "hot"), ("note", "--hunt", "1", "--", "hot"), "noted"),
    (lambda to: to.write_note(1, 3, "hot"), ("note", "--hunt", "1", "--round", "3", "--", "hot"), "noted"),
    (
        lambda to: to.label_round(1, 3, "after"),
        ("round", "3", "--hunt", "1", "--label", "after"),
        "round 3 is called after",
    ),
    (
        lambda to: to.label_round(1, 3, " "),
        ("round", "3", "--hunt", "1", "--label", " "),
        "round 3 has no label",
    ),
]


@pytest.mark.parametrize(("intent", "verb", "said"), STEPS, ids=[" ".join(verb) for _, verb, _ in STEPS])
async def test_what_changes_the_record_is_a_verb_then_another_look(
    made: Made, intent: Callable[[LoopBridge], None], verb: tuple[str, ...], said: str
) -> None:
    intent(made.bridge)
    await made.finish()
    assert made.verbs.asked == [verb, ("status", "--json")]
    assert made.said == [said]
    assert isinstance(made.store.state.home, Ready)


async def test_the_last_report_is_the_later_round_of_two_touched_in_one_second(
    made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    made_at = "2026-07-01T10:00:00Z"
    link = ReportLink(id=2, path="r2/report.json", sha256="0" * 64, runs=(0,), generated_at=made_at)
    hunt = a_hunt(1, a_round(1), a_round(2, label="after", report=link))
    monkeypatch.setattr(loop_hunts, "read_hunts", lambda _place, _n: ((hunt,), None))
    made.verbs.prints["status"] = b'{"engine": "embedded", "config": "echolot.yml"}'
    made.bridge.look_around()
    await made.finish()
    home = made.store.state.home
    assert isinstance(home, Ready)
    assert dict(home.value.standing)["report"] == f"hunt 1, after · {made_at}"


async def test_a_refused_change_is_said_in_the_verbs_own_words(made: Made) -> None:
    made.verbs.refuses["hunt"] = "hunt 2 is concluded; --reopen goes on with it"
    made.bridge.resume_hunt(2, closed=False)
    await made.finish()
    assert made.said == ["hunt 2 is concluded; --reopen goes on with it"]


async def test_perfettos_link_is_copied_and_how_to_reach_it_is_said(made: Made) -> None:
    to_do = "open the link in a browser on this machine"
    made.verbs.lines["open"] = [
        ("talk", "a.pftrace, run 3"),
        ("out", "http://127.0.0.1:40001/token/#!/?url=x"),
        ("talk", to_do),
    ]
    made.bridge.open_in_perfetto(PerfettoAsk(target="r/report.json", row="a [/] b", run="3"))
    await made.finish()
    assert made.verbs.asked == [("open", "--row", "a [/] b", "--run", "3", "--", "r/report.json")]
    assert made.copied == ["http://127.0.0.1:40001/token/#!/?url=x"]
    assert made.said == [
        "looking for a [/] b in the trace",
        "a.pftrace, run 3 · the link is copied: http://127.0.0.1:40001/token/#!/?url=x",
        f"a.pftrace, run 3 · the link is copied, {to_do}: http://127.0.0.1:40001/token/#!/?url=x",
    ]


async def test_a_trace_that_is_gone_is_said(made: Made) -> None:
    made.verbs.refuses["open"] = "a.pftrace: the trace is not there any more; name where it is now"
    made.bridge.open_in_perfetto(PerfettoAsk(target="a.pftrace"))
    await made.finish()
    assert made.verbs.asked == [("open", "--", "a.pftrace")]
    assert made.said[-1].startswith("a.pftrace: the trace is not there any more")
    assert made.copied == []


async def test_the_doctors_findings_are_shown_also_when_a_check_failed(made: Made) -> None:
    expected = doctor().value
    made.verbs.prints["doctor"] = msgspec.json.encode(expected)
    made.bridge.examine()
    await made.finish()
    assert made.store.state.doctor == Ready(value=expected)


async def test_a_trace_is_looked_into_whole_then_one_process_of_it(made: Made, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("[]")
    made.verbs.prints["probe"] = msgspec.json.encode(a_probe())
    made.bridge.look_into("a.json", None)
    await made.finish()
    made.bridge.look_into("a.json", "com.app")
    await made.finish()
    assert made.verbs.asked == [
        ("probe", "--json", "--", "a.json"),
        ("probe", "--json", "--process", "com.app", "--", "a.json"),
    ]
    assert made.store.state.setup == setup(a_probe(), "a.json")


async def test_a_trace_that_cannot_be_looked_into_fails_the_setup(made: Made) -> None:
    made.bridge.look_into("absent.json", None)
    await made.finish()
    failed = made.store.state.setup
    assert isinstance(failed, Failed)
    assert "absent.json" in failed.sentence


async def test_a_trace_without_a_process_leaves_nothing_to_choose(made: Made, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("[]")
    nothing = msgspec.structs.replace(a_probe(), process=None, nothing="no process has slices; record some")
    made.verbs.prints["probe"] = msgspec.json.encode(nothing)
    made.bridge.look_into("a.json", None)
    await made.finish()
    failed = made.store.state.setup
    assert isinstance(failed, Failed)
    assert failed.sentence == "no process has slices; record some"


async def test_a_config_is_written_once_and_home_knows_at_once(made: Made, tmp_path: Path) -> None:
    made.store.put(home=Ready(value=HomeView(standing=(), next_step="", reports=(), has_config=False)))
    made.bridge.write_config("scenario: {name: run}\n")
    await made.started.pop(0)
    assert (tmp_path / "echolot.yml").read_text() == "scenario: {name: run}\n"
    home = made.store.state.home
    assert isinstance(home, Ready)
    assert home.value.has_config
    made.bridge.write_config("other")
    await made.finish()
    assert "is there already, so nothing was written" in made.said[-1]
    assert (tmp_path / "echolot.yml").read_text() == "scenario: {name: run}\n"


async def test_a_calibration_is_shown_and_written_beside_the_config(made: Made, tmp_path: Path) -> None:
    made.verbs.prints["calibrate"] = msgspec.json.encode(calibration().value.calibration)
    made.bridge.calibrate(("a", "b"), 20)
    await made.finish()
    assert made.verbs.asked == [("calibrate", "--json", "--by", "report-size", "20", "--", "a", "b")]
    slot = made.store.state.calibration
    assert isinstance(slot, Ready)
    assert slot.value.path == str(tmp_path / "echolot.calibrated.yml")
    made.bridge.write_calibration()
    await made.finish()
    assert (tmp_path / "echolot.calibrated.yml").read_text() == slot.value.section
    assert made.said == [f"wrote {slot.value.path}; merge it into the config yourself"]


async def test_traces_are_measured_into_a_folder_of_their_own_where_there_is_no_config(made: Made) -> None:
    made.bridge.analyze(("a", "b"))
    await made.finish()
    assert made.verbs.asked[0] == ("analyze", "--json", "-o", "echolot-report", "--", "a", "b")
    failed = made.store.state.report
    assert isinstance(failed, Failed), "the verb that stands in writes no report"
    assert "echolot-report/report.json" in failed.sentence


async def test_a_watched_folder_is_told_as_it_fills_and_its_problem_too(made: Made) -> None:
    made.verbs.lines["watch"] = [("out", '{"problem": "fill: no trace could be read"}')]
    made.bridge.watch("fill")
    await made.finish()
    asked = made.verbs.asked[0]
    assert (asked[:2], asked[-2:]) == (("watch", "--json"), ("--", "fill"))
    slot = made.store.state.collect
    assert isinstance(slot, Ready)
    assert (slot.value.watching, slot.value.notes) == ("fill", ("fill: no trace could be read",))


async def test_a_recorder_that_does_not_start_says_why_and_keeps_what_was_shown(made: Made) -> None:
    made.verbs.refuses["collect"] = "no device"
    made.bridge.begin_collect(label="after", runs=12, resume=True)
    await made.finish()
    assert made.verbs.asked == [
        ("collect", "--detach", "--trust", "--resume", "-n", "12", "--label", "after")
    ]
    slot = made.store.state.collect
    assert isinstance(slot, Ready)
    assert slot.value.problem == "no device"


async def test_asking_a_collect_that_is_not_there_is_said(made: Made) -> None:
    made.bridge.stop_collect(at_once=True)
    await made.finish()
    made.bridge.more_runs()
    await made.finish()
    assert len(made.said) == 2
    assert all(text for text in made.said)


@pytest.mark.parametrize(("opened", "beside"), [(0, 1), (1, 0), (2, 1)])
def test_a_rounds_thresholds_are_tried_on_the_round_beside_it_too(
    made: Made, tmp_path: Path, opened: int, beside: int
) -> None:
    (tmp_path / "echolot.yml").write_text("scenario: {name: run}\n")
    for k in (1, 2, 3):
        (tmp_path / f"r{k}").mkdir()
        (tmp_path / f"r{k}" / "report.json").write_text('{"detectors": []}')
    rounds = tuple(a_round(k) for k in (1, 2, 3))
    view = HuntView(hunt=a_hunt(1, *rounds), fresh=True, drift=(), facts=(RoundFacts(),) * 3)
    made.store.put(home=home_view(shown=view))
    found = made.bridge._other_sides(str(tmp_path / f"r{opened + 1}" / "report.json"))
    assert [name for name, _ in found] == [rounds[beside].name]
    assert made.bridge._other_sides("elsewhere/report.json") == []
