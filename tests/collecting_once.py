"""A collect in this process, killed where it is told to: ``python collecting_once.py ORDER KILL_AT``.

Everything is real but the measuring, which would take most of the time. ``KILL_AT`` counts the moments at
which the collect touches the disk or says so: a rename, a link, a removed file, and before and after each
line of a journal; -1 kills at none of them. At the end the number of moments is printed.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from pathlib import Path
from typing import Any

import msgspec

from echolot_tui.collect.model import CollectEvent, CollectOrder, SetRecord
from echolot_tui.collect.sets import SetFiles
from echolot_tui.headless import collect_process
from echolot_tui.headless.round_reports import RoundReports
from echolot_tui.investigate.collected import RoundJournal
from recording import measured

_TOUCHES = {"os.rename", "os.link", "os.remove"}


class _Moments:
    def __init__(self, kill_at: int) -> None:
        self._kill_at = kill_at
        self.count = 0

    def pass_one(self) -> None:
        if self.count == self._kill_at:
            os.kill(os.getpid(), signal.SIGKILL)
        self.count += 1

    def audit(self, event: str, _arguments: Any) -> None:
        if event in _TOUCHES:
            self.pass_one()

    def around(self, journal: type[SetFiles] | type[RoundJournal]) -> None:
        real = journal.save

        def save(this: Any, record: SetRecord, event: CollectEvent) -> None:
            self.pass_one()
            real(this, record, event)
            self.pass_one()

        journal.save = save  # type: ignore[method-assign]


def main() -> int:
    order = msgspec.json.decode(Path(sys.argv[1]).read_bytes(), type=CollectOrder)
    moments = _Moments(int(sys.argv[2]))
    RoundReports.analyze = lambda _self, record: measured(record)  # type: ignore[method-assign]
    with contextlib.ExitStack() as held:
        collecting = collect_process.Collecting(order, held)
        moments.around(SetFiles)
        moments.around(RoundJournal)
        sys.addaudithook(moments.audit)
        code = collecting.run()
    sys.stdout.write(f"{moments.count}\n")
    return code


if __name__ == "__main__":
    sys.exit(main())
