"""Waiting for a folder to change: by the system's events where they come, by looking where not."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from watchfiles import Change, watch

from echolot_tui.collect.watch import Waiter

POLL_S: Final = 1.0
_PROBE_S: Final = 1.5
_PROBE: Final = ".echolot-probe-"
_STEP_MS: Final = 50


class Polling:
    """Knows nothing, so every second may have changed something."""

    def wait(self, seconds: float) -> bool:
        """As :class:`~echolot_tui.collect.watch.Waiter`."""
        time.sleep(min(max(seconds, 0.05), POLL_S))
        return True


class Events:
    """The system tells.

    Args:
        folder: The folder.
    """

    def __init__(self, folder: Path) -> None:
        self._stream: Iterator[set[tuple[Change, str]]] = watch(
            folder,
            watch_filter=None,
            recursive=False,
            debounce=200,
            step=_STEP_MS,
            rust_timeout=_STEP_MS * 4,
            yield_on_timeout=True,
            ignore_permission_denied=True,
            force_polling=False,
        )

    def wait(self, seconds: float) -> bool:
        """As :class:`~echolot_tui.collect.watch.Waiter`."""
        deadline = time.monotonic() + seconds
        while True:
            if any(not Path(path).name.startswith(_PROBE) for _, path in self._next()):
                return True
            if time.monotonic() >= deadline:
                return False

    def hears(self, folder: Path) -> bool:
        """Whether a file made in the folder is told; a folder that cannot be written cannot be asked."""
        probe = folder / f"{_PROBE}{secrets.token_hex(4)}"
        self._next()  # the watch begins with the first question
        try:
            probe.write_bytes(b"")
        except OSError:
            return False
        try:
            deadline = time.monotonic() + _PROBE_S
            while time.monotonic() < deadline:
                if any(Path(path).name == probe.name for _, path in self._next()):
                    return True
            return False
        finally:
            probe.unlink(missing_ok=True)

    def _next(self) -> set[tuple[Change, str]]:
        return next(self._stream)

    def close(self) -> None:
        """Stop listening."""
        close = getattr(self._stream, "close", None)
        if close is not None:
            close()


@contextmanager
def waiter_for(folder: Path, *, poll: bool) -> Iterator[Waiter]:
    """Events when they come from this folder, else polling.

    Args:
        folder: The folder.
        poll: Poll without asking.
    """
    if poll:
        yield Polling()
        return
    events = Events(folder)
    try:
        yield events if events.hears(folder) else Polling()
    finally:
        events.close()
