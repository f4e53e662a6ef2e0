"""Traces are measured as they land, so that the report is ready with the last one."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from echolot_tui.collect.keeper import SetKeeper
from echolot_tui.collect.live import facts_of
from echolot_tui.collect.model import SetRecord
from echolot_tui.errors import EcholotError
from echolot_tui.report.model import Report

Analysis = Callable[[SetRecord], Report]
"""Measures what a set has so far and writes its report; measured traces cost nothing again.

Called from one thread at a time, not always the same. Raises ``EcholotError`` when no trace can be measured.
"""


class Arrivals:
    """Has a set analyzed whenever it grew.

    On the machine under measurement that happens between two runs; a device records its next run meanwhile.

    Args:
        keeper: The set; told what each run's measurement says.
        analyze: Does the work.
        here: The runs are recorded on this machine.
    """

    def __init__(self, keeper: SetKeeper, analyze: Analysis, *, here: bool) -> None:
        self._keeper = keeper
        self._analyze = analyze
        self._here = here
        self._thread: threading.Thread | None = None
        self._measured = 0
        self._answer: tuple[SetRecord, Report | EcholotError] | None = None
        self._crash: BaseException | None = None

    def arrived(self) -> None:
        """A trace landed; never waits for another machine's measurement."""
        if self._here:
            self.settle()
        elif self._thread is None or not self._thread.is_alive():
            self._take()
            self._start()

    def settle(self) -> None:
        """Return when every trace of the set is measured."""
        while True:
            self._take()
            if len(self._keeper.record.done) == self._measured:
                return
            self._start()

    def _start(self) -> None:
        record = self._keeper.record
        self._measured = len(record.done)
        self._thread = threading.Thread(target=self._work, args=(record,), name="analysis", daemon=True)
        self._thread.start()

    def _work(self, record: SetRecord) -> None:
        try:
            self._answer = record, self._analyze(record)
        except EcholotError as error:
            self._answer = record, error
        except BaseException as crash:  # noqa: BLE001 - raised again in the thread that records
            self._crash = crash

    def _take(self) -> None:
        """Wait for the analysis under way and tell the set what it found."""
        if self._thread is None:
            return
        self._thread.join()
        self._thread = None
        if self._crash is not None:
            raise self._crash
        assert self._answer is not None
        record, answer = self._answer
        facts = facts_of(answer) if isinstance(answer, Report) else {}
        reasons = {each.path: each.reason for each in answer.unreadable} if isinstance(answer, Report) else {}
        for run in record.done:
            known = facts.get(run.sha256 or "")
            why = (
                answer.sentence
                if isinstance(answer, EcholotError)
                else reasons.get(str(Path(run.path or "")))
            )
            self._keeper.measured(run.k, known, None if known else why)
