"""Where a source declares what a name says: found by its words, without a compiler."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

_NOT_CODE: Final = re.compile(
    r"//[^\n]*|/\*.*?(?:\*/|\Z)"
    r'|"""(?:.*?)(?:"""|\Z)|"(?:\\.|[^"\\\n])*"'
    r"|'(?:\\.|[^'\\\n])+'",
    re.DOTALL,
)
_NOT_LINE_END: Final = re.compile(r"[^\n]")
_SEPARATOR: Final = re.compile(r"[.$]")
_COMPILED: Final = re.compile(r"-[\w-]*$|^lambda\b.*|^access$|^default$|^\d+$|^<\w+>$|^Companion$")
"""Parts of a name the compiler adds; what stays names a class or a function of the source."""
_ACCESSOR: Final = re.compile(r"(?:get|set|is)([A-Z]\w*)")

_TYPE: Final = r"\b(?:class|interface|object|enum|record|typealias)\s+{name}\b"
_KOTLIN_FUNCTION: Final = (
    r"\bfun\s+(?:<[^;{{}}()]{{0,200}}?>\s*)?(?:[\w.<>?,* ]{{1,200}}\.)?{name}\s*(?:<[^()]{{0,200}}>\s*)?\("
)
_JAVA_FUNCTION: Final = (
    r"^[ \t]*(?:@\w+(?:\([^()\n]*\))?[ \t]+)*(?!(?:return|new|throw|else|case|await|yield)\b)"
    r"(?:[\w<>\[\],.?&]+[ \t]+)+{name}\s*\([^;{{}}]{{0,1000}}?\)[^;{{}}]{{0,200}}?[{{;]"
)
_PROPERTY: Final = r"\bva[lr]\s+(?:<[^>]{{0,200}}>\s*)?(?:[\w.<>?]{{1,200}}\.)?{name}\b"
"""Repeats have bounds, so that no text takes longer than its length."""
_DECLARATION: Final = re.compile(r"\n[ \t]*(?:[a-z]+[ \t]+)*(?:class|interface|fun)\b")
_BRACE: Final = re.compile(r"[{}]")
_PLACES_TRIED: Final = 200


def only_code(text: str) -> str:
    """The text with comments and the insides of strings blanked out; every line stays where it is."""
    return _NOT_CODE.sub(lambda found: _NOT_LINE_END.sub(" ", found[0]), text)


def without_comments(text: str) -> str:
    """The text with comments blanked out; strings stay."""
    return _NOT_CODE.sub(
        lambda found: _NOT_LINE_END.sub(" ", found[0]) if found[0].startswith("/") else found[0], text
    )


def names_in(symbol: str) -> tuple[str, ...]:
    """The parts of a class, method or function below its package that a source can declare.

    ``Feed$load$2.invokeSuspend`` has ``Feed``, ``load`` and ``invokeSuspend``.
    """
    return tuple(part for raw in _SEPARATOR.split(symbol) if (part := _COMPILED.sub("", raw)))


def declaration_line(code: str, names: Sequence[str], *, java: bool) -> int | None:
    """The line, from 1, on which the innermost of the names that the source declares is declared.

    Args:
        code: A source, see ``only_code``.
        names: From the outside inwards: classes, then a function or property.
        java: Whether it is Java.
    """
    found = declared_at(code, names, java=java)
    return None if found is None else code.count("\n", 0, found) + 1


def declared_at(code: str, names: Sequence[str], *, java: bool, all_of_them: bool = False) -> int | None:
    """Where, in characters, the innermost of the names that the source declares is declared.

    Args:
        code: A source, see ``only_code``.
        names: From the outside inwards: classes, then a function or property.
        java: Whether it is Java.
        all_of_them: Every name has to be declared.
    """
    start, end = 0, len(code)
    found: int | None = None
    for name in names:
        declared = _declared(code, name, start, end, java=java)
        if declared is not None:
            found = declared
            start, end = _body(code, declared, end)
        elif all_of_them:
            return None
    return found


def declared_functions(code: str, *, java: bool) -> Iterator[tuple[str, int]]:
    """Every function a source declares and where its name stands, in the order of the source."""
    pattern = re.compile(
        (_JAVA_FUNCTION if java else _KOTLIN_FUNCTION).format(name=r"`?(?P<name>\w+)`?"), re.M
    )
    for found in pattern.finditer(code):
        yield found["name"], found.start("name")


def _declared(code: str, name: str, start: int, end: int, *, java: bool) -> int | None:
    """Where ``name`` is declared in a part of the code: right inside its braces first, else deeper."""
    places = list(islice(_places(code, name, start, end, java=java), _PLACES_TRIED))
    direct = (place for place in places if code.count("{", start, place) == code.count("}", start, place))
    return next(direct, places[0] if places else None)


def _places(code: str, name: str, start: int, end: int, *, java: bool) -> Iterator[int]:
    kinds = [_TYPE, _JAVA_FUNCTION] if java else [_TYPE, _KOTLIN_FUNCTION, _PROPERTY]
    for kind in kinds:
        yield from _matches(kind, name, code, start, end)
    accessor = None if java else _ACCESSOR.fullmatch(name)
    if accessor:
        prop = accessor[1][0].lower() + accessor[1][1:]
        for each in (prop, name):
            yield from _matches(_PROPERTY, each, code, start, end)


def _matches(kind: str, name: str, code: str, start: int, end: int) -> Iterator[int]:
    quoted = rf"`?{re.escape(name)}`?" if kind is not _TYPE else re.escape(name)
    pattern = re.compile(kind.format(name=quoted), re.MULTILINE)
    for found in pattern.finditer(code, start, end):
        yield code.rindex(name, found.start(), found.end())


def _body(code: str, declared: int, end: int) -> tuple[int, int]:
    """What lies between the braces that open after a declaration; nothing where none do."""
    following = _DECLARATION.search(code, declared, end)
    depth, opened = 0, declared
    for brace in _BRACE.finditer(code, declared, end):
        if not depth and (brace[0] == "}" or (following and following.start() < brace.start())):
            return declared, declared
        depth += 1 if brace[0] == "{" else -1
        if depth == 1 and brace[0] == "{" and opened == declared:
            opened = brace.end()
        if not depth:
            return opened, brace.start()
    return opened, end
