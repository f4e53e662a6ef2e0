"""What the pool's tests have its workers do; a module of its own, for workers import it."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import threading
import time
from pathlib import Path

import numpy as np

from echolot_tui.engine.model import QueryError, TraceSession
from echolot_tui.errors import EcholotError

ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT MAX(x) FROM c"


def count(session: TraceSession, table: str) -> object:
    return session.query(f"SELECT COUNT(*) FROM {table}").scalar()


def pid(session: TraceSession, payload: None) -> int:
    return os.getpid()


def echo(session: TraceSession, payload: object) -> object:
    return payload


def columns(session: TraceSession, sql: str) -> object:
    return session.query(sql)


def crash(session: TraceSession, payload: None) -> None:
    ctypes.string_at(0)


def abort(session: TraceSession, payload: None) -> None:
    os.write(2, b"first\nthe last words\n")
    os.abort()


def leave(session: TraceSession, code: int) -> None:
    os._exit(code)


def leave_later(session: TraceSession, seconds: float) -> int:
    threading.Timer(seconds, os._exit, [1]).start()
    return os.getpid()


def hang(session: TraceSession, payload: None) -> None:
    time.sleep(600)


def spin(session: TraceSession, payload: None) -> None:
    session.query(ENDLESS)


def swallow(session: TraceSession, payload: None) -> str:
    """Goes on after the engine died, as a detector runner does."""
    try:
        session.query(ENDLESS)
    except QueryError:
        return "went on"
    return "never"


def fill(session: TraceSession, megabytes: int) -> float:
    return float(np.ones(megabytes << 17).sum())


def refuse(session: TraceSession, payload: str) -> None:
    raise EcholotError(payload, where="here", todo="do that")


def defect(session: TraceSession, payload: None) -> None:
    raise ZeroDivisionError("a defect")


def unpicklable(session: TraceSession, payload: None) -> object:
    return lambda: None


def mark_and_hang(session: TraceSession, mark: Path) -> None:
    """Say who is there, with a child of its own, then hang inside the engine."""
    child = subprocess.Popen(["sleep", "600"])
    mark.write_text(f"{os.getpid()} {child.pid}")
    session.query(ENDLESS)


def ignore_and_hang(session: TraceSession, mark: Path) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    mark_and_hang(session, mark)
