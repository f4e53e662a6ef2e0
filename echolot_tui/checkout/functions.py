"""Functions of a source with a body in braces, and the statements right in one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from echolot_tui.checkout.declarations import declared_functions

_KOTLIN_TYPE: Final = re.compile(r"\s*(?::\s*[\w.<>?,\s*@()-]{1,300}?)?\s*\{")
_JAVA_THROWS: Final = re.compile(r"\s*(?:throws\s[\w.,\s]{1,300})?\{")
_OPENING: Final = "([{"
_CLOSING: Final = ")]}"
_GOES_ON: Final = re.compile(r"\s*(?:\.|\?\.|\?:|\)|\]|&&|\|\||[+*/,:=]|(?:else|catch|finally|as|in|is)\b)")
"""How a line begins that belongs to the one before."""
_IS_OPEN: Final = re.compile(r"(?:[=(,.+*/&|?:\[<-]|->|\b(?:return|throw|else|in|by|as|is))\s*\Z")
"""How a line ends that goes on in the next one."""
_LEAVES: Final = re.compile(r"\b(?:return|throw|break|continue)\b")
_CONDITION: Final = re.compile(r"\b(?:if|for|while|when|switch)\s*\Z")
_HEADER: Final = 400


class Function(NamedTuple):
    """A function with a body in braces; places are characters of the source."""

    name: str
    named_at: int
    start: int
    """Just behind the brace that opens its body."""
    end: int
    """The brace that closes it."""

    def holds(self, at: int) -> bool:
        """Whether a place is in its body."""
        return self.start <= at < self.end


class Lines(NamedTuple):
    """Lines of a source, from 0, both included."""

    first: int
    last: int


def functions_in(code: str, *, java: bool) -> list[Function]:
    """The functions of a source whose body stands in braces, in its order.

    Args:
        code: A source, see ``only_code``.
        java: Whether it is Java.
    """
    found = []
    for name, at in declared_functions(code, java=java):
        closed = _matching(code, code.find("(", at))
        head = closed is not None and (_JAVA_THROWS if java else _KOTLIN_TYPE).match(code, closed + 1)
        if head and (end := _matching(code, head.end() - 1)) is not None:
            found.append(Function(name, at, head.end(), end))
    return found


def innermost(functions: Sequence[Function], at: int) -> Function | None:
    """The innermost function whose body holds a place."""
    return max((one for one in functions if one.holds(at)), key=lambda one: one.start, default=None)


def declared_with(code: str, function: Function) -> frozenset[str]:
    """Annotations and modifiers in front of a function's name."""
    head = code[max(function.named_at - _HEADER, 0) : function.named_at]
    own = re.split(r"[;{}]|\n[ \t]*\n", head)[-1]
    return frozenset(re.findall(r"\w+", own))


def body_lines(code: str, function: Function) -> Lines | None:
    """The lines inside a body; ``None`` unless its braces end, and begin, lines of their own.

    An empty body has none either.
    """
    first = code.count("\n", 0, function.start) + 1
    last = code.count("\n", 0, function.end) - 1
    opening = code[function.start : code.find("\n", function.start)]
    closing = code[code.rfind("\n", 0, function.end) + 1 : function.end]
    if first > last or opening.strip() or closing.strip():
        return None
    return Lines(first, last)


def statement_at(code: str, at: int, function: Function, *, java: bool) -> Lines | None:
    """The lines of the statement right in a body that holds a place.

    Args:
        code: A source, see ``only_code``.
        at: Where.
        function: Whose body.
        java: Whether statements end in ``;``.

    Returns:
        ``None`` when it is inside another block or lambda, shares its lines, or leaves the function.
    """
    if code.count("{", function.start, at) != code.count("}", function.start, at):
        return None
    start = code.rfind("\n", 0, at) + 1
    while start > function.start and (_GOES_ON.match(code, start) or _IS_OPEN.search(_before(code, start))):
        start = code.rfind("\n", 0, start - 1) + 1
    above = code[function.start : start]
    if start < function.start or _is_inside_brackets(above) or _is_branch(above.rstrip()):
        return None
    end = _end_of_statement(code, at, function, java=java)
    behind = code[end : code.find("\n", end)].lstrip(";").strip()
    shares = behind or ";" in code[start:end].rstrip(";")
    if end >= function.end or shares or _LEAVES.search(code, start, end):
        return None
    return Lines(code.count("\n", 0, start), code.count("\n", 0, end))


def _before(code: str, start: int) -> str:
    """The end of the nearest line above that says something."""
    return code[max(start - _HEADER, 0) : start].rstrip()


def _is_inside_brackets(text: str) -> bool:
    pairs = zip(_OPENING, _CLOSING, strict=True)
    return any(text.count(opened) != text.count(closed) for opened, closed in pairs)


def _is_branch(text: str) -> bool:
    """Whether a text ends in a condition whose branch has no braces: nothing can be put before that."""
    if not text.endswith(")"):
        return False
    depth = 0
    for at in range(len(text) - 1, -1, -1):
        depth += (text[at] == ")") - (text[at] == "(")
        if depth == 0:
            return _CONDITION.search(text, max(at - _HEADER, 0), at) is not None
    return True


def _end_of_statement(code: str, at: int, function: Function, *, java: bool) -> int:
    """Where a statement ends: at a ``;``, in Kotlin at the end of a line that nothing goes on with."""
    start, depth = code.rfind("\n", 0, at) + 1, 0
    for position in range(start, function.end):
        char = code[position]
        depth += (char in _OPENING) - (char in _CLOSING)
        if depth > 0 or position < at:
            continue
        if java:
            if char == ";":
                return position
        elif char == "\n" and not _goes_on(code, start, position):
            return position
    return function.end


def _goes_on(code: str, start: int, newline: int) -> bool:
    """Whether the statement of a line goes on in the next one."""
    return bool(_GOES_ON.match(code, newline + 1) or _IS_OPEN.search(code[start:newline].rstrip()))


def _matching(code: str, opened: int) -> int | None:
    """Where the bracket that opens somewhere closes."""
    if opened < 0:
        return None
    depth = 0
    for position in range(opened, len(code)):
        depth += (code[position] in _OPENING) - (code[position] in _CLOSING)
        if depth == 0:
            return position
    return None
