"""The process that records: started by ``echolot collect``, and on its own from then on."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from filelock import FileLock, Timeout
from msgspec.structs import replace
from platformdirs import user_state_path

from echolot_tui.collect.control import Listening
from echolot_tui.collect.detach import Answer, answer, receive
from echolot_tui.collect.files import CollectFiles
from echolot_tui.collect.keeper import SetKeeper, tidy
from echolot_tui.collect.model import CollectOrder, RunState, SetRecord
from echolot_tui.collect.owner import this_process
from echolot_tui.collect.progress import exit_code, progress_of, write_progress
from echolot_tui.collect.record import Lane, Recorder, Stages
from echolot_tui.collect.runner import CollectError
from echolot_tui.collect.sets import SetFiles
from echolot_tui.collect.settle import Seen, Settling
from echolot_tui.collect.stages import Fixed
from echolot_tui.errors import EcholotError
from echolot_tui.headless.clock import now
from echolot_tui.headless.collecting import files_of, flags_of, new_sets, resumed_order, runners_of
from echolot_tui.headless.diagnostics import talk
from echolot_tui.headless.output import prepare_streams
from echolot_tui.headless.round_reports import RoundReports
from echolot_tui.headless.setup import Project, open_project
from echolot_tui.investigate.collected import RoundJournal
from echolot_tui.investigate.store import Store
from echolot_tui.project.files import LEFT_BEHIND_S


def main() -> int:
    """Record what the order on stdin asks for.

    Returns:
        0 when the sets are complete or were ended in good order; 130 stopped at once; 2 an error.
    """
    prepare_streams()
    order = receive()
    tell = int(sys.argv[1])
    with contextlib.ExitStack() as held:
        try:
            collecting = Collecting(order, held)
        except EcholotError as error:
            talk.error(error)
            answer(tell, Answer(error=error.sentence, exit_code=error.exit_code))
            return error.exit_code
        answer(tell, Answer(pid=os.getpid()))
        try:
            return collecting.run()
        except EcholotError as error:  # the record of the set itself could not be written
            talk.error(error)
            return error.exit_code


class Collecting:
    """Everything one collect holds while it runs."""

    def __init__(self, order: CollectOrder, held: contextlib.ExitStack) -> None:
        self._flags = flags_of(order)
        self._project: Project = open_project(self._flags)
        self._files: CollectFiles = files_of(self._project)
        _hold(held, self._files.lock, "a collect is being recorded in this project")
        self._files.sweep(before=time.time() - LEFT_BEHIND_S)
        memory = SetFiles(self._files.sets)
        if order.resume:
            sets = memory.latest(order.scenario)
            order = resumed_order(order, sets)
        else:
            for retired in memory.latest(order.scenario):
                tidy(retired)
            sets = new_sets(order, self._project, self._files)
        self._order = order
        self._runners = runners_of(order, sets, self._project, self._files)
        for resource in sorted({runner.resource for runner in self._runners} - {"host"}):
            path = user_state_path("echolot") / "locks" / f"{resource.replace('/', '_')}.lock"
            _hold(held, path, f"{resource} is being recorded by another project")
        self._store = held.enter_context(Store(self._files.layout, now))
        sets = self._with_rounds(sets)
        recordings = {
            each.arm: held.enter_context(self._store.record(each.round)) for each in sets if each.round
        }
        self._listening = Listening(
            self._files.request, order.collect, say=self._say, on_state=self._heard_state
        )
        journals = (memory, RoundJournal(recordings))
        names = tuple((self._project.loaded.config.scenarios or {}) if self._project.loaded else ())
        self._keepers = [
            SetKeeper(each, journals, now=now, scenarios=names, on_change=self._show) for each in sets
        ]
        self._files.request.unlink(missing_ok=True)
        self._recorder: Recorder | None = None
        self._settled: str | None = None
        self._said: list[str] = []
        self._announce(sets)

    def run(self) -> int:
        """Record, measure, and leave the reports."""
        until = self._order.until
        reports = RoundReports(
            self._project, self._flags, self._files.layout, until.against if until else None
        )
        self._recorder = Recorder(
            [
                Lane(keeper=keeper, runner=runner, analyze=reports.analyze)
                for keeper, runner in zip(self._keepers, self._runners, strict=True)
            ],
            self._stages(reports),
            seed=self._order.seed,
            listening=self._listening,
            owner=this_process(),
            say=talk.note,
            before_end=lambda sets: reports.finish(sets, self._store),
        )
        with self._listening.signals():
            sets = self._recorder.run()
        return exit_code(sets)

    def _stages(self, reports: RoundReports) -> Stages:
        first, until = self._order.settings.iterations, self._order.until
        if until is None:
            return Fixed(first, lambda: self._listening.iterations)
        return Settling(
            first,
            until.most,
            lambda each, level: reports.compare([keeper.record for keeper in self._keepers], each, level),
            self._looked,
        )

    def _looked(self, seen: Seen) -> None:
        self._settled = seen.text
        talk.note(seen.text)
        self._show()

    def _with_rounds(self, sets: Sequence[SetRecord]) -> tuple[SetRecord, ...]:
        """Each set fills a round: its own from before, or a new one of the current hunt, or of none."""
        hunt = self._store.hunts.current()
        number = hunt.n if hunt is not None and hunt.scenario == self._project.scenario.name else None
        return tuple(each if each.round else self._new_round(each, number) for each in sets)

    def _new_round(self, record: SetRecord, hunt: int | None) -> SetRecord:
        planned = self._store.rounds.plan(
            hunt,
            scenario=record.scenario,
            runs=record.iterations,
            label=record.arm or self._order.label,
            over=self._never_begun(record, hunt),
            plan={
                "collect": record.collect,
                "mode": record.mode,
                "suffix": record.suffix,
                "arm": record.arm,
                "seed": record.seed if record.arm else None,
            },
        )
        folder = self._files.layout.round(planned.hunt, planned.k) / "traces"
        return replace(record, round=planned.id, folder=str(folder))

    def _never_begun(self, record: SetRecord, hunt: int | None) -> int | None:
        """A round whose collect died before it recorded anything; there is no other, for we hold the lock."""
        return next(
            (
                each.id
                for each in self._store.rounds.all()
                if (each.hunt, each.scenario, each.state) == (hunt, record.scenario, "planned")
                and each.plan.get("collect") != record.collect
            ),
            None,
        )

    def _say(self, text: str) -> None:
        """What a runner has to say goes into the log and to whoever follows."""
        talk.note(text)
        self._said.append(text)
        self._show()

    def _heard_state(self, state: RunState) -> None:
        current = self._recorder.current if self._recorder else None
        if current is not None:
            number, k = current
            self._keepers[number].set_state(k, state)

    def _announce(self, sets: Sequence[SetRecord]) -> None:
        """Replace the progress of before: whoever follows a resumed set would take it for this one's."""
        running = {"status": "running", "reason": None, "finished_at": None, "owner": this_process()}
        self._write([replace(each, **running) for each in sets])

    def _show(self) -> None:
        self._write([keeper.record for keeper in self._keepers])

    def _write(self, sets: Sequence[SetRecord]) -> None:
        progress = progress_of(
            sets,
            pid=os.getpid(),
            log=self._files.log(self._order.collect),
            settled=self._settled,
            said=self._said,
        )
        write_progress(self._files.progress, progress)


def _hold(held: contextlib.ExitStack, path: Path, taken: str) -> None:
    """Hold a lock that the system gives back when this process ends, however it ends."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(path)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise CollectError(taken, todo="echolot collect --attach follows it, --stop ends it") from None
    held.callback(lock.release)


if __name__ == "__main__":
    sys.exit(main())
