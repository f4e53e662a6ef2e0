"""Put temporary markers into sources and take them out again: whole lines, each with a tag."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from typing import Final, Literal, NamedTuple

from echolot_tui.frozen import Frozen

MarkKind = Literal["function", "statement"]

TAG: Final = "// echolot:mark"
_LONGEST_NAME: Final = 127
"""``android.os.Trace`` refuses more."""
_TRACE: Final = "android.os.Trace"
_OURS: Final = re.compile(
    rf"\s*(?:{re.escape(_TRACE)}\.beginSection\(\"[^\"\\]*\"\);(?: try \{{)?|"
    rf"{re.escape(_TRACE)}\.endSection\(\);|\}} finally \{{ {re.escape(_TRACE)}\.endSection\(\); \}}) "
    rf"{re.escape(TAG)}\s*"
)
_TAGGED: Final = re.compile(rf"{re.escape(TAG)}\s*$")
_NOT_IN_A_NAME: Final = re.compile(r"[\"\\$\x00-\x1f\x7f]")
_INDENT: Final = re.compile(r"[ \t]*")
_LINE: Final = re.compile(r"[^\n]*\n|[^\n]+")


class Mark(Frozen, frozen=True, kw_only=True):
    """One marker: lines of a source, the section around them, and why."""

    file: str
    """Relative to the checkout."""
    line: int
    """The first line inside, from 1."""
    last_line: int
    kind: MarkKind
    """A whole body, left whichever way, or one statement."""
    section: str
    why: str


class Removed(NamedTuple):
    """A source without its markers."""

    text: str
    lines: int
    """How many were taken out."""
    changed: tuple[int, ...]
    """Lines, from 1, that carry the tag and are not as they were put in; they stay."""


def section_name(prefix: str, name: str) -> str:
    """The name of a temporary section."""
    return (prefix + _NOT_IN_A_NAME.sub("_", name))[:_LONGEST_NAME]


def marked(text: str, marks: Iterable[Mark]) -> str:
    """A source with markers around lines; its other lines stay as they are, byte for byte.

    Args:
        text: The source, with its own line ends.
        marks: Of this source; one may be inside another.
    """
    lines = _LINE.findall(text)
    newline = "\r\n" if lines and lines[0].endswith("\r\n") else "\n"
    before: dict[int, list[str]] = defaultdict(list)
    after: dict[int, list[str]] = defaultdict(list)
    for mark in sorted(marks, key=lambda one: (one.line, -one.last_line, one.kind)):
        indent = _indent(lines[mark.line - 1 : mark.last_line])
        begin, end = _around(mark)
        before[mark.line - 1].append(f"{indent}{begin} {TAG}{newline}")
        after[mark.last_line - 1].insert(0, f"{indent}{end} {TAG}{newline}")
    return "".join(
        part for at, line in enumerate(lines) for part in (*before.get(at, ()), line, *after.get(at, ()))
    )


def unmarked(text: str) -> Removed:
    """A source without the lines ``marked`` has put in, and nothing else taken out."""
    kept: list[str] = []
    changed: list[int] = []
    lines = _LINE.findall(text)
    for number, line in enumerate(lines, 1):
        if _OURS.fullmatch(line):
            continue
        if _TAGGED.search(line.rstrip("\r\n")):
            changed.append(number)
        kept.append(line)
    return Removed("".join(kept), len(lines) - len(kept), tuple(changed))


def _around(mark: Mark) -> tuple[str, str]:
    begin = f'{_TRACE}.beginSection("{mark.section}");'
    if mark.kind == "statement":
        return begin, f"{_TRACE}.endSection();"
    return f"{begin} try {{", f"}} finally {{ {_TRACE}.endSection(); }}"


def _indent(lines: list[str]) -> str:
    first = next((line for line in lines if line.strip()), "")
    found = _INDENT.match(first)
    return found[0] if found else ""
