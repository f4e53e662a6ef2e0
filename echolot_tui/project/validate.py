"""Plain YAML values against the types of ``model``: errors that name file, line, key and what is allowed."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

import msgspec

from echolot_tui.errors import ConfigError
from echolot_tui.project.yaml_file import KeyPath
from echolot_tui.text import visible

T = TypeVar("T", bound=msgspec.Struct)
Place = Callable[[KeyPath], str]
"""Says where a key stands: ``echolot.yml line 12, runner.iterations``."""

_AT = re.compile(r" - at `\$(?P<path>[^`]*)`$")
_STEP = re.compile(r"\.(?P<key>[^.\[]+)|\[(?P<index>\d+)\]")
_WORDS = {
    "int": "a whole number",
    "float": "a number",
    "str": "text",
    "bool": "true or false",
    "array": "a list",
    "object": "a mapping",
    "null": "nothing",
}


def convert(values: Any, kind: type[T], at: KeyPath, place: Place) -> T:
    """Convert one block to its type; a key that says nothing is a key that is not there.

    Raises:
        ConfigError: A value has the wrong type or is not allowed.
    """
    try:
        return msgspec.convert(said(values, kind), kind)
    except msgspec.ValidationError as error:
        inner, problem = _split(str(error))
        raise ConfigError(
            _problem(problem, _value_at(values, inner), _allowed(kind, inner)), where=place((*at, *inner))
        ) from error


def said(values: Any, kind: type[msgspec.Struct]) -> Any:
    """A block without its keys that say nothing, where nothing is not itself a setting."""
    if not isinstance(values, Mapping):
        return values
    fields = {field.encode_name: field for field in msgspec.structs.fields(kind)}
    hints = get_type_hints(kind)
    kept = {}
    for key, value in values.items():
        field = fields.get(key)
        hint = hints[field.name] if field is not None else Any
        if value is None and field is not None and not field.required and type(None) not in get_args(hint):
            continue
        block = _struct_in(hint)
        kept[key] = value if block is None else said(value, block)
    return kept


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name a typing error most likely meant."""
    close = difflib.get_close_matches(name, sorted(known), n=1, cutoff=0.6)
    return close[0] if close else None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """``did you mean "x"?`` or the list of what is allowed."""
    names = sorted(known)
    close = nearest(name, names)
    listed = ", ".join(names)
    return f'did you mean "{close}"?' if close else f"allowed: {listed}"


def check_finite(values: Any, place: Place, at: KeyPath = (), above: frozenset[int] = frozenset()) -> None:
    """Refuse ``.nan`` and ``.inf``, which no setting means and no comparison survives.

    Raises:
        ConfigError: One stands somewhere.
    """
    if isinstance(values, float) and not math.isfinite(values):
        raise ConfigError(f"is {values}", where=place(at), todo="write a finite number")
    if not isinstance(values, Mapping | list) or id(values) in above:  # an alias may lead back to itself
        return
    items = values.items() if isinstance(values, Mapping) else enumerate(values)
    for key, value in items:
        step = key if isinstance(values, list) else str(key)
        check_finite(value, place, (*at, step), above | {id(values)})


def unknown_keys(values: Any, kind: type[msgspec.Struct], at: KeyPath, place: Place) -> list[str]:
    """One sentence for each key that ``kind`` does not have; keys with a leading ``_`` are free."""
    if not isinstance(values, Mapping):
        return []
    fields = {field.encode_name: field for field in msgspec.structs.fields(kind)}
    hints = get_type_hints(kind)
    found = []
    for key, value in values.items():
        name = str(key)
        if name in fields:
            block = _struct_in(hints[fields[name].name])
            items = value if isinstance(value, list) else [value]
            for index, item in enumerate(items if block else []):
                here = (*at, name, index) if isinstance(value, list) else (*at, name)
                found += unknown_keys(item, block, here, place) if block else []
        elif not name.startswith("_"):
            found.append(
                f"{place((*at, name))}: is not a known key and is ignored; {did_you_mean(name, fields)}"
            )
    return found


def _struct_in(hint: Any) -> type[msgspec.Struct] | None:
    """The block type inside ``X | None`` or ``tuple[X, ...]``; mappings of blocks are walked elsewhere."""
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        return hint
    if get_origin(hint) is dict:
        return None
    return next((found for part in get_args(hint) if (found := _struct_in(part))), None)


def _split(message: str) -> tuple[KeyPath, str]:
    match = _AT.search(message)
    if match is None:
        return (), message
    steps = tuple(int(s["index"]) if s["index"] else s["key"] for s in _STEP.finditer(match["path"]))
    return steps, message[: match.start()]


def _value_at(values: Any, path: KeyPath) -> Any:
    for step in path:
        try:
            values = values[step]
        except (KeyError, IndexError, TypeError):
            return None
    return values


def shown_value(value: Any) -> str:
    """A value as YAML would write it on one line: ``true``, ``"text"``, ``5``."""
    plain = {True: "true", False: "false", None: "nothing"}
    if isinstance(value, bool | None):
        return plain[value]
    return visible(f'"{value}"' if isinstance(value, str) else str(value), 60)


def _problem(message: str, value: Any, allowed: tuple[str, ...]) -> str:
    shown = shown_value(value)
    if allowed:
        return f"is {shown}, which is not allowed; {did_you_mean(str(value), allowed)}"
    missing = re.fullmatch(r"Object missing required field `(?P<name>[^`]+)`", message)
    if missing:
        return f'needs the key "{missing["name"]}"'
    expected = re.match(r"Expected `(?P<kind>[^`]+)`(?P<bound> (of length )?[<>]=? [\d.]+)?", message)
    if expected is None:
        return f"is {shown}: {message}"
    kinds = " or ".join(_WORDS.get(part.strip(), part.strip()) for part in expected["kind"].split("|"))
    bound = (
        (expected["bound"] or "")
        .replace("of length >= 1", "that is not empty")
        .replace(">=", "of at least")
        .replace("<=", "of at most")
        .replace(">", "above")
    )
    return f"is {shown}, expected {kinds}{bound}"


def _allowed(kind: Any, path: KeyPath) -> tuple[str, ...]:
    """The choices of the field ``path`` leads to, when it has a fixed list."""
    for step in path:
        block = _struct_in(kind)
        if block is None or not isinstance(step, str):
            continue
        names = {field.encode_name: field.name for field in msgspec.structs.fields(block)}
        kind = get_type_hints(block).get(names.get(step, step))
    if get_origin(kind) is Literal:
        return tuple(str(choice) for choice in get_args(kind))
    return ()
