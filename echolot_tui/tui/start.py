"""Starts the app on a terminal, and leaves at once when that terminal goes away."""

from __future__ import annotations

import gc
import os
import select
import signal
import sys
import threading
from pathlib import Path
from typing import Final, NoReturn

from platformdirs import user_log_path

from echolot_tui.present.opening import Opening
from echolot_tui.project.layout import STATE, find_config
from echolot_tui.tui.process import stop_all
from echolot_tui.tui.terminal import Capabilities

HUNG_UP: Final = 129
"""Exit code after the terminal went away: 128 and the signal's number."""


def start(opening: Opening, terminal: Capabilities) -> int:
    """Run the app until the person leaves; its exit code."""
    _prepare_textual(terminal)
    from echolot_tui.tui.app import EcholotApp  # noqa: PLC0415 - reads the variables set above when imported

    gc.freeze()  # what was imported stays; looking through it again and again takes 50 ms a time
    signal.signal(signal.SIGHUP, lambda _number, _frame: hang_up())
    threading.Thread(target=_watch_terminal, args=(sys.stdin.fileno(),), name="terminal", daemon=True).start()
    app = EcholotApp(terminal, opening, log_folder=_log_folder())
    app.run(mouse=terminal.mouse)
    stop_all()
    return app.return_code or 0


def hang_up() -> NoReturn:
    """End now: there is no terminal left to restore, and work of ours must not outlive the person."""
    stop_all()
    os._exit(HUNG_UP)


def _watch_terminal(fd: int) -> None:
    """Wait for the other end to hang up; where SIGHUP is ignored nobody else notices."""
    poller = select.poll()
    poller.register(fd, 0)
    while True:
        for _, event in poller.poll():
            if event & (select.POLLHUP | select.POLLERR | select.POLLNVAL):
                hang_up()


def _prepare_textual(terminal: Capabilities) -> None:
    """Textual reads these when it is imported."""
    os.environ.setdefault("TEXTUAL_ANIMATIONS", "none")
    os.environ.setdefault("TEXTUAL_FPS", "20" if terminal.remote or terminal.multiplexed else "60")
    os.environ.setdefault("TEXTUAL_SMOOTH_SCROLL", "0")


def _log_folder() -> Path:
    config = find_config(Path.cwd())
    return config.parent / STATE / "log" if config is not None else Path(user_log_path("echolot"))
