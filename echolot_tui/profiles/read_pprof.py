"""pprof profiles, read without message classes.

Format: https://github.com/google/pprof/blob/main/proto/profile.proto.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from echolot_tui.engine import wire
from echolot_tui.engine.varints import unpack_varints
from echolot_tui.profiles.stacks import Facts, Frame, ProfileError, Recording, StackBuilder

_MS: Final = {"nanoseconds": 1e-6, "microseconds": 1e-3, "milliseconds": 1.0, "seconds": 1e3}
_MESSAGES: Final = frozenset({1, 2, 3, 4, 5, 6, 11})
"""Fields of a profile that are bytes; the others are numbers, but for the comments, which may be either."""

_FIRST_FIELDS: Final = 64


@dataclass(slots=True)
class _Profile:
    """The message, as numbers into ``strings``."""

    kinds: list[tuple[int, int]] = field(default_factory=list)
    """Type and unit of each value of a sample."""
    samples: list[tuple[list[int], list[int]]] = field(default_factory=list)
    """Locations, innermost first, and values."""
    files: dict[int, int] = field(default_factory=dict)
    locations: dict[int, tuple[int, list[int]]] = field(default_factory=dict)
    """Mapping and functions, innermost first."""
    functions: dict[int, int] = field(default_factory=dict)
    strings: list[str] = field(default_factory=list)
    period_kind: tuple[int, int] = (0, 0)
    period: int = 0
    default: int = 0


def is_pprof(content: bytes) -> bool:
    """Whether the plain bytes are fields of a profile, its string table beginning with the empty text."""
    seen: set[int] = set()
    try:
        for count, (number, value) in enumerate(wire.fields(content)):
            if not 1 <= number <= 15 or (number != 13 and (number in _MESSAGES) == isinstance(value, int)):
                return False
            if number == 6 and 6 not in seen and len(wire.blob(value)):
                return False
            seen.add(number)
            if count >= _FIRST_FIELDS and 2 in seen and 6 in seen:
                break
    except wire.WireError:
        return False
    return {1, 2, 6} <= seen


def read_pprof(content: bytes, *, path: str) -> Recording:
    """Read a profile; of several values per sample the one its writer names, else CPU time, else the last.

    Args:
        content: The message, unpacked.
        path: For messages.

    Raises:
        ProfileError: The message is damaged, or holds no samples.
    """
    try:
        profile = _parse(content)
        chosen, counted = _values(profile)
        return _recording(profile, chosen, counted, path)
    except (wire.WireError, IndexError, KeyError) as error:
        raise ProfileError(f"is a damaged pprof profile ({error})", where=path) from error


def _parse(content: bytes) -> _Profile:
    profile = _Profile()
    for number, value in wire.fields(content):
        if number == 1:
            profile.kinds.append(_value_type(value))
        elif number == 2:
            profile.samples.append(_sample(value))
        elif number == 4:
            _location(profile, value)
        elif number == 6:
            profile.strings.append(wire.text(value))
        elif number in (3, 5):
            _named(profile, number, value)
        elif number in (11, 12, 14):
            _period_or_default(profile, number, value)
    return profile


def _named(profile: _Profile, number: int, value: wire.Value) -> None:
    """A mapping, known by its file, or a function, known by its name or its system's name."""
    fields = {key: part for key, part in wire.fields(wire.blob(value)) if isinstance(part, int)}
    identity = fields.get(1, 0)
    if number == 3:
        profile.files[identity] = fields.get(5, 0)
    else:
        profile.functions[identity] = fields.get(2, 0) or fields.get(3, 0)


def _period_or_default(profile: _Profile, number: int, value: wire.Value) -> None:
    if number == 11:
        profile.period_kind = _value_type(value)
    elif number == 12:
        profile.period = _int(value)
    else:
        profile.default = _int(value)


def _int(value: wire.Value) -> int:
    if not isinstance(value, int):
        raise wire.WireError("bytes where a number belongs")
    return value


def _value_type(value: wire.Value) -> tuple[int, int]:
    fields = dict(wire.fields(wire.blob(value)))
    return _int(fields.get(1, 0)), _int(fields.get(2, 0))


def _sample(value: wire.Value) -> tuple[list[int], list[int]]:
    locations: list[int] = []
    values: list[int] = []
    for number, part in wire.fields(wire.blob(value)):
        if number in (1, 2):
            (locations if number == 1 else values).extend(_numbers(part))
    return locations, values


def _numbers(value: wire.Value) -> list[int]:
    """A repeated number, packed or not; negative ones as they are."""
    if isinstance(value, int):
        return [value - (1 << 64) if value >> 63 else value]
    numbers: list[int] = unpack_varints(wire.blob(value)).tolist()
    return numbers


def _location(profile: _Profile, value: wire.Value) -> None:
    identity = mapping = 0
    functions: list[int] = []
    for number, part in wire.fields(wire.blob(value)):
        if number == 1:
            identity = _int(part)
        elif number == 2:
            mapping = _int(part)
        elif number == 4:
            functions.append(_int(dict(wire.fields(wire.blob(part))).get(1, 0)))
    profile.locations[identity] = mapping, functions


def _values(profile: _Profile) -> tuple[int, int | None]:
    """Which value weighs a sample, and which counts it."""
    strings = profile.strings
    names = [strings[kind] for kind, _ in profile.kinds]
    counted = next((at for at, (_, unit) in enumerate(profile.kinds) if strings[unit] == "count"), None)
    if profile.default and strings[profile.default] in names:
        return names.index(strings[profile.default]), counted
    if "cpu" in names:
        return names.index("cpu"), counted
    return len(names) - 1, counted


def _recording(profile: _Profile, chosen: int, counted: int | None, path: str) -> Recording:
    strings = profile.strings
    kind, unit = (strings[at] for at in profile.kinds[chosen])
    as_ms = _MS.get(unit)
    builder = StackBuilder()
    for locations, values in profile.samples:
        weight = values[chosen] * (as_ms or 1.0)
        if weight <= 0:
            continue
        leaf = builder.stack(
            frame for location in reversed(locations) for frame in _frames(profile, location)
        )
        builder.add(leaf, weight, count=float(values[counted]) if counted is not None else 1.0)
    step = _MS.get(strings[profile.period_kind[1]])
    notes = () if as_ms or unit == "count" else (f"weights of {path} are {kind} in {unit}, shown as samples",)
    facts = Facts(
        source="pprof",
        unit="ms" if as_ms else "samples",
        event=strings[profile.period_kind[0]] or kind,
        hz=1000 / (profile.period * step) if step and profile.period else None,
        notes=notes,
    )
    return builder.build(path, facts)


def _frames(profile: _Profile, location: int) -> Iterator[Frame]:
    """A location's functions, outermost first: inlined ones stand before those they were inlined into."""
    mapping, functions = profile.locations[location]
    file = profile.strings[profile.files[mapping]] if mapping in profile.files else ""
    if not functions:
        yield Frame("", file)
    for function in reversed(functions):
        yield Frame(profile.strings[profile.functions[function]], file)
