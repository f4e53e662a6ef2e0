"""Read a struct out of JSON values of uncertain shape: what does not fit is left out and named."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeVar, cast, get_args, get_origin

import msgspec

S = TypeVar("S", bound=msgspec.Struct)


class UnusableError(ValueError):
    """A value that nothing of its type can be made from."""


def read_leniently(value: object, kind: type[S]) -> tuple[S, tuple[str, ...]]:
    """Make a ``kind`` of ``value``, leaving out every optional part that has another shape.

    A list of structs loses only the entries that are unusable; a struct loses only the keys that are;
    a struct that lacks a required key is itself unusable.

    Args:
        value: What a JSON parser returned.
        kind: The struct to make.

    Returns:
        The struct, and for each part left out a note with its path and the reason.

    Raises:
        UnusableError: ``value`` is no object, or a required key is missing or unusable.
    """
    notes: list[str] = []
    return cast("S", _read(value, kind, "", notes)), tuple(notes)


def _read(value: object, kind: Any, path: str, notes: list[str]) -> object:
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        reason = str(error)
    if isinstance(value, dict):
        for struct in _structs(kind):
            return _read_struct(value, struct, path, notes)
    if isinstance(value, list):
        for item in _struct_items(kind):
            return tuple(_usable_items(value, item, path, notes))
    raise UnusableError(reason)


def _read_struct(value: dict[str, object], kind: type[msgspec.Struct], path: str, notes: list[str]) -> object:
    fields: dict[str, object] = {}
    for field in msgspec.structs.fields(kind):
        if field.encode_name not in value:
            if field.required:
                raise UnusableError(f"key {field.encode_name} is missing")
            continue
        inner = f"{path}.{field.encode_name}" if path else field.encode_name
        try:
            fields[field.name] = _read(value[field.encode_name], field.type, inner, notes)
        except UnusableError as error:
            if field.required:
                raise
            notes.append(f"{inner} left out: {error}")
    return kind(**fields)


def _usable_items(
    values: list[object], kind: type[msgspec.Struct], path: str, notes: list[str]
) -> Iterator[object]:
    for position, value in enumerate(values):
        inner = f"{path}[{position}]"
        try:
            yield _read(value, kind, inner, notes)
        except UnusableError as error:
            notes.append(f"{inner} left out: {error}")


def _structs(kind: Any) -> list[type[msgspec.Struct]]:
    """The struct a type is, or holds as one of its alternatives; at most one."""
    return [
        one
        for one in (kind, *_alternatives(kind))
        if isinstance(one, type) and issubclass(one, msgspec.Struct)
    ]


def _struct_items(kind: Any) -> list[type[msgspec.Struct]]:
    """The struct a homogeneous tuple type holds, the tuple itself or one of the alternatives."""
    tuples = [get_args(one) for one in (kind, *_alternatives(kind)) if get_origin(one) is tuple]
    return [struct for args in tuples if args[-1] is Ellipsis for struct in _structs(args[0])]


def _alternatives(kind: Any) -> tuple[Any, ...]:
    return () if get_origin(kind) is tuple else get_args(kind)
