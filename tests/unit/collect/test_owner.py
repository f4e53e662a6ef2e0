"""Whether the process that wrote something is still there."""

from __future__ import annotations

import subprocess
import sys
import time

import msgspec
from msgspec.structs import replace

from echolot_tui.collect import owner
from echolot_tui.collect.model import Owner


def test_this_process_is_alive_and_another_start_of_its_pid_is_not() -> None:
    me = owner.this_process()
    assert owner.is_alive(me)
    assert not owner.is_alive(replace(me, started=f"{me.started}0"))


def test_a_process_that_ended_is_not_alive_even_before_it_is_buried() -> None:
    program = (
        "import msgspec, sys; from echolot_tui.collect.owner import this_process;"
        "sys.stdout.buffer.write(msgspec.json.encode(this_process()) + b'\\n'); sys.stdout.flush();"
        "sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        other = msgspec.json.decode(process.stdout.readline(), type=Owner)
        assert owner.is_alive(other)
        process.stdin.close()
        process.stdout.read()
        deadline = time.monotonic() + 10
        while owner.is_alive(other) and time.monotonic() < deadline:
            time.sleep(0.02)
        assert not owner.is_alive(other)  # a zombie: nobody has waited for it yet
    assert not owner.is_alive(other)


def test_a_process_of_another_machine_counts_as_alive() -> None:
    assert owner.is_alive(Owner(pid=1, started="x", host="another machine"))


def test_without_proc_the_start_comes_from_ps(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    asked: list[list[str]] = []

    def run(command: list[str], **_given: object) -> subprocess.CompletedProcess[str]:
        asked.append(command)
        return subprocess.CompletedProcess(command, 0, stdout="Mon Jan  1 00:00:00 2026\n", stderr="")

    monkeypatch.setattr(owner.subprocess, "run", run)
    assert owner._started_by_ps(5) == "Mon Jan  1 00:00:00 2026"
    assert asked == [["ps", "-o", "lstart=", "-p", "5"]]
