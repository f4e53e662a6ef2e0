"""Collapsed stacks: one line a stack, frames parted by semicolons, then a number."""

from __future__ import annotations

import re
from typing import Final

from echolot_tui.profiles.stacks import Facts, Frame, ProfileError, Recording, StackBuilder

_LINE: Final = re.compile(r"(?P<stack>\S.*?)\s+(?P<number>\d+(?:\.\d+)?)")
_HEAD: Final = 1 << 16
_LOOKED_AT: Final = 50


def is_collapsed(content: bytes) -> bool:
    """Whether the first lines are stacks with numbers, at least one of several frames."""
    head = content[:_HEAD]
    if b"\0" in head:
        return False
    lines = _lines(head)
    if len(content) > _HEAD:
        lines = lines[:-1]
    shown = [line for line in lines if line.strip() and not line.startswith("#")][:_LOOKED_AT]
    return (
        bool(shown)
        and all(_LINE.fullmatch(line.rstrip()) for line in shown)
        and any(";" in line for line in shown)
    )


def read_collapsed(content: bytes, *, path: str) -> Recording:
    """Read collapsed stacks; lines that start with ``#`` are comments.

    Args:
        content: The file.
        path: For messages.

    Raises:
        ProfileError: A line is no stack with a number, or there is none.
    """
    builder = StackBuilder()
    for number, line in enumerate(_lines(content), start=1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        parsed = _LINE.fullmatch(text)
        if parsed is None:
            raise ProfileError(f"line {number} is no collapsed stack", where=path, todo="a line is a;b;c 12")
        weight = float(parsed["number"])
        if weight:
            leaf = builder.stack(Frame(name) for name in parsed["stack"].split(";"))
            builder.add(leaf, weight, count=weight)
    return builder.build(path, Facts(source="collapsed stacks"))


def _lines(content: bytes) -> list[str]:
    """Parted by line feeds alone: a name may hold any other separator of lines."""
    return content.decode("utf-8", errors="replace").split("\n")
