"""A worker process: opens one trace after another and runs the pool's functions on them.

Started by :mod:`echolot_tui.engine.pool` as ``python -m echolot_tui.engine.worker FD``, leading a process
group of its own, in which a native engine runs too. When the pool goes away, so does the whole group.
"""

from __future__ import annotations

import os
import queue
import signal
import sys
import threading
import traceback
from multiprocessing.connection import Connection
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from typing import Any

from echolot_tui.engine.bounds import AddressSpace
from echolot_tui.engine.embedded import warm_up
from echolot_tui.engine.locate import Build
from echolot_tui.engine.messages import Began, Gave, Lost, Said, Task
from echolot_tui.engine.model import TraceUnreadableError
from echolot_tui.engine.open import OutOfMemoryError, builds_to_try, load_trace, too_big_note
from echolot_tui.engine.session import EngineFullError
from echolot_tui.errors import FAILED, EcholotError
from echolot_tui.text import visible


class Worker:
    """The worker's end of the connection, and the tasks that come out of it."""

    def __init__(self, connection: Connection[Any, Any]) -> None:
        self._connection = connection
        self._tasks: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._busy = False
        self._space = AddressSpace()

    def serve(self) -> None:
        """Run tasks until the pool closes the connection."""
        threading.Thread(target=self._receive, daemon=True).start()
        while (packed := self._tasks.get()) is not None:
            answer = self._answer(packed)
            self._busy = False
            self._connection.send_bytes(answer)

    def _receive(self) -> None:
        """Take tasks in beside the main thread's work: a connection that ends then ends even a query."""
        try:
            while True:
                packed = self._connection.recv_bytes()
                self._busy = True
                self._tasks.put(packed)
        except (EOFError, OSError):
            if self._busy:
                os.killpg(0, signal.SIGKILL)
            self._tasks.put(None)

    def _answer(self, packed: bytes) -> bytes:
        """Run one task: the packed :class:`Gave` or :class:`Lost`."""
        where = ""
        try:
            task: Task = ForkingPickler.loads(packed)
            where = visible(str(task.path))
            return bytes(ForkingPickler.dumps(Gave(self._run(task))))
        except EcholotError as error:
            lost = error
        except MemoryError:
            lost = TraceUnreadableError("the worker ran out of memory", where=where)
        except Exception as error:  # noqa: BLE001 - told as this trace's failure, the others go on
            lost = _internal(error, where)
        return bytes(ForkingPickler.dumps(Lost(lost)))

    def _run(self, task: Task) -> object:
        """The task's result; on another engine when memory runs out and there is a larger one."""
        *earlier, last = builds_to_try(task.path, task.choice)
        for build in earlier:
            try:
                return self._run_with(build, task)
            except (OutOfMemoryError, EngineFullError):
                self._say(too_big_note(task.path))
        return self._run_with(last, task)

    def _run_with(self, build: Build | None, task: Task) -> object:
        if build is not None:
            warm_up(build, say=self._say)
        self._space.limit(task.choice.memory_mb, build)
        self._connection.send(Began())
        with load_trace(task.path, task.choice, build, self._say) as session:
            result = task.run(session, task.payload)
        if session.lost is not None:
            raise session.lost
        return result

    def _say(self, text: str) -> None:
        self._connection.send(Said(text))


def _internal(error: Exception, where: str) -> EcholotError:
    """A defect, as the sentence that is told: what, and the place in the code."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{Path(frame.filename).name}:{frame.lineno}"
    what = f"internal error, {type(error).__name__} at {place}: {visible(str(error), 300)}"
    return EcholotError(what, where=where, exit_code=FAILED)


if __name__ == "__main__":
    Worker(Connection(int(sys.argv[1]))).serve()
