"""Commands in a group of their own, which never outlives whoever waits for them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from echolot_tui.collect.child import Ended, run_shell
from echolot_tui.collect.control import leave_request
from echolot_tui.collect.model import Request
from echolot_tui.collect.runner import Stopped
from recording import listening


def _run(command: str, tmp_path: Path, timeout_s: float = 20.0) -> Ended:
    return run_shell(
        command, folder=tmp_path, env=dict(os.environ), timeout_s=timeout_s, control=listening(tmp_path)
    )


def _gone(pid: int) -> bool:
    """Whether a process ended; one that only waits to be buried counts."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return True
    return state in "ZX"


def _until(condition, seconds: float = 10.0) -> bool:  # type: ignore[no-untyped-def]
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def test_code_and_last_lines_of_both_streams(tmp_path: Path) -> None:
    ended = _run(
        "for i in $(seq 100); do echo line $i; done; printf 'bad \\033[31m\\n' >&2; exit 3", tmp_path
    )
    assert ended.code == 3
    assert len(ended.tail) == 20
    assert ended.tail[-1] == "bad \\x1b[31m"
    assert ended.how == "ended with exit code 3"


def test_it_runs_in_its_folder_without_input(tmp_path: Path) -> None:
    assert _run("pwd; cat", tmp_path).tail == (str(tmp_path),)


def test_a_signal_is_named(tmp_path: Path) -> None:
    assert _run("kill -SEGV $$", tmp_path).how == "was ended by SIGSEGV"


def test_too_long_ends_the_whole_group(tmp_path: Path) -> None:
    ended = _run("sleep 300 & echo $! > child; trap '' TERM; sleep 300", tmp_path, timeout_s=0.4)
    assert ended.code is None
    child = int((tmp_path / "child").read_text())
    assert _until(lambda: _gone(child))


def test_what_it_leaves_in_the_background_ends_with_it(tmp_path: Path) -> None:
    begun = time.monotonic()
    assert _run("sleep 300 & echo $! > child", tmp_path).code == 0
    assert time.monotonic() - begun < 5
    assert _until(lambda: _gone(int((tmp_path / "child").read_text())))


def test_a_stop_ends_it(tmp_path: Path) -> None:
    leave_request(tmp_path / "request.json", Request(collect="c1", stop="now"))
    with pytest.raises(Stopped):
        _run("echo $$ > leader; sleep 300", tmp_path)


def test_killing_the_one_who_waits_ends_the_command(tmp_path: Path) -> None:
    program = (
        "import os; from pathlib import Path; from recording import listening;"
        "from echolot_tui.collect.child import run_shell;"
        f"p = Path({str(tmp_path)!r});"
        "run_shell('echo $$ > leader; sleep 300 & echo $! > child; wait', folder=p, env=dict(os.environ),"
        " timeout_s=99, control=listening(p))"
    )
    waiter = subprocess.Popen(
        [sys.executable, "-c", program], env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    )
    files = [tmp_path / "leader", tmp_path / "child"]
    assert _until(lambda: all(file.exists() and file.read_text().endswith("\n") for file in files))
    waiter.send_signal(signal.SIGKILL)
    waiter.wait()
    for file in files:
        assert _until(lambda file=file: _gone(int(file.read_text())))
