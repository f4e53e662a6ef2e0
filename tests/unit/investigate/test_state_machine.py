"""The record against a model that is simple enough to believe, through random histories and crashes."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from echolot_tui.errors import EcholotError
from echolot_tui.investigate.model import TraceFile
from echolot_tui.investigate.recording import Recording
from echolot_tui.investigate.store import Store
from echolot_tui.project.files import sha256_of
from echolot_tui.project.layout import Layout
from unit.investigate.project import Clock

RUN_STEPS: dict[str, set[str]] = {
    "waiting": {"cooling", "recording", "failed"},
    "cooling": {"recording", "failed", "waiting"},
    "recording": {"cooling", "pulling", "failed", "waiting"},
    "pulling": {"failed", "waiting"},
    "analyzing": {"done", "failed", "waiting"},
    "done": {"waiting"},
    "failed": {"waiting"},
}
"""Written down once more, by hand: what may be said of a run in a state."""

TRACE_MAY_COME = {"waiting", "recording", "pulling"}
TOLD = st.sampled_from(["waiting", "cooling", "recording", "pulling", "done", "failed"])
HUNT = st.integers(1, 4)
ROUND = st.integers(1, 6)
RUN = st.integers(0, 3)


class ModelRound:
    def __init__(self, hunt: int | None, k: int, state: str, runs: list[str]) -> None:
        self.hunt, self.k, self.state, self.runs = hunt, k, state, runs
        self.traces: dict[int, str] = {}


class Histories(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.hunts: dict[int, str] = {}
        self.current: int | None = None
        self.rounds: dict[int, ModelRound] = {}
        self.recordings: dict[int, tuple[AbstractContextManager[Recording], Recording]] = {}
        self.clock = Clock()
        self.serial = 0

    @initialize()
    def begin(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.root = self.folder / "life-0"
        self._live()
        self.open_hunt()
        self.plan_round(1, 3)
        self.start_recording(1)

    def teardown(self) -> None:
        with ExitStack() as stack:
            stack.callback(shutil.rmtree, self.folder)
            stack.callback(self.store.close)
            for context, _ in self.recordings.values():
                stack.push(context)

    # -- hunts

    @precondition(lambda self: len(self.hunts) < 4)
    @rule()
    def open_hunt(self) -> None:
        n = self.store.hunts.open("why?", scenario="cold").n
        assert n == len(self.hunts) + 1
        self.hunts[n] = "open"
        self.current = n

    @rule(n=HUNT, state=st.sampled_from(["concluded", "abandoned"]))
    def close_hunt(self, n: int, state: str) -> None:
        recorded = any(each.hunt == n and each.state == "recording" for each in self.rounds.values())
        legal = self.hunts.get(n) == "open" and not recorded
        close = self.store.hunts.abandon if state == "abandoned" else self._conclude
        if self._allowed(legal, close, n):
            self.hunts[n] = state
            self.current = None if self.current == n else self.current

    @rule(n=HUNT)
    def reopen_hunt(self, n: int) -> None:
        if self._allowed(self.hunts.get(n, "open") != "open", self.store.hunts.reopen, n):
            self.hunts[n] = "open"
            self.current = n

    @rule(n=HUNT)
    def choose_hunt(self, n: int) -> None:
        if self._allowed(self.hunts.get(n) == "open", self.store.hunts.choose, n):
            self.current = n

    @rule(n=HUNT, k=ROUND)
    def note(self, n: int, k: int) -> None:
        there = n in self.hunts and any((each.hunt, each.k) == (n, k) for each in self.rounds.values())
        self._allowed(there, self.store.hunts.note, n, "hm", k)

    # -- rounds

    @precondition(lambda self: len(self.rounds) < 6)
    @rule(n=st.one_of(st.none(), HUNT), runs=st.integers(0, 3))
    def plan_round(self, n: int | None, runs: int) -> None:
        legal = n is None or self.hunts.get(n) == "open"
        if self._allowed(legal, self._plan, n, runs):
            self._new_round(n, "planned", ["waiting"] * runs)

    @precondition(lambda self: len(self.rounds) < 6)
    @rule(n=HUNT, runs=st.integers(1, 3))
    def attach_round(self, n: int, runs: int) -> None:
        self.serial += 1
        hashes = [f"{self.serial}.{run}" for run in range(runs)]
        files = [TraceFile(path=f"elsewhere/{each}", sha256=each) for each in hashes]
        if self._allowed(self.hunts.get(n) == "open", self._attach, n, files):
            made = self._new_round(n, "complete", ["done"] * runs)
            made.traces = dict(enumerate(hashes))

    # -- recording

    @rule(number=ROUND)
    def start_recording(self, number: int) -> None:
        each = self.rounds.get(number)
        is_open = each is not None and (each.hunt is None or self.hunts[each.hunt] == "open")
        legal = each is not None and is_open and each.state != "recording"
        context = self.store.record(number) if each is not None else None
        if context is None or not self._allowed(legal, context.__enter__):
            return
        assert each is not None
        self.recordings[number] = (context, self.answer)
        each.state = "recording"
        for run, state in enumerate(each.runs):
            if state == "failed" or (state == "done" and not self._has_file(number, run)):
                each.runs[run] = "waiting"
                each.traces.pop(run, None)

    @precondition(lambda self: self.recordings)
    @rule(data=st.data())
    def tell(self, data: st.DataObject) -> None:
        """Anything at all of any run, also of one that is not there."""
        number = data.draw(st.sampled_from(sorted(self.recordings)))
        self._tell(number, data.draw(RUN), data.draw(TOLD))

    @precondition(lambda self: self._with_runs())
    @rule(data=st.data())
    def go_on(self, data: st.DataObject) -> None:
        """One of the steps a run may take."""
        number = data.draw(st.sampled_from(self._with_runs()))
        run = data.draw(st.integers(0, len(self.rounds[number].runs) - 1))
        self._tell(number, run, data.draw(st.sampled_from(sorted(RUN_STEPS[self.rounds[number].runs[run]]))))

    @precondition(lambda self: self._with_runs())
    @rule(data=st.data())
    def take_a_run_far(self, data: st.DataObject) -> None:
        """All the way to a trace, or to just before it."""
        number = data.draw(st.sampled_from(self._with_runs()))
        run = data.draw(st.integers(0, len(self.rounds[number].runs) - 1))
        if self.rounds[number].runs[run] == "waiting":
            self._tell(number, run, "recording")
            if data.draw(st.booleans()):
                self._tell(number, run, "pulling")
            ending = data.draw(st.sampled_from(["stays", "comes", "comes unsaid", "fails later"]))
            if ending != "stays":
                self._trace(number, run, says=ending != "comes unsaid")
            if ending == "fails later":
                self._tell(number, run, "failed")

    def _with_runs(self) -> list[int]:
        return [number for number in sorted(self.recordings) if self.rounds[number].runs]

    def _tell(self, number: int, run: int, state: str) -> None:
        each, recording = self.rounds[number], self.recordings[number][1]
        legal = run < len(each.runs) and state in RUN_STEPS[each.runs[run]]
        if self._allowed(legal, recording.run_state, run, state):
            each.runs[run] = state
            if state == "waiting":
                each.traces.pop(run, None)

    @precondition(lambda self: self._with_runs())
    @rule(data=st.data())
    def trace_comes(self, data: st.DataObject) -> None:
        number = data.draw(st.sampled_from(self._with_runs()))
        self._trace(number, data.draw(st.integers(0, len(self.rounds[number].runs) - 1)), says=True)

    def _trace(self, number: int, run: int, *, says: bool) -> None:
        """A trace gets its name; unless it ``says`` so, the process dies before it can."""
        each, recording = self.rounds[number], self.recordings[number][1]
        legal = each.runs[run] in TRACE_MAY_COME
        self.serial += 1
        content = f"trace {self.serial}".encode()
        path = recording.trace_path(run)
        if legal:
            path.write_bytes(content)
        if not says:
            self.crash()
        elif self._allowed(legal, recording.trace_finished, run, path, sha256_of(content)):
            each.runs[run] = "analyzing"
            each.traces[run] = sha256_of(content)

    @precondition(lambda self: self.recordings)
    @rule(data=st.data())
    def extend(self, data: st.DataObject) -> None:
        number = data.draw(st.sampled_from(sorted(self.recordings)))
        if len(self.rounds[number].runs) < 4:
            self.recordings[number][1].extend()
            self.rounds[number].runs.append("waiting")

    @precondition(lambda self: self.recordings)
    @rule(data=st.data())
    def end_recording(self, data: st.DataObject) -> None:
        number = data.draw(st.sampled_from(sorted(self.recordings)))
        context, _ = self.recordings.pop(number)
        context.__exit__(None, None, None)
        self._end(self.rounds[number])

    @rule()
    def crash(self) -> None:
        """The process dies: a copy of its files, in which nobody holds a lock, is opened by the next one."""
        life = int(self.root.name.rpartition("-")[2]) + 1
        after = Path(shutil.copytree(self.root, self.folder / f"life-{life}"))
        for context, _ in self.recordings.values():
            context.__exit__(None, None, None)
        self.store.close()
        self.root, self.recordings = after, {}
        recorded = {number for number, each in self.rounds.items() if each.state == "recording"}
        for number in recorded:
            self._lose(number, self.rounds[number])
        self._live()
        assert {each.id for each in self.store.lost} == recorded

    # -- what has to hold at all times

    @invariant()
    def the_record_is_the_model(self) -> None:
        hunts = self.store.hunts.all()
        assert {hunt.n: hunt.state for hunt in hunts} == self.hunts
        assert [hunt.n for hunt in hunts if hunt.current] == ([self.current] if self.current else [])
        rounds = self.store.rounds.all()
        assert {each.id: (each.hunt, each.k, each.state) for each in rounds} == {
            number: (each.hunt, each.k, each.state) for number, each in self.rounds.items()
        }
        for each in rounds:
            model = self.rounds[each.id]
            assert [run.state for run in each.runs] == model.runs
            assert {trace.run: trace.sha256 for trace in each.traces} == model.traces
            assert set(each.done) <= set(model.traces)

    @invariant()
    def the_journal_tells_the_same_story(self) -> None:
        hunts: dict[int | None, str | None] = {}
        rounds: dict[tuple[int | None, int | None], str | None] = {}
        runs: dict[tuple[int | None, int | None, int | None], str | None] = {}
        for line in self.store.journal():
            if line.subject == "hunt" and line.target:
                assert hunts.get(line.hunt) == line.source
                hunts[line.hunt] = line.target
            elif line.subject == "round":
                assert rounds.get((line.hunt, line.k)) == line.source
                rounds[line.hunt, line.k] = line.target
            elif line.subject == "run":
                assert runs.get((line.hunt, line.k, line.run)) == line.source
                runs[line.hunt, line.k, line.run] = line.target
        assert hunts == self.hunts
        assert rounds == {(each.hunt, each.k): each.state for each in self.rounds.values()}
        assert runs == {
            (each.hunt, each.k, run): state
            for each in self.rounds.values()
            for run, state in enumerate(each.runs)
        }

    # -- the model's own steps

    def _live(self) -> None:
        self.store = Store(Layout(root=self.root), self.clock)
        # The power stays on in this test; without waiting for the disk it sees ten times as much.
        self.store._database._connection.execute("PRAGMA synchronous = OFF")

    def _allowed(self, legal: bool, act, *arguments) -> bool:
        """Do it; the record has to agree with the model on whether that is possible."""
        lines = len(self.store.journal())
        if legal:
            self.answer = act(*arguments)
            return True
        with pytest.raises(EcholotError) as refused:
            act(*arguments)
        assert refused.value.todo
        assert len(self.store.journal()) == lines
        return False

    def _conclude(self, n: int) -> None:
        self.store.hunts.conclude(n, "that")

    def _plan(self, n: int | None, runs: int) -> None:
        self.store.rounds.plan(n, scenario="cold", runs=runs)

    def _attach(self, n: int, files: list[TraceFile]) -> None:
        self.store.rounds.attach(n, files, scenario="cold")

    def _new_round(self, hunt: int | None, state: str, runs: list[str]) -> ModelRound:
        k = 1 + sum(each.hunt == hunt for each in self.rounds.values())
        made = self.rounds[len(self.rounds) + 1] = ModelRound(hunt, k, state, runs)
        return made

    def _path(self, number: int, run: int) -> Path:
        each = self.rounds[number]
        folder = Layout(root=self.root).round(each.hunt, each.k) / "traces"
        return folder / f"cold_iter{run:03d}.perfetto-trace"

    def _has_file(self, number: int, run: int) -> bool:
        return self._path(number, run).is_file()

    def _end(self, each: ModelRound) -> None:
        ends = {"analyzing": "done", "cooling": "failed", "recording": "failed", "pulling": "failed"}
        each.runs = [ends.get(state, state) for state in each.runs]
        each.state = "complete" if each.runs and set(each.runs) == {"done"} else "partial"

    def _lose(self, number: int, each: ModelRound) -> None:
        for run, state in enumerate(each.runs):
            if state in {"recording", "pulling", "analyzing"} and self._has_file(number, run):
                each.runs[run] = "done"
                each.traces.setdefault(run, sha256_of(self._path(number, run).read_bytes()))
            elif state in {"cooling", "recording", "pulling", "analyzing"}:
                each.runs[run] = "waiting"
                each.traces.pop(run, None)
        each.state = "interrupted"


Histories.TestCase.settings = settings(
    max_examples=60,
    stateful_step_count=40,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)
TestHistories = Histories.TestCase


@pytest.mark.slow
class TestManyHistories(Histories.TestCase):
    settings = settings(Histories.TestCase.settings, max_examples=600, stateful_step_count=80)
