"""speedscope's own files: https://www.speedscope.app/file-format-schema.json."""

from __future__ import annotations

from typing import Final, Literal

import msgspec

from echolot_tui.profiles.stacks import Facts, Frame, ProfileError, Recording, StackBuilder, Thread

SCHEMA: Final = "https://www.speedscope.app/file-format-schema.json"
_MS: Final = {"nanoseconds": 1e-6, "microseconds": 1e-3, "milliseconds": 1.0, "seconds": 1e3}


class _Frame(msgspec.Struct):
    name: str
    file: str | None = None


class _Shared(msgspec.Struct):
    frames: list[_Frame]


class _Event(msgspec.Struct):
    type: Literal["O", "C"]
    at: float
    frame: int


class _Sampled(msgspec.Struct, tag="sampled"):
    unit: str
    samples: list[list[int]]
    weights: list[float]
    name: str = ""
    start: float = msgspec.field(default=0.0, name="startValue")


class _Evented(msgspec.Struct, tag="evented"):
    unit: str
    events: list[_Event]
    name: str = ""


class _File(msgspec.Struct):
    shared: _Shared
    profiles: list[_Sampled | _Evented]
    exporter: str = ""


def read_speedscope(content: bytes, *, path: str) -> Recording:
    """Read all profiles of a file, each as a thread.

    Args:
        content: The file.
        path: For messages.

    Raises:
        ProfileError: It does not follow the format, or holds no samples.
    """
    try:
        file = msgspec.json.decode(content, type=_File)
        return _recording(file, path)
    except (msgspec.DecodeError, UnicodeDecodeError, IndexError) as error:
        raise ProfileError(f"is no speedscope file ({error})", where=path) from error


def _recording(file: _File, path: str) -> Recording:
    frames = [Frame(one.name, one.file or "") for one in file.shared.frames]
    builder = StackBuilder()
    for profile in file.profiles:
        scale = _MS.get(profile.unit)
        thread = Thread("", profile.name)
        if isinstance(profile, _Sampled):
            _add_samples(builder, profile, frames, thread, scale)
        else:
            _add_events(builder, profile, frames, thread, scale or 1.0)
    timed = all(profile.unit in _MS for profile in file.profiles)
    exact = all(isinstance(profile, _Evented) for profile in file.profiles)
    return builder.build(
        path,
        Facts(
            source="speedscope",
            unit="ms" if timed else "samples",
            event="wall time" if timed else "",
            exact=exact,
            notes=() if timed else _unit_notes(file, path),
        ),
    )


def _unit_notes(file: _File, path: str) -> tuple[str, ...]:
    units = sorted({profile.unit for profile in file.profiles} - {"none"} - set(_MS))
    return (f"weights of {path} are in {' and '.join(units)}, shown as samples",) if units else ()


def _add_samples(
    builder: StackBuilder, profile: _Sampled, frames: list[Frame], thread: Thread, scale: float | None
) -> None:
    if len(profile.samples) != len(profile.weights):
        raise IndexError("as many weights as samples are needed")
    at = profile.start
    for stack, weight in zip(profile.samples, profile.weights, strict=True):
        ts = round(at * scale * 1e6) if scale else None
        at += weight
        if weight > 0:
            leaf = builder.stack(frames[number] for number in stack)
            builder.add(leaf, weight * (scale or 1.0), count=1.0 if scale else weight, ts=ts, thread=thread)


def _add_events(
    builder: StackBuilder, profile: _Evented, frames: list[Frame], thread: Thread, scale: float
) -> None:
    """Time between two events belongs to the innermost open frame."""
    open_nodes: list[int] = []
    last = profile.events[0].at if profile.events else 0.0
    for event in profile.events:
        if open_nodes and event.at > last:
            builder.add(open_nodes[-1], (event.at - last) * scale, thread=thread)
        last = event.at
        if event.type == "O":
            open_nodes.append(builder.node(open_nodes[-1] if open_nodes else -1, frames[event.frame]))
        elif open_nodes:
            open_nodes.pop()
