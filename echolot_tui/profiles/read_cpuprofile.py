"""The CPU profiles of Chrome's and Node's own tools (``.cpuprofile``)."""

from __future__ import annotations

import msgspec

from echolot_tui.profiles.stacks import Facts, Frame, ProfileError, Recording, StackBuilder


class _Call(msgspec.Struct):
    name: str = msgspec.field(name="functionName", default="")
    url: str = ""


class _Node(msgspec.Struct):
    id: int
    call: _Call = msgspec.field(name="callFrame")
    children: list[int] = []
    parent: int | None = None


class _File(msgspec.Struct):
    nodes: list[_Node]
    start: float = msgspec.field(name="startTime")
    samples: list[int]
    steps: list[float] = msgspec.field(name="timeDeltas")


def read_cpuprofile(content: bytes, *, path: str) -> Recording:
    """Read one profile; each sample weighs 1.

    Args:
        content: The file.
        path: For messages.

    Raises:
        ProfileError: It does not follow the format, or holds no samples.
    """
    try:
        file = msgspec.json.decode(content, type=_File)
        return _recording(file, path)
    except (msgspec.DecodeError, UnicodeDecodeError, KeyError, ValueError) as error:
        raise ProfileError(f"is no CPU profile ({error})", where=path) from error


def _recording(file: _File, path: str) -> Recording:
    above = {child: node.id for node in file.nodes for child in node.children}
    above |= {node.id: node.parent for node in file.nodes if node.parent is not None}
    by_id = {node.id: node for node in file.nodes}
    builder = StackBuilder()
    made: dict[int, int] = {}
    for wanted in by_id:
        way: list[int] = []
        at: int | None = wanted
        while at is not None and at not in made and len(way) <= len(by_id):
            way.append(at)
            at = above.get(at)
        for identity in reversed(way):
            call = by_id[identity].call
            caller = above.get(identity)
            frame = Frame(call.name or "(anonymous)", call.url)
            made[identity] = builder.node(-1 if caller is None else made[caller], frame)
    at_us = file.start
    for sample, step in zip(file.samples, file.steps, strict=True):
        at_us += step
        builder.add(made[sample], 1.0, ts=round(at_us * 1000))
    return builder.build(path, Facts(source="CPU profile", event="wall time"))
