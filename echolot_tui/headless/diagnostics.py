"""The only writer to stderr: notes, warnings, errors and progress."""

from __future__ import annotations

import sys
import time

from echolot_tui.errors import EcholotError
from echolot_tui.text import visible

_CLEAR_LINE = "\r\x1b[K"
_LIVE_AFTER_S = 0.3
"""Work done sooner than this shows no progress."""


class Talk:
    """What the command line says beside its results.

    Names of files and arguments are as hostile as what a trace holds: whatever is said is made visible here.
    """

    def __init__(self) -> None:
        self._live = sys.stderr is not None and sys.stderr.isatty()  # None: closed by the caller
        self._shown = False
        self._since = time.monotonic()

    def note(self, text: str) -> None:
        """Something worth knowing."""
        self._line(f"[i] {text}")

    def warn(self, text: str) -> None:
        """Something that may be wrong."""
        self._line(f"[!] {text}")

    def wrote(self, path: object) -> None:
        """A file that was written."""
        self._line(f"→ {path}")

    def error(self, error: EcholotError) -> None:
        """Why the command stops."""
        self._line(f"{error.prefix}: {error.sentence}")

    def progress(self, text: str, *, milestone: bool = False) -> None:
        """Where the work stands: one rewritten line on a terminal, elsewhere a line per milestone."""
        if self._live:
            if time.monotonic() - self._since >= _LIVE_AFTER_S:
                sys.stderr.write(f"{_CLEAR_LINE}{visible(text, 78)}")
                sys.stderr.flush()
                self._shown = True
        elif milestone:
            self._line(f"[i] {text}")

    def done(self) -> None:
        """Take the progress line away."""
        if self._shown:
            sys.stderr.write(_CLEAR_LINE)
            sys.stderr.flush()
            self._shown = False
        self._since = time.monotonic()

    def _line(self, text: str) -> None:
        self.done()
        sys.stderr.write(f"{visible(text)}\n")
        sys.stderr.flush()


talk = Talk()
