"""Calls in the text of a source: their arguments, and the names those make."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

_TOKEN: Final = re.compile(
    r'"""(?:.*?)"""|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|[()\[\]{},+]',
    re.DOTALL,
)
_NAMED: Final = re.compile(r"\w+\s*=(?!=)\s*")
_RAW: Final = re.compile(r'"""(.*)"""', re.DOTALL)
_LITERAL: Final = re.compile(r'"((?:\\.|[^"\\\n])*)"')
_REFERENCE: Final = re.compile(r"(?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*")
_TEMPLATE: Final = re.compile(r"\$\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}|\$[A-Za-z_]\w*")
_ESCAPE: Final = re.compile(r"\\(u[0-9a-fA-F]{4}|.)")
_ESCAPED: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b"}
_SPECIAL: Final = re.compile(r"[*?\[]")
_ANYTHING: Final = re.compile(r"\*{2,}")
_LONGEST: Final = 4000
"""Characters of the arguments of one call that are looked at."""


def arguments(text: str, opened: int) -> tuple[list[str], int] | None:
    """The arguments of a call and where its closing bracket is; ``None`` when that is not near.

    Args:
        text: A source without comments.
        opened: Where the opening bracket is.
    """
    depth, begin = 0, opened + 1
    parts: list[str] = []
    for token in _TOKEN.finditer(text, opened, opened + _LONGEST):
        mark = token[0]
        if mark in {"(", "[", "{"}:
            depth += 1
        elif mark in {")", "]", "}"}:
            depth -= 1
            if depth == 0:
                parts.append(text[begin : token.start()].strip())
                return [part for part in parts if part], token.start()
        elif mark == "," and depth == 1:
            parts.append(text[begin : token.start()].strip())
            begin = token.end()
    return None


def name_glob(expression: str, *, kotlin: bool, constant: Callable[[str], str | None]) -> str | None:
    """The GLOB of the names an argument makes; ``None`` when nothing of them is fixed text.

    Args:
        expression: The argument: literals, templates, constants, joined by ``+``; in Kotlin perhaps named,
            or a lambda that makes the name.
        kotlin: Whether ``$name`` is a template.
        constant: The text of a constant, if it is one.
    """
    named = _NAMED.match(expression)
    inner = expression[named.end() :] if named else expression
    if inner.startswith("{") and inner.endswith("}"):
        inner = inner[1:-1].strip()
    made = "".join(_piece(piece, kotlin=kotlin, constant=constant) for piece in _summands(inner))
    made = _ANYTHING.sub("*", made)
    return None if made in {"", "*"} else made


def as_glob(text: str) -> str:
    """The GLOB that fits exactly this text."""
    return _SPECIAL.sub(lambda found: f"[{found[0]}]", text)


def _summands(expression: str) -> list[str]:
    depth, begin = 0, 0
    pieces = []
    for token in _TOKEN.finditer(expression):
        if token[0] in {"(", "[", "{"}:
            depth += 1
        elif token[0] in {")", "]", "}"}:
            depth -= 1
        elif token[0] == "+" and not depth:
            pieces.append(expression[begin : token.start()])
            begin = token.end()
    return [piece.strip() for piece in (*pieces, expression[begin:])]


def _piece(piece: str, *, kotlin: bool, constant: Callable[[str], str | None]) -> str:
    literal = _RAW.fullmatch(piece) or _LITERAL.fullmatch(piece)
    if literal is None:
        text = constant(piece) if _REFERENCE.fullmatch(piece) else None
        return "*" if text is None else as_glob(text)
    raw = literal.re is _RAW
    if not kotlin:
        return as_glob(literal[1] if raw else _unescaped(literal[1]))
    fixed = _TEMPLATE.split(literal[1].replace(r"\$", "\0"))
    return "*".join(as_glob((part if raw else _unescaped(part)).replace("\0", "$")) for part in fixed)


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(
        lambda found: chr(int(found[1][1:], 16)) if len(found[1]) > 1 else _ESCAPED.get(found[1], found[1]),
        text,
    )
