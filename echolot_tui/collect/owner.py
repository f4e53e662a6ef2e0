"""Which process this is, and whether the one that wrote something is still there."""

from __future__ import annotations

import os
import socket
import subprocess
from pathlib import Path

from echolot_tui.collect.model import Owner


def this_process() -> Owner:
    """The calling process."""
    return Owner(pid=os.getpid(), started=_started(os.getpid()) or "", host=socket.gethostname())


def is_alive(owner: Owner) -> bool:
    """Whether exactly this process still runs; one of another machine is taken for alive."""
    if owner.host != socket.gethostname():
        return True
    return _started(owner.pid) == owner.started


def _started(pid: int) -> str | None:
    """When the process started, as the system tells it; ``None`` when there is no such process."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return None if Path("/proc/self/stat").exists() else _started_by_ps(pid)
    except ProcessLookupError:  # it ended between opening and reading
        return None
    fields = stat.rpartition(")")[2].split()  # the name before it may hold blanks and brackets
    is_zombie = fields[0] in {"Z", "X"}
    return None if is_zombie else f"{_boot()} {fields[19]}"


def _boot() -> str:
    """Start times count from the boot, so the boot belongs to them."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return ""


def _started_by_ps(pid: int) -> str | None:
    done = subprocess.run(
        ["ps", "-o", "lstart=", "-p", str(pid)],
        capture_output=True,
        text=True,
        check=False,
        env={"LC_ALL": "C"},
    )
    return done.stdout.strip() or None
