"""Firefox Profiler files: as the browser or simpleperf write them, and as the profiler saves them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from echolot_tui.profiles.stacks import Facts, Frame, ProfileError, Recording, StackBuilder, Thread

_IN: Final = re.compile(r"(?P<name>.*) \(in (?P<module>[^()]*)\)")
_URL: Final = re.compile(r"(?P<name>.*) \((?P<module>[^()]+?)(:\d+)*\)")


def read_gecko(content: bytes, *, path: str) -> Recording:
    """Read every thread of every process.

    Args:
        content: The file.
        path: For messages.

    Raises:
        ProfileError: It does not follow the format, or holds no samples.
    """
    try:
        file = msgspec.json.decode(content)
        builder = StackBuilder()
        shared = file.get("shared", {})
        for thread in _threads(file):
            table = _Raw(thread) if "stringTable" in thread else _Saved(thread, shared, file)
            _add(builder, table, _where(thread), float(file["meta"].get("startTime", 0.0)))
        return builder.build(path, _facts(file))
    except (
        msgspec.DecodeError,
        UnicodeDecodeError,
        KeyError,
        IndexError,
        TypeError,
        AttributeError,
    ) as error:
        what = f"is no Firefox profile that can be read ({type(error).__name__}: {error})"
        raise ProfileError(what, where=path) from error


def _threads(file: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield from file.get("threads", ())
    for process in file.get("processes", ()):
        yield from _threads(process)


def _where(thread: Mapping[str, Any]) -> Thread:
    pid = thread.get("pid")
    known = int(pid) if isinstance(pid, int) or (isinstance(pid, str) and pid.isdecimal()) else None
    return Thread(str(thread.get("processName") or ""), str(thread.get("name") or ""), known)


def _facts(file: Mapping[str, Any]) -> Facts:
    meta = file["meta"]
    interval = meta.get("interval")
    return Facts(
        source="gecko",
        event="wall time",
        hz=1000 / interval if interval else None,
        machine=" ".join(str(meta[key]) for key in ("oscpu", "abi", "platform") if meta.get(key)),
    )


class _Raw:
    """Tables with a ``schema`` that says which column is where."""

    def __init__(self, thread: Mapping[str, Any]) -> None:
        strings, stacks = thread["stringTable"], thread["stackTable"]
        prefix, at = (stacks["schema"][key] for key in ("prefix", "frame"))
        self.prefixes = [row[prefix] for row in stacks["data"]]
        self.frames = [row[at] for row in stacks["data"]]
        location = thread["frameTable"]["schema"]["location"]
        self._frames = [located(strings[row[location]]) for row in thread["frameTable"]["data"]]
        schema, rows = thread["samples"]["schema"], thread["samples"]["data"]
        self.stacks = [_cell(row, schema["stack"]) for row in rows]
        self.times = [float(row[schema["time"]]) for row in rows]
        self.weights: Sequence[float] | None = None

    def frame(self, number: int) -> Frame:
        """One frame."""
        return self._frames[number]


class _Saved:
    """Tables of columns; newer files share them between threads."""

    def __init__(self, thread: Mapping[str, Any], shared: Mapping[str, Any], file: Mapping[str, Any]) -> None:
        self._tables = {
            **shared,
            **{key: value for key, value in thread.items() if key.endswith(("Table", "Array"))},
        }
        self._libs = file.get("libs", ())
        self.prefixes = self._prefixes()
        self.frames = self._tables["stackTable"]["frame"]
        samples = thread["samples"]
        self.stacks = samples["stack"]
        self.times = _times(samples)
        self.weights = samples.get("weight")

    def _prefixes(self) -> list[int | None]:
        table = self._tables["stackTable"]
        if "prefix" in table:
            return list(table["prefix"])
        return [None if not step else at - step for at, step in enumerate(table["prefixDelta"])]

    def frame(self, number: int) -> Frame:
        """One frame; its file is its resource's library."""
        strings, functions = self._tables["stringArray"], self._tables["funcTable"]
        function = self._tables["frameTable"]["func"][number]
        resource = functions.get("resource", [-1] * (function + 1))[function]
        name = strings[functions["name"][function]]
        if resource is None or resource < 0:
            return Frame(name)
        return Frame(name, strings[self._tables["resourceTable"]["name"][resource]])


def located(location: str) -> Frame:
    """A location's function and file: ``f (in lib)``, ``f (url:line:column)`` or a bare name."""
    for pattern in (_IN, _URL):
        parsed = pattern.fullmatch(location)
        if parsed and (pattern is _IN or "/" in parsed["module"] or ":" in location):
            return Frame(parsed["name"], parsed["module"])
    return Frame(location)


def _cell(row: Sequence[Any], at: int) -> Any:
    return row[at] if at < len(row) else None


def _times(samples: Mapping[str, Any]) -> list[float]:
    if "time" in samples:
        return [float(moment) for moment in samples["time"]]
    times, at = [], 0.0
    for step in samples["timeDeltas"]:
        at += step
        times.append(at)
    return times


def _add(builder: StackBuilder, table: _Raw | _Saved, thread: Thread, start_ms: float) -> None:
    """Stacks stand after their prefixes, so one pass makes all nodes."""
    nodes: list[int] = []
    for prefix, frame in zip(table.prefixes, table.frames, strict=True):
        nodes.append(builder.node(-1 if prefix is None else nodes[prefix], table.frame(frame)))
    weights = table.weights or [1.0] * len(table.stacks)
    for stack, time, weight in zip(table.stacks, table.times, weights, strict=True):
        leaf = builder.stack(()) if stack is None else nodes[stack]
        if weight > 0:
            builder.add(leaf, weight, count=weight, ts=round((start_ms + time) * 1e6), thread=thread)
