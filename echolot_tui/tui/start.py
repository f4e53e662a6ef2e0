"""Starts the app on a terminal, and leaves at once when that terminal goes away."""

from __future__ import annotations

import contextlib
import gc
import os
import select
import signal
import sys
import termios
import threading
from pathlib import Path
from typing import Any, Final, NoReturn

from platformdirs import user_log_path

from echolot_tui.present.opening import Opening
from echolot_tui.project.layout import STATE, find_config
from echolot_tui.tui.process import stop_all
from echolot_tui.tui.terminal import Capabilities

TerminalState = list[Any]
"""What ``termios.tcgetattr`` returns."""

HUNG_UP: Final = 129
"""Exit code after the terminal went away: 128 and the signal's number."""

_STDERR: Final = 2
"""Where Textual paints."""

_PLAIN_SCREEN: Final = (
    b"\x1b[?1000l\x1b[?1003l\x1b[?1006l\x1b[?1004l\x1b[?2004l\x1b[<u\x1b[?1049l\x1b[?25h\x1b[0m"
)
"""No mouse, no focus news, no bracketed paste, keys as ever, the first screen, a cursor, no colour."""


def start(opening: Opening, terminal: Capabilities) -> int:
    """Run the app until the person leaves; its exit code."""
    _prepare_textual(terminal)
    from echolot_tui.tui.app import EcholotApp  # noqa: PLC0415 - reads the variables set above when imported

    gc.freeze()  # what was imported stays; looking through it again and again takes 50 ms a time
    as_it_was = _terminal_state()
    for number in (signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, lambda number, _frame: hang_up(as_it_was, 128 + number))
    threading.Thread(target=_watch_terminal, args=(sys.stdin.fileno(),), name="terminal", daemon=True).start()
    app = EcholotApp(terminal, opening, log_folder=_log_folder())
    app.run(mouse=terminal.mouse)
    stop_all()
    return app.return_code or 0


def hang_up(as_it_was: TerminalState | None = None, code: int = HUNG_UP) -> NoReturn:
    """End now: work of ours must not outlive the person. A terminal that is still there is left usable.

    Args:
        as_it_was: Settings of the terminal before the app took it.
        code: Exit code.
    """
    stop_all()
    if as_it_was is not None:
        with contextlib.suppress(OSError, termios.error):  # mostly it is gone
            signal.signal(signal.SIGTTOU, signal.SIG_IGN)  # a shell may have taken it back already
            os.set_blocking(_STDERR, False)
            os.write(_STDERR, _PLAIN_SCREEN)
            termios.tcsetattr(_STDERR, termios.TCSANOW, as_it_was)
    os._exit(code)


def _terminal_state() -> TerminalState | None:
    try:
        return termios.tcgetattr(_STDERR)
    except termios.error:
        return None


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
