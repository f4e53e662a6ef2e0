"""Recording in a process of its own, which outlives whoever started it."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from echolot_tui.collect.files import CollectFiles
from echolot_tui.collect.model import CollectOrder, Progress
from echolot_tui.collect.progress import is_lost, read_progress
from echolot_tui.collect.runner import CollectError
from echolot_tui.frozen import Frozen

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

_POLL_S: Final = 0.2
_LOGS_KEPT: Final = 20

_BEGIN: Final = """import json, runpy, sys
_, module, path, *arguments = sys.argv
sys.path[:], sys.argv[1:] = json.loads(path), arguments
runpy.run_module(module, run_name="__main__", alter_sys=True)
"""
"""Where this process has its modules from is told as an argument: in the environment what is recorded would
get it too, and a program of another Python would import ours."""


class Answer(Frozen, frozen=True, kw_only=True):
    """What the recording process says once it knows whether it can begin."""

    pid: int = 0
    error: str | None = None
    exit_code: int = 2


def start(module: str, order: CollectOrder, files: CollectFiles, env: Mapping[str, str]) -> int:
    """Start recording.

    Args:
        module: Run with ``python -m``; calls :func:`receive`.
        order: What to record.
        files: Of the project.
        env: Environment of the process, and of what it runs.

    Returns:
        Pid of the recording process, which has begun: it holds the project's lock.

    Raises:
        CollectError: It refused, or died before it could.
    """
    log = files.log(order.collect)
    log.parent.mkdir(parents=True, exist_ok=True)
    _prune(files.logs)
    hear, tell = os.pipe()
    with os.fdopen(hear, "rb") as ear:
        with log.open("ab") as out:  # a resumed collect goes on in its own log
            begun = out.tell()
            process = subprocess.Popen(
                [
                    sys.executable,
                    "-P",
                    "-c",
                    _BEGIN,
                    module,
                    json.dumps([part for part in sys.path if part]),
                    str(tell),
                ],
                stdin=subprocess.PIPE,
                stdout=out,
                stderr=out,
                pass_fds=[tell],
                start_new_session=True,
                cwd=order.project,
                env=dict(env),
            )
        os.close(tell)
        process.communicate(msgspec.json.encode(order))  # the process forks and ends: the fork records
        said = ear.read()
    if not said:
        raise CollectError("the recording process died before it began", where=str(log), todo="read its log")
    answer = msgspec.json.decode(said, type=Answer)
    if answer.error is not None:
        os.truncate(log, begun)
        if not begun:
            log.unlink()
        raise CollectError(answer.error, exit_code=answer.exit_code)
    return answer.pid


def receive() -> CollectOrder:
    """The order, in the process :func:`start` made; from here on it has no parent and no terminal."""
    order = msgspec.json.decode(sys.stdin.buffer.read(), type=CollectOrder)
    if os.fork():
        os._exit(0)
    nowhere = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nowhere, sys.stdin.fileno())
    os.close(nowhere)
    log = io.BufferedWriter(ForgivingFile(sys.stderr.fileno(), "w", closefd=False))
    sys.stderr = io.TextIOWrapper(log, encoding="utf-8", errors="backslashreplace", line_buffering=True)
    return order


class ForgivingFile(io.FileIO):
    """A log on a full disk: its lines are lost, and not the recording they tell of."""

    def write(self, data: ReadableBuffer, /) -> int:
        """Write what can be written; all of it counts as written."""
        with contextlib.suppress(OSError):
            return super().write(data)
        return memoryview(data).nbytes


def answer(tell: int, said: Answer) -> None:
    """Tell whoever started this process, who may be gone."""
    with contextlib.suppress(BrokenPipeError), os.fdopen(tell, "wb") as mouth:
        mouth.write(msgspec.json.encode(said))


def follow(files: CollectFiles, collect: str) -> Iterator[Progress]:
    """The collect's progress whenever it changed, until it ended.

    Raises:
        CollectError: The recording process is gone without a word.
    """
    last: Progress | None = None
    while True:
        now = read_progress(files.progress)
        if now is None or not now.sets or now.sets[0].collect != collect:
            if last is not None:
                raise CollectError("another collect took over", todo="echolot status shows it")
        elif now != last:
            last = now
            yield now
        if last is not None and last.finished is not None:
            return
        if last is not None and is_lost(last) and read_progress(files.progress) == last:
            raise CollectError(
                "the recording process is gone",
                where=last.log or "",
                todo="its finished traces are kept; echolot collect --resume records the rest",
            )
        time.sleep(_POLL_S)


def _prune(logs: Path) -> None:
    """Keep the latest logs."""
    found = sorted(logs.glob("collect-*.log"), key=lambda path: path.stat().st_mtime, reverse=True)
    for path in found[_LOGS_KEPT - 1 :]:
        path.unlink(missing_ok=True)
