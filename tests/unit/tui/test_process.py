"""Verbs run in processes of their own: their answer, their talk, their refusal, and their end."""

from __future__ import annotations

import asyncio
import gc
import os
import time
import warnings
from collections.abc import Coroutine
from pathlib import Path

import pytest

from echolot_tui.errors import EcholotError
from echolot_tui.tui import process
from echolot_tui.tui.process import run_verb, stop_all


async def test_the_answer_is_what_the_verb_prints(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    printed = await run_verb(["schema", "comparison"], lambda _: None)
    assert b'"echolot comparison"' in printed


async def test_a_refusal_is_the_verbs_own_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(EcholotError, match=r"^absent: there is no such file"):
        await run_verb(["compare", "--json", "absent", "gone"], lambda _: None)


async def test_talk_is_told_line_by_line_harmless_and_without_its_mark(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    nasty = tmp_path / "no\x1b[31m.json"
    nasty.write_text('{"detectors": []}')
    told: list[str] = []
    await run_verb(["compare", "--json", str(nasty), str(nasty)], told.append)
    assert told == ["no config and no -o: nothing is written"]
    with pytest.raises(EcholotError, match=r"\\x1b"):
        await run_verb(["report", str(tmp_path / "gone\x1b]0;x")], told.append)


async def sleeping(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> tuple[asyncio.Task[bytes], int]:
    """A verb that takes long: a program of that name in the place of Python."""
    program = tmp_path / "slow"
    pids = tmp_path / "pids"
    program.write_text(f"#!/bin/sh\nsleep 60 &\necho $$ $! > {pids}.new; mv {pids}.new {pids}\nwait\n")
    program.chmod(0o755)
    monkeypatch.setattr(process.sys, "executable", str(program))
    task = asyncio.create_task(run_verb(["compare"], lambda _: None))
    while not pids.exists():
        await asyncio.sleep(0.01)
    return task, int(pids.read_text().split()[1])


def is_gone(pid: int) -> bool:
    end = time.monotonic() + 5
    while time.monotonic() < end:
        try:
            os.kill(pid, 0)
            state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
        except (ProcessLookupError, FileNotFoundError):
            return True
        if state == "Z":
            return True
        time.sleep(0.01)
    return False


async def test_giving_up_ends_the_verb_and_its_workers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    task, worker = await sleeping(monkeypatch, tmp_path)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert is_gone(worker)


async def test_leaving_ends_everything_that_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    task, worker = await sleeping(monkeypatch, tmp_path)
    stop_all()
    assert is_gone(worker)
    with pytest.raises(EcholotError, match="ended with code -9"):
        await task


def left_behind(work: Coroutine[None, None, object]) -> list[str]:
    """What Python says was left open by a loop that ran this and ended."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        asyncio.run(work)
        gc.collect()
    return [str(warning.message) for warning in said]


@pytest.mark.parametrize("cancels", [0, 1, 2])  # the loop's own end is one more
def test_a_loop_that_ends_leaves_no_process_and_no_open_pipe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cancels: int
) -> None:
    pids: list[int] = []

    async def leave() -> None:
        task, pid = await sleeping(monkeypatch, tmp_path)
        pids.append(pid)
        for _ in range(cancels):
            task.cancel()
            await asyncio.sleep(0)

    assert left_behind(leave()) == []
    assert is_gone(pids[0])


@pytest.mark.parametrize("steps", range(8))
def test_leaving_while_a_verb_starts_leaves_nothing(steps: int) -> None:
    async def leave() -> None:
        task = asyncio.create_task(run_verb(["schema", "comparison"], lambda _: None))
        for _ in range(steps):
            await asyncio.sleep(0)
        task.cancel()

    assert left_behind(leave()) == []
