"""What an argument names: a report, a trace, a pattern, a folder of traces."""

from __future__ import annotations

import difflib
import glob
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Final

import msgspec

from echolot_tui.engine.formats import sniff
from echolot_tui.errors import EcholotError
from echolot_tui.frozen import Frozen
from echolot_tui.text import visible

REPORT_NAME: Final = "report.json"
_TRACE_SUFFIXES: Final = frozenset({".perfetto-trace", ".pftrace", ".perfetto", ".ptrace", ".systrace"})
"""Endings only traces have: such a file counts as a run even when it is empty or damaged."""
_LISTED: Final = 5
_HEAD_BYTES: Final = 1 << 16
_DIGITS: Final = re.compile(r"([0-9]+)")
_REPORT_START: Final = re.compile(rb'\s*\{\s*"schema"\s*:\s*[0-9]+\s*,\s*"(kind|generated_at)"\s*:')


class ReportInput(Frozen, frozen=True, kw_only=True):
    """A report file, or the one in a folder."""

    given: str
    path: Path


class TracesInput(Frozen, frozen=True, kw_only=True):
    """Traces, in run order."""

    given: str
    paths: tuple[Path, ...]
    others: tuple[str, ...] = ()
    """Files beside them that are no traces."""


def resolve_side(given: str) -> ReportInput | TracesInput:
    """What one side of a comparison is.

    Args:
        given: A report file, a trace, a pattern, a folder of traces, or a folder with a ``report.json``.

    Raises:
        EcholotError: Nothing there, a pattern without a match, a folder without traces.
    """
    path = _reached(given)
    if path.is_dir():
        report = path / REPORT_NAME
        return ReportInput(given=given, path=report) if report.is_file() else _folder(given, path)
    if path.is_file() and _is_report(path):
        return ReportInput(given=given, path=path)
    return _traces(given)


def resolve_traces(given: Sequence[str]) -> TracesInput:
    """The traces that arguments name: files, patterns and folders, in the order given.

    A list in alphabetical order is what a shell makes of a pattern: its runs are put in natural order.

    Raises:
        EcholotError: As :func:`resolve_side`; also for a report where traces are expected.
    """
    if not given:
        raise EcholotError("no trace was named", todo="name a trace, a folder of traces or a quoted pattern")
    ordered = sorted(given, key=natural_key) if list(given) == sorted(given) else given
    paths: list[Path] = []
    others: list[str] = []
    for argument in ordered:
        path = _reached(argument)
        part = _folder(argument, path) if path.is_dir() else _traces(argument)
        if path.is_file() and _is_report(path):
            raise EcholotError(
                "this is a report, not a trace", where=argument, todo="name the traces instead"
            )
        paths += part.paths
        others += part.others
    return TracesInput(given=" ".join(given), paths=tuple(paths), others=tuple(others))


def _reached(given: str) -> Path:
    """The path an argument names, once it is known that the way there is open.

    Raises:
        EcholotError: The system refuses to look: no permission on the way, or a name that is too long.
    """
    path = Path(given)
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        pass  # what is missing, and what is near it, is told later
    except OSError as error:
        raise EcholotError(
            f"cannot be read ({error.strerror or error})", where=visible(given, 200)
        ) from error
    return path


def natural_key(name: str) -> tuple[tuple[tuple[str, int], ...], str]:
    """Sort key that puts ``iter2`` before ``iter10``."""
    parts = _DIGITS.split(name)
    return tuple(("", int(part)) if index % 2 else (part, 0) for index, part in enumerate(parts)), name


def _traces(given: str) -> TracesInput:
    path = Path(given)
    if path.is_file():
        return TracesInput(given=given, paths=(path,))
    if path.exists():
        raise EcholotError("this is neither a file nor a folder", where=given)
    if not glob.has_magic(given):
        raise EcholotError(_missing(path), where=given)
    found = glob.glob(given, recursive=True)  # noqa: PTH207 - the pattern may be absolute, and keeps its spelling
    paths = _natural(map(Path, found), Path.is_file)
    if not paths:
        raise EcholotError(
            "no file matches this pattern", where=given, todo="check the folder, and quote the pattern"
        )
    return TracesInput(given=given, paths=paths)


def _folder(given: str, folder: Path) -> TracesInput:
    try:
        files = _natural(folder.iterdir(), lambda path: path.is_file() and not path.name.startswith("."))
    except OSError as error:
        raise EcholotError(f"cannot be listed ({error.strerror or error})", where=given) from error
    paths = tuple(path for path in files if is_trace(path))
    others = tuple(path.name for path in files if path not in set(paths))
    if not paths:
        raise EcholotError(_no_traces(others), where=given, todo="name a folder that holds the runs' traces")
    return TracesInput(given=given, paths=paths, others=others)


def _natural(paths: Iterable[Path], keep: Callable[[Path], bool]) -> tuple[Path, ...]:
    return tuple(sorted(filter(keep, paths), key=lambda path: natural_key(str(path))))


def is_trace(path: Path) -> bool:
    """Whether a file counts as a run: by its ending, or by what its first bytes are."""
    if path.suffix in _TRACE_SUFFIXES:
        return True
    return sniff(path) is not None and not _is_report(path)


class _TopLevel(msgspec.Struct):
    """The keys that tell a report from a trace in JSON."""

    detectors: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    kind: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    events: msgspec.Raw | msgspec.UnsetType = msgspec.field(default=msgspec.UNSET, name="traceEvents")


def _is_report(path: Path) -> bool:
    """Whether a file is one of echolot's own; what exactly it is, and if it is sound, its reader says."""
    if path.name == REPORT_NAME:
        return True
    try:
        with path.open("rb") as handle:
            head = handle.read(_HEAD_BYTES)
            if not head.lstrip().startswith(b"{") or b'"traceEvents"' in head:
                return False
            keys = msgspec.json.decode(head + handle.read(), type=_TopLevel)
    except msgspec.MsgspecError:  # cut off: told from how a report begins
        return _REPORT_START.match(head) is not None
    except OSError:  # whatever is wrong with it, it is no report
        return False
    return keys.events is msgspec.UNSET and not (keys.detectors is keys.kind is msgspec.UNSET)


def _missing(path: Path) -> str:
    """Why a name leads nowhere, with the nearest name that does."""
    if path.is_symlink():
        return f"this link leads to {path.readlink()}, which is not there"
    folder = path.parent
    if not folder.is_dir():
        return f"there is no such file, nor its folder {folder}"
    near = difflib.get_close_matches(path.name, sorted(entry.name for entry in folder.iterdir()), n=1)
    return f"there is no such file; the nearest name there is {near[0]}" if near else "there is no such file"


def _no_traces(others: tuple[str, ...]) -> str:
    if not others:
        return "the folder is empty"
    shown = ", ".join(visible(name, 60) for name in others[:_LISTED])
    rest = f" and {len(others) - _LISTED} more" if len(others) > _LISTED else ""
    return f"the folder holds no traces, only {shown}{rest}"
