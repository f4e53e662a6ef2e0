"""Runs a verb of the command line in a process of its own: killable, and what it prints is the model.

Nothing heavy is imported by the app, a crash costs one answer and never the terminal, and a screen
shows exactly what the verb prints for anybody else.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import IO, Final

from echolot_tui.errors import EcholotError
from echolot_tui.text import visible

_MARKS: Final = ("[i] ", "[!] ", "→ ")
_ERRORS: Final = ("error: ", "config error: ", "Error: ")
_LINE_LIMIT: Final = 1 << 20
_POLL_S: Final = 0.005
_REAP_S: Final = 2.0


_running: set[int] = set()
"""Processes of ours that have not ended."""


async def run_verb(
    arguments: Sequence[str],
    on_line: Callable[[str], None],
    *,
    on_output: Callable[[bytes], Awaitable[None]] | None = None,
) -> bytes:
    """What the verb writes to stdout.

    Args:
        arguments: The verb and its flags.
        on_line: Told each line of its talk, made harmless.
        on_output: Told each line of stdout as it comes, where the verb goes on; nothing is returned then.

    Returns:
        All it printed. A verb that prints its model and still ends with a code other than 0 says in the
        model what is wrong, such as a failed check.

    Raises:
        EcholotError: It refused or failed; the sentence is its own.
        asyncio.CancelledError: The caller gave up; the process and its workers are gone.
    """
    process = subprocess.Popen(
        (sys.executable, "-m", "echolot_tui", "--headless", *arguments),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    _running.add(process.pid)
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        async with _stream(process.stdout) as answer, _stream(process.stderr) as said:
            printed, talk = await asyncio.gather(_read(answer, on_output), _listen(said, on_line))
        while process.poll() is None:
            await asyncio.sleep(_POLL_S)
    finally:
        _running.discard(process.pid)
        if process.poll() is None:
            _kill_group(process.pid)
            await _reap(process)
        process.stdout.close()
        process.stderr.close()
    if process.returncode != 0 and not printed:
        raise EcholotError(_reason(talk, process.returncode))
    return printed


def stop_all() -> None:
    """End every verb that still runs; safe in a signal handler."""
    for pid in tuple(_running):
        _kill_group(pid)


async def _reap(process: subprocess.Popen[bytes]) -> None:
    """Wait for a killed process, also when the caller is cancelled once more, as at the app's end."""
    loop = asyncio.get_running_loop()
    ending = loop.time() + _REAP_S
    while process.poll() is None and loop.time() < ending:
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(_POLL_S)


@contextlib.asynccontextmanager
async def _stream(pipe: IO[bytes]) -> AsyncIterator[asyncio.StreamReader]:
    """What comes through a pipe.

    The pipes are connected here and not by asyncio's own subprocesses: cancelled while it starts one, as
    by a person who leaves, Python 3.11 waits for ever.
    """
    reader = asyncio.StreamReader(limit=_LINE_LIMIT)
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), pipe
    )
    try:
        yield reader
    finally:
        transport.close()


async def _read(stream: asyncio.StreamReader, on_output: Callable[[bytes], Awaitable[None]] | None) -> bytes:
    if on_output is None:
        return await stream.read()
    async for raw in stream:
        await on_output(raw)
    return b""


async def _listen(stream: asyncio.StreamReader, on_line: Callable[[str], None]) -> list[str]:
    """All lines of the talk, each told as it comes."""
    lines: list[str] = []
    async for raw in stream:
        text = visible(raw.decode("utf-8", "replace").rstrip("\r\n"), 2000)
        if text:
            lines.append(text)
            on_line(_without_mark(text))
    return lines


def _without_mark(text: str) -> str:
    mark = next((mark for mark in _MARKS if text.startswith(mark)), "")
    return text.removeprefix(mark)


def _reason(talk: Sequence[str], code: int) -> str:
    for text in reversed(talk):
        for mark in _ERRORS:
            if text.startswith(mark):
                return text.removeprefix(mark)
    return talk[-1] if talk else f"the work ended with code {code} and said nothing"


def _kill_group(pid: int) -> None:
    """The process began a session of its own, so its workers go with it."""
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:  # it ended by itself meanwhile
        return
