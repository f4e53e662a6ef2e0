"""The loop over the runs of one set, or of two that take turns."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from echolot_tui.collect.arrive import Analysis, Arrivals
from echolot_tui.collect.control import Listening
from echolot_tui.collect.keeper import SetKeeper
from echolot_tui.collect.model import Owner, SetRecord, SetStatus
from echolot_tui.collect.publish import copy
from echolot_tui.collect.runner import BatchRunner, Recorded, Runner, Stopped
from echolot_tui.collect.schedule import turns
from echolot_tui.errors import EcholotError


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """One set: how it is recorded, how it is kept, and who measures it."""

    keeper: SetKeeper
    runner: Runner | BatchRunner
    analyze: Analysis


class Stages(Protocol):
    """How many runs a side come next."""

    def next(self, each: int) -> int:
        """Runs of each side in the next stage.

        Args:
            each: Runs each side has; every trace of theirs is measured.

        Returns:
            0 when the set is complete.
        """


class Recorder:
    """Records sets; whatever happens, each ends in a state that says what it has.

    Args:
        lanes: The sets; with two, their runs come in random order.
        stages: How many runs.
        seed: Of that order.
        listening: The ear for stop requests.
        owner: This process.
        say: Takes log lines.
        before_end: Called with the sets when everything is recorded and measured, before they end.
    """

    def __init__(
        self,
        lanes: Sequence[Lane],
        stages: Stages,
        *,
        seed: int,
        listening: Listening,
        owner: Owner,
        say: Callable[[str], None],
        before_end: Callable[[Sequence[SetRecord]], None],
    ) -> None:
        self._before_end = before_end
        self._lanes = lanes
        self._stages = stages
        self._seed = seed
        self._listening = listening
        self._owner = owner
        self._say = say
        self._arrivals = [Arrivals(lane.keeper, lane.analyze, here=lane.runner.here) for lane in lanes]
        self._current: tuple[int, int] | None = None
        self._through: set[int] = set()
        """Lanes whose one command has recorded all their runs, however many a stage would have."""

    @property
    def current(self) -> tuple[int, int] | None:
        """Lane and run in flight."""
        return self._current

    def run(self) -> tuple[SetRecord, ...]:
        """Record what is missing.

        Returns:
            The sets as they ended; an error that ended one is its reason.
        """
        status: SetStatus | None = None
        reason: str | None = None
        for lane in self._lanes:
            lane.keeper.begin(self._owner)
            lane.keeper.repair()
        try:
            self._record()
        except Stopped:
            status, reason = "interrupted", "stopped"
        except EcholotError as error:
            status, reason = "failed", error.sentence
        finally:
            self._give_up()
            self._measure_rest()
        with self._telling():
            self._before_end([lane.keeper.record for lane in self._lanes])
        return tuple(self._end(lane.keeper, status, reason) for lane in self._lanes)

    def _record(self) -> None:
        runners = list({id(lane.runner): lane.runner for lane in self._lanes}.values())
        with contextlib.ExitStack() as undo:
            for runner in runners:
                undo.callback(self._finish, runner)
                runner.prepare(self._listening)
            for number, k in turns(self._seed, self._each_stage(), len(self._lanes)):
                if number in self._through or self._lanes[number].keeper.is_done(k):
                    continue
                if self._listening.stop_after_run:
                    self._listening.check()
                    break
                self._one(number, k)

    def _each_stage(self) -> Iterator[int]:
        each = 0
        while True:
            if each:
                self._measure_rest()
            more = self._stages.next(each)
            if not more:
                return
            each += more
            for lane in self._lanes:
                if isinstance(lane.runner, Runner):
                    lane.keeper.want(each)
            yield more

    def _one(self, number: int, k: int) -> None:
        lane = self._lanes[number]
        self._current = number, k
        if isinstance(lane.runner, BatchRunner):
            self._all_at_once(number, lane.runner)
            return
        temporary = lane.keeper.start_run(k)
        try:
            recorded = lane.runner.record_one(k, temporary, self._listening)
            lane.keeper.keep(k, recorded)
        except EcholotError as error:
            lane.keeper.fail_run(k, error.sentence)
            raise
        self._current = None
        self._arrivals[number].arrived()

    def _all_at_once(self, number: int, runner: BatchRunner) -> None:
        keeper = self._lanes[number].keeper
        traces = runner.record_all(self._listening)
        keeper.want(len(traces))
        for k, trace in enumerate(traces):
            copy(trace, keeper.start_run(k))
            keeper.keep(k, Recorded())
            self._arrivals[number].arrived()
        self._current = None
        self._through.add(number)

    def _give_up(self) -> None:
        """A run that was stopped on the way leaves nothing behind."""
        if self._current is not None:
            number, k = self._current
            self._lanes[number].keeper.give_up_run(k)
            self._current = None

    def _measure_rest(self) -> None:
        for arrivals in self._arrivals:
            arrivals.settle()

    def _finish(self, runner: Runner | BatchRunner) -> None:
        with self._telling():
            runner.finish(self._listening)

    @contextlib.contextmanager
    def _telling(self) -> Iterator[None]:
        """What fails after the recording is told; how the set itself ended is what counts."""
        try:
            yield
        except EcholotError as error:
            self._say(error.sentence)

    @staticmethod
    def _end(keeper: SetKeeper, status: SetStatus | None, reason: str | None) -> SetRecord:
        record = keeper.record
        done = len(record.done)
        if done and done == record.iterations:
            status, reason = "complete", None
        elif status is None:
            status, reason = "partial", "stopped after a run"
        elif status == "failed" and done:
            status = "partial"
        keeper.finish(status, reason)
        return keeper.record


def traces_of(record: SetRecord) -> tuple[Path, ...]:
    """The traces a set has, in run order."""
    return tuple(Path(run.path) for run in record.done if run.path is not None)
