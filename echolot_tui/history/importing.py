"""Folders of results, ours and other tools': which files are what, and which commit each belongs to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from echolot_tui.errors import EcholotError
from echolot_tui.frozen import Frozen
from echolot_tui.history import policy
from echolot_tui.history.formats import google_benchmark, hyperfine, macrobenchmark, pyperf
from echolot_tui.history.measured import Run, joined
from echolot_tui.history.reports import run_of
from echolot_tui.project.files import read_bytes, sha256_of
from echolot_tui.report.codec import decode_report, decode_rows

_FORMATS: Final[tuple[ModuleType, ...]] = (macrobenchmark, pyperf, google_benchmark, hyperfine)
_HASH: Final = re.compile(r"(?<![0-9a-zA-Z])[0-9a-f]{7,40}(?![0-9a-zA-Z])")
_DIGITS: Final = re.compile(r"(\d+)")


class ImportedFile(Frozen, frozen=True, kw_only=True):
    """One file that was read."""

    path: str
    sha256: str
    run: Run
    label: str
    """What the file, its name or its folder says of the commit; else the path itself."""
    note: str | None = None
    """What was left out."""


def result_files(given: Sequence[str]) -> list[tuple[Path, Path]]:
    """The JSON files meant, each with the folder it was found under, in natural order of their names.

    Raises:
        EcholotError: A path is not there.
    """
    found: dict[Path, Path] = {}
    for text in given:
        path = Path(text)
        if path.is_dir():
            inside = sorted((each for each in path.rglob("*.json") if each.is_file()), key=natural)
            found |= {each: path for each in inside if each.name not in {"rows.json", "comparison.json"}}
        elif path.is_file():
            found[path] = path.parent
        else:
            raise EcholotError("there is no such file or folder", where=text)
    return list(found.items())


def read_result(path: Path, root: Path, *, machine: str | None = None) -> ImportedFile:
    """Read one file of any known kind.

    Raises:
        EcholotError: Unreadable, or of no known kind.
    """
    raw = read_bytes(path)
    run, note = _run(raw, path, machine)
    if machine is not None:
        run = replace(run, set=replace(run.set, model=machine))
    label = run.commit or _label(path, root)
    return ImportedFile(path=str(path), sha256=sha256_of(raw), run=run, label=label, note=note)


def read_report(path: Path, *, machine: str | None = None) -> ImportedFile:
    """Read a ``report.json``, or the one in a folder.

    Raises:
        EcholotError: There is none, or it is none.
    """
    file = path / "report.json" if path.is_dir() else path
    raw = read_bytes(file)
    run, note = _report_run(raw, file, machine)
    return ImportedFile(path=str(file), sha256=sha256_of(raw), run=run, label="", note=note)


def _run(raw: bytes, path: Path, machine: str | None) -> tuple[Run, str | None]:
    try:
        document = msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise EcholotError(f"is no JSON: {error}", where=str(path)) from error
    if isinstance(document, dict):
        if "detectors" in document:
            return _report_run(raw, path, machine)
        for form in _FORMATS:
            if form.recognises(document):
                return _converted(form, document, path), None
    raise EcholotError(
        "is no result of a known tool",
        where=str(path),
        todo="known are echolot, pyperf, Google Benchmark, hyperfine and Android's benchmark libraries",
    )


def _converted(form: ModuleType, document: dict[str, Any], path: Path) -> Run:
    try:
        run: Run = form.read(document)
    except msgspec.ValidationError as error:
        name = form.__name__.rpartition(".")[2]
        raise EcholotError(f"looks like {name}, but {error}", where=str(path)) from error
    _refuse_unusable(run, path)
    return replace(run, measured=joined(run.measured))


def _refuse_unusable(run: Run, path: Path) -> None:
    for each in run.measured:
        if any(abs(value) > policy.LARGEST for value in (each.value, *each.values)):
            raise EcholotError(
                f'{each.metric} of "{each.name}" is beyond {policy.LARGEST:g}, too large to compare',
                where=str(path),
            )


def _report_run(raw: bytes, path: Path, machine: str | None) -> tuple[Run, str | None]:
    report = decode_report(raw, where=str(path))
    beside = path.with_name("rows.json")
    rows, note = None, None
    if beside.is_file():
        try:
            rows = decode_rows(read_bytes(beside), where=str(beside), report=raw)
        except EcholotError as error:
            note = f"{error.sentence}; rows under the bar are not kept"
    run = run_of(report, rows, machine=machine)
    _refuse_unusable(run, path)
    return run, note


def _label(path: Path, root: Path) -> str:
    """The nearest thing to a commit in the path: a hash in the file's or a folder's name, else the path."""
    inside = path.relative_to(root)
    for part in (inside.stem, *(folder.name for folder in inside.parents)):
        hashes = [found for found in _HASH.findall(part) if _may_be_a_hash(found)]
        if hashes:
            return str(max(hashes, key=len))
    if inside.name == "report.json":
        return str(inside.parent) if len(inside.parts) > 1 else path.resolve().parent.name
    return str(inside.with_suffix(""))


def _may_be_a_hash(text: str) -> bool:
    """Digits alone are a date or a time more often: results of one day must not become one commit."""
    return not text.isdigit() or len(text) in {7, 40}


def natural(path: Path) -> list[tuple[int, int, str]]:
    """Sort key by which ``run2`` comes before ``run10``."""
    return list(_parts(str(path)))


def _parts(text: str) -> Iterator[tuple[int, int, str]]:
    for part in _DIGITS.split(text):
        yield (0, int(part), part) if part.isdigit() and part.isascii() else (1, 0, part)
