"""R8's and ProGuard's ``mapping.txt``, read class by class: a file of any size needs the memory of one.

Format: https://r8.googlesource.com/r8/+/refs/heads/main/doc/retrace.md. Of the JSON comments those that
name the source file and synthesized code are read, of the others only ``pg_map_id``; fields are skipped.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from typing import Final, NamedTuple

from echolot_tui.errors import EcholotError
from echolot_tui.text import visible

_CLASS: Final = re.compile(r"(?P<original>\S.*?) -> (?P<minified>\S.*):")
_METHOD: Final = re.compile(
    r"(?:([0-9]{1,9}):([0-9]{1,9}):)?([^\s:]+) ([^\s(][^(]*)\(([^()]*)\)"
    r"(?::([0-9]{1,9})(?::([0-9]{1,9}))?)? -> (\S.*)"
)
_FIELD: Final = re.compile(r"(?:[0-9]+:[0-9]+:)?[^\s:]+ [^\s()][^()]* -> \S.*")
_MAP_ID: Final = re.compile(r"#\s*pg_map_id:\s*(\S+)")

_BOM: Final = b"\xef\xbb\xbf"
_CLASS_LINE: Final = "a class line like original.Name -> a.b:"
_AGAIN: Final = "copy the file again from the build"
_MEMBER_LINE: Final = "an indented line like 1:3:void load(int):10:12 -> a"


class MappingError(EcholotError):
    """A line of the mapping is not what its place asks for."""


class MappedMethod(NamedTuple):
    """One method line: code that runs under the name ``minified`` and came from ``owner.name``."""

    first: int | None
    """First line as recorded; ``None`` where the line names no lines, which stands for all."""
    last: int | None
    owner: str
    """Original class; another one than the block's for inlined and moved code."""
    name: str
    parameters: str
    """Original types, separated by commas."""
    returns: str
    original_first: int | None
    """First line in the source; ``None`` where lines were not changed."""
    original_last: int | None
    """``None`` when every line stands for the one in ``original_first``."""
    minified: str

    def source_line(self, line: int) -> int | None:
        """The source's line of a recorded one inside the range; ``None`` where the file has none.

        Args:
            line: As recorded.
        """
        if self.original_first is None:
            return line
        if self.original_first == 0:
            return None
        if self.first is None or self.original_last is None:
            return self.original_first
        return min(self.original_first + line - self.first, self.original_last)


@dataclass(slots=True)
class MappedClass:
    """One class of the mapping, with its methods in the order of the file."""

    original: str
    minified: str
    file: str | None = None
    """Name of the source file."""
    methods: list[MappedMethod] = field(default_factory=list)
    synthesized: set[tuple[str, str, str]] = field(default_factory=set)
    """Methods no source holds: owner, name, parameters."""

    @property
    def renamed(self) -> bool:
        """Whether R8 gave it another name."""
        return self.original != self.minified


def read_classes(
    lines: Iterable[bytes], *, where: str, wanted: frozenset[str] | None = None
) -> Iterator[MappedClass]:
    """Yield the classes of a mapping.

    Args:
        lines: The file's lines, with or without their ends.
        where: The file, for messages.
        wanted: Minified names of the classes whose methods are read; the others come without. ``None``
            reads all.

    Raises:
        MappingError: A line is neither class, member nor comment, or is not UTF-8; or there is no class.
    """
    current: MappedClass | None = None
    latest: MappedMethod | None = None
    skips = False
    for number, line, is_member in _lines(lines, where):
        if not is_member:
            if current is not None:
                yield current
            current, latest = _class(line, where, number), None
            skips = wanted is not None and current.minified not in wanted
        elif line.startswith("#"):
            _note(line, current, latest)
        elif current is None:
            raise _refused(line, where, number, f"{_CLASS_LINE} before any member")
        elif not skips and (latest := _method(line, current.original, where, number)) is not None:
            current.methods.append(latest)
    if current is None:
        raise MappingError("holds no class", where=where, todo="name the mapping.txt R8 wrote for this build")
    yield current


def chains(mapped: MappedClass) -> Iterator[tuple[MappedMethod, ...]]:
    """The class's methods as calls that were inlined into each other, innermost first.

    Consecutive lines of one name and one range of recorded lines are one chain; its last member is the
    method that is there at run time. Synthesized members are left out where others stay.
    """
    for (_, first, _), group in groupby(mapped.methods, key=lambda one: (one.minified, one.first, one.last)):
        members = tuple(group)
        if first is None:
            yield from ((method,) for method in members)
            continue
        kept = tuple(one for one in members if one[2:5] not in mapped.synthesized)
        yield kept or members


def map_id(lines: Iterable[bytes]) -> str | None:
    """R8's own name for the mapping, which stands in the comments above the first class.

    Args:
        lines: The file's lines.
    """
    for raw in lines:
        line = raw.removeprefix(_BOM).strip()
        if line and not line.startswith(b"#"):
            return None
        if found := _MAP_ID.fullmatch(line.decode("utf-8", errors="replace")):
            return found[1]
    return None


def _lines(lines: Iterable[bytes], where: str) -> Iterator[tuple[int, str, bool]]:
    """Number and text of each line that says something, and whether it belongs to the class above it."""
    for number, raw in enumerate(lines, 1):
        text = _decoded(raw.removeprefix(_BOM) if number == 1 else raw, where, number)
        if line := text.strip():
            yield number, line, text[0].isspace() or line.startswith("#")


def _decoded(raw: bytes, where: str, number: int) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        place = f"{where}:{number}"
        raise MappingError(f"byte {error.start + 1} is not UTF-8", where=place, todo=_AGAIN) from error


def _refused(line: str, where: str, number: int, expected: str) -> MappingError:
    return MappingError(f"“{visible(line, 60)}” stands where {expected} belongs", where=f"{where}:{number}")


def _class(line: str, where: str, number: int) -> MappedClass:
    named = _CLASS.fullmatch(line)
    if named is None:
        raise _refused(line, where, number, _CLASS_LINE)
    return MappedClass(named["original"], named["minified"])


def _note(line: str, current: MappedClass | None, latest: MappedMethod | None) -> None:
    """Take in a comment, which speaks of the line above it."""
    if current is not None and '"sourceFile"' in line:
        try:
            told = json.loads(line.lstrip("# "))
        except ValueError:
            return  # a comment may say anything
        name = told.get("fileName") if isinstance(told, dict) else None
        if isinstance(name, str) and name:
            current.file = name
    elif "com.android.tools.r8.synthesized" in line and current is not None and latest is not None:
        current.synthesized.add(latest[2:5])


def _method(line: str, original: str, where: str, number: int) -> MappedMethod | None:
    """What a member line says of a method; nothing for a field.

    Raises:
        MappingError: It is neither.
    """
    found = _METHOD.fullmatch(line)
    if found is None:
        if _FIELD.fullmatch(line) is None:
            raise _refused(line, where, number, _MEMBER_LINE)
        return None
    first, last, returns, name, parameters, original_first, original_last, minified = found.groups()
    owner, _, own_name = name.rpartition(".")
    return MappedMethod(
        None if first is None else int(first),
        None if last is None else int(last),
        owner or original,
        own_name,
        parameters,
        returns,
        None if original_first is None else int(original_first),
        None if original_last is None else int(original_last),
        minified,
    )
