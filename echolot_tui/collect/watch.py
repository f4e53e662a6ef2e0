"""A folder that some other tool fills: which traces are complete, which were replaced, which are gone."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, Protocol

from echolot_tui.errors import EcholotError
from echolot_tui.frozen import Frozen
from echolot_tui.measure.inputs import is_trace, natural_key

SETTLED_S: Final = 1.0
"""A file that has not changed for so long is complete."""

LATEST: Final = 100
"""So many of the newest traces make the set, whatever else lies in the folder."""

_UNFINISHED: Final = frozenset({".part", ".partial", ".tmp", ".temp", ".crdownload", ".download"})
"""Endings tools give to what they are still writing."""

_RESULTS: Final = frozenset({"report.json", "rows.json", "comparison.json"})


class WatchError(EcholotError):
    """The folder cannot be watched."""


class FolderChange(Frozen, frozen=True, kw_only=True):
    """What is different, and the set there is now."""

    new: tuple[str, ...] = ()
    replaced: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    """Names, in natural order."""
    traces: tuple[str, ...] = ()
    """The set: paths in run order, the newest when the folder holds more."""
    older: int = 0
    """Traces of the folder that are not in the set."""
    growing: int = 0
    """Files that are still being written."""


class Waiter(Protocol):
    """Waits for something to happen in the folder."""

    def wait(self, seconds: float) -> bool:
        """Wait at most so long.

        Returns:
            Whether the folder may have changed; also when that cannot be known.
        """


class _Look(Frozen, frozen=True, kw_only=True):
    """One file as it looked, and since when it looks so."""

    size: int
    mtime_ns: int
    inode: int
    since: float


class Folder:
    """Turns looks at a folder into changes of its set of complete traces.

    Keeps a few numbers a file, nothing of its content.

    Args:
        path: The folder.
        settled_s: A file is complete when it has not changed for so long.
        latest: How many of the newest traces make the set.
    """

    def __init__(self, path: Path, *, settled_s: float = SETTLED_S, latest: int = LATEST) -> None:
        self._path = path
        self._settled_s = settled_s
        self._latest = latest
        self._looks: dict[str, _Look] = {}
        self._complete: dict[str, _Look] = {}
        self._no_traces: dict[str, _Look] = {}

    @property
    def is_quiet(self) -> bool:
        """Whether every file is complete, or no trace."""
        return self.growing == 0

    @property
    def growing(self) -> int:
        """Files that changed too recently to be called complete."""
        return sum(not self._is_decided(name, look) for name, look in self._looks.items())

    def look(self, now: float) -> FolderChange | None:
        """Look at the folder again.

        Args:
            now: Seconds on a clock that only goes forward.

        Returns:
            The change of its set of complete traces, ``None`` when there is none.

        Raises:
            WatchError: The folder is gone or cannot be read.
        """
        self._looks = self._scan(now)
        gone = [name for name in self._complete if name not in self._looks]
        for known in (self._complete, self._no_traces):
            for name in [name for name in known if name not in self._looks]:
                del known[name]
        new: list[str] = []
        replaced: list[str] = []
        for name, look in self._looks.items():
            if self._is_decided(name, look) or now - look.since < self._settled_s:
                continue
            if not is_trace(self._path / name):
                self._no_traces[name] = look
                if self._complete.pop(name, None) is not None:
                    gone.append(name)
                continue
            self._no_traces.pop(name, None)
            (replaced if name in self._complete else new).append(name)
            self._complete[name] = look
        if not (new or replaced or gone):
            return None
        return self._change(new, replaced, gone)

    def _change(self, new: Sequence[str], replaced: Sequence[str], gone: Sequence[str]) -> FolderChange:
        newest = sorted(self._complete, key=lambda name: (self._complete[name].mtime_ns, natural_key(name)))
        chosen = sorted(newest[-self._latest :], key=natural_key)
        return FolderChange(
            new=tuple(sorted(new, key=natural_key)),
            replaced=tuple(sorted(replaced, key=natural_key)),
            gone=tuple(sorted(gone, key=natural_key)),
            traces=tuple(str(self._path / name) for name in chosen),
            older=len(newest) - len(chosen),
            growing=self.growing,
        )

    def _is_decided(self, name: str, look: _Look) -> bool:
        return any(
            (known := of.get(name)) is not None and _same(known, look)
            for of in (self._complete, self._no_traces)
        )

    def _scan(self, now: float) -> dict[str, _Look]:
        """Every file that may be a trace; one that looks as before keeps the time it began to look so."""
        found: dict[str, _Look] = {}
        try:
            with os.scandir(self._path) as entries:
                for entry in entries:
                    if _may_be_trace(entry.name) and (look := _look(entry, now)) is not None:
                        before = self._looks.get(entry.name)
                        found[entry.name] = before if before is not None and _same(before, look) else look
        except OSError as error:
            raise WatchError(
                f"the folder cannot be read ({error.strerror or error})",
                where=str(self._path),
                todo="watch it again when it is there",
            ) from error
        return found


def changes(
    folder: Folder, waiter: Waiter, *, once: bool, tick_s: float = 0.2, rescan_s: float = 5.0
) -> Iterator[FolderChange]:
    """Every change of the folder's set, as it happens.

    Args:
        folder: The folder.
        waiter: Wakes when something happened; what it misses is found by looking every ``rescan_s``.
        once: End when everything there is complete.
        tick_s: How often to look while a file is still being written.
        rescan_s: How often to look when nothing seems to happen.
    """
    looked = float("-inf")
    while True:
        now = time.monotonic()
        change = folder.look(now)
        looked = now
        if change is not None:
            yield change
        if once and folder.is_quiet:
            return
        while True:
            waiting = tick_s if not folder.is_quiet else max(looked + rescan_s - time.monotonic(), 0.0)
            happened = waiter.wait(waiting)
            if happened or not folder.is_quiet or time.monotonic() - looked >= rescan_s:
                break


def _may_be_trace(name: str) -> bool:
    return not name.startswith(".") and name not in _RESULTS and Path(name).suffix.lower() not in _UNFINISHED


def _look(entry: os.DirEntry[str], now: float) -> _Look | None:
    try:
        if not entry.is_file():
            return None
        status = entry.stat()
    except FileNotFoundError:  # gone between listing and looking
        return None
    return _Look(size=status.st_size, mtime_ns=status.st_mtime_ns, inode=status.st_ino, since=now)


def _same(one: _Look, other: _Look) -> bool:
    return (one.size, one.mtime_ns, one.inode) == (other.size, other.mtime_ns, other.inode)
