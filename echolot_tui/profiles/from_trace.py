"""The stacks of a trace, asked of its engine: sampled ones if there are any, else its nested slices."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import Final, cast

import numpy as np
from msgspec.structs import replace

from echolot_tui.engine.model import TraceSession
from echolot_tui.measure.main_thread import running_ns
from echolot_tui.measure.process import choose_process
from echolot_tui.measure.sampling import data_sources
from echolot_tui.measure.survey import survey
from echolot_tui.measure.window import find_windows
from echolot_tui.profiles.from_slices import slice_recording
from echolot_tui.profiles.stacks import (
    NO_STACK,
    Facts,
    Frame,
    Ints,
    ProfileError,
    Recording,
    Selection,
    Thread,
    select,
)

_TABLES: Final = ("perf_sample", "cpu_profile_stack_sample")
_SAMPLES: Final = """
SELECT ts, utid, IFNULL(callsite_id, -1) AS callsite FROM {table} AS t
WHERE utid IS NOT NULL {which} ORDER BY ts
"""
_CALLSITES: Final = (
    "SELECT id, IFNULL(parent_id, -1) AS parent, frame_id FROM stack_profile_callsite ORDER BY id"
)
_FRAMES: Final = """
SELECT f.id, IFNULL(f.deobfuscated_name, IFNULL(f.name, '')) AS name, IFNULL(m.name, '') AS module,
  f.symbol_set_id AS symbols
FROM stack_profile_frame AS f LEFT JOIN stack_profile_mapping AS m ON f.mapping = m.id ORDER BY f.id
"""
_SYMBOLS: Final = """
SELECT symbol_set_id AS symbols, name FROM stack_profile_symbol
WHERE name IS NOT NULL ORDER BY symbol_set_id, id DESC
"""
_THREADS: Final = """
SELECT t.utid, IFNULL(t.name, '') AS thread, p.pid AS pid, t.tid AS tid, IFNULL(p.name,
  IFNULL((SELECT m.name FROM thread AS m WHERE m.upid = t.upid AND m.tid = p.pid), '')) AS process
FROM thread AS t LEFT JOIN process AS p ON t.upid = p.upid ORDER BY t.utid
"""
_METADATA: Final = "SELECT name, str_value FROM metadata WHERE str_value IS NOT NULL ORDER BY id"
_COMMANDS: Final = "SELECT IFNULL(cmdline, '') FROM perf_session ORDER BY id"
_COUNTER: Final = re.compile(r"counter:\s*(\w+)|tracepoint\s*\{[^}]*name:\s*\"([^\"]+)\"")
_EVENT_FLAG: Final = re.compile(r"(?:^|\s)-e\s+(\S+)")
_RATE_FLAG: Final = re.compile(r"(?:^|\s)-[fF]\s*(\d+)")
_WALKER_FLAG: Final = re.compile(r"(?:^|\s)(-g|--call-graph[ =]\S+)")


@dataclass(frozen=True, slots=True)
class _Window:
    """Between the anchors, in one process."""

    start_ns: int
    end_ns: int
    upid: int

    @property
    def threads(self) -> str:
        """Condition on the threads of table ``t``."""
        return f"AND t.utid IN (SELECT utid FROM thread WHERE upid = {self.upid})"  # noqa: S608 - a number


def record_of(session: TraceSession, selection: Selection) -> Recording:
    """The stacks of one trace.

    With anchors, only the samples of the process that owns them, between them.

    Args:
        session: The trace.
        selection: Which samples count.

    Raises:
        ProfileError: There are no stacks in it, or none is left of them.
    """
    window = _window(session, selection)
    if window is not None:
        selection = replace(selection, process=None)
    table = next((table for table in _TABLES if _holds(session, table)), None)
    threads = threads_of(session)
    if table is not None:
        return select(_sampled(session, table, window, threads), selection)
    bounds = None if window is None else (window.start_ns, window.end_ns)
    return slice_recording(session, selection, bounds, threads, window.threads if window else "")


def _holds(session: TraceSession, table: str) -> bool:
    return bool(session.query(f"SELECT 1 FROM {table} LIMIT 1").rows)  # noqa: S608 - one of two names


def _window(session: TraceSession, selection: Selection) -> _Window | None:
    """Between the anchors; None without any."""
    if not selection.by_anchors:
        return None
    everyone, running = survey(session), running_ns(session)
    seen, _ = choose_process(session, everyone, running, mask=selection.process, start=selection.start)
    found = find_windows(session, everyone, seen, start=selection.start, end=selection.end).windows[0]
    for anchor in (found.start, found.end):
        if anchor is not None and not anchor.matches:
            raise ProfileError(f'no slice matches the anchor "{anchor.glob}"', where=str(session.path))
    return _Window(found.start_ns, found.end_ns, seen.upid)


def _sampled(
    session: TraceSession, table: str, window: _Window | None, known: dict[int, Thread]
) -> Recording:
    which = f"AND ts BETWEEN {window.start_ns} AND {window.end_ns} {window.threads}" if window else ""
    samples = session.query(_SAMPLES.format(table=table, which=which))
    if not samples.rows:
        raise ProfileError("no sample was taken in the window", where=str(session.path))
    nodes = _Nodes(session, script=_is_script(session, table))
    utids, thread = np.unique(samples["utid"].astype(np.int64), return_inverse=True)
    ones = np.ones(samples.rows)
    return Recording(
        path=str(session.path),
        facts=_facts(session, table),
        frames=tuple(nodes.frames),
        parent=np.array(nodes.parent, dtype=np.int64),
        frame=np.array(nodes.frame, dtype=np.int64),
        leaf=nodes.innermost(samples["callsite"].astype(np.int64)),
        weight=ones,
        count=ones,
        ts=samples["ts"].astype(np.int64),
        thread=thread.astype(np.int64),
        threads=tuple(known[int(utid)] for utid in utids),
    )


class _Nodes:
    """The engine's call sites as nodes, inlined functions as nodes of their own."""

    def __init__(self, session: TraceSession, *, script: bool) -> None:
        self.frames: dict[Frame, int] = {Frame(NO_STACK): 0}
        self.parent = [-1]
        self.frame = [0]
        callsites = session.query(_CALLSITES)
        frames = self._frames(session, script)
        self._ids: Ints = callsites["id"].astype(np.int64)
        last: dict[int, int] = {-1: -1}
        rows = zip(
            self._ids.tolist(), callsites["parent"].tolist(), callsites["frame_id"].tolist(), strict=True
        )
        for callsite, parent, frame in rows:
            at = last[parent]
            for number in frames[frame]:
                self.parent.append(at)
                self.frame.append(number)
                at = len(self.parent) - 1
            last[callsite] = at
        self._last = np.array([0, *(last[callsite] for callsite in self._ids.tolist())], dtype=np.int64)

    def innermost(self, callsites: Ints) -> Ints:
        """Per call site its innermost node; the one of a missing stack for -1."""
        place = np.searchsorted(self._ids, callsites) + 1
        return self._last[np.where(callsites < 0, 0, place)]

    def _frames(self, session: TraceSession, script: bool) -> dict[int, list[int]]:
        """Per frame of the engine the numbers of its functions, outermost first."""
        inlined: dict[int, list[str]] = defaultdict(list)
        for symbols, name in session.query(_SYMBOLS).tuples():
            inlined[cast(int, symbols)].append(str(name))
        found: dict[int, list[int]] = {}
        for frame, name, module, symbols in session.query(_FRAMES).tuples():
            names = inlined.get(cast(int, symbols)) if symbols is not None else None
            nameless = "(anonymous)" if script else ""
            found[cast(int, frame)] = [
                self.frames.setdefault(Frame(one or nameless, str(module)), len(self.frames))
                for one in names or [str(name)]
            ]
        return found


def threads_of(session: TraceSession) -> dict[int, Thread]:
    """Name and process of every thread, by utid."""
    found = {}
    for utid, thread, pid, tid, process in session.query(_THREADS).tuples():
        owner = str(process) or (f"pid {pid}" if pid is not None else str(thread))
        name = str(thread) or f"thread {tid}"
        found[cast(int, utid)] = Thread(
            owner, name, cast("int | None", pid), is_main=pid is not None and tid == pid
        )
    return found


def _is_script(session: TraceSession, table: str) -> bool:
    """Whether nameless functions are a script's anonymous ones: then they are known, not unresolved."""
    kinds = [value for name, value in session.query(_METADATA).tuples() if name == "trace_type"]
    return table == "cpu_profile_stack_sample" and kinds[:1] in (["json"], ["proto"])


def _facts(session: TraceSession, table: str) -> Facts:
    metadata = {str(name): str(value) for name, value in session.query(_METADATA).tuples()}
    commands = [str(command) for (command,) in session.query(_COMMANDS).tuples() if command]
    config = metadata.get("trace_config_pbtxt", "")
    command = commands[0] if commands else ""
    return Facts(
        source={"perf_text": "perf script", "gecko": "gecko"}.get(metadata.get("trace_type", ""), table),
        event=_event(config, command, table, metadata.get("trace_type", "")),
        hz=_rate(config, command),
        unwinding=_found(_WALKER_FLAG, command),
        machine=" ".join(
            metadata[key]
            for key in (
                "android_build_fingerprint",
                "android_device_manufacturer",
                "system_release",
                "system_machine",
            )
            if metadata.get(key) and not metadata[key].startswith("Must use")
        ),
    )


def _event(config: str, command: str, table: str, kind: str) -> str:
    asked = _COUNTER.search(config)
    if asked:
        return asked[1] or asked[2]
    if table == "cpu_profile_stack_sample" and kind in ("json", "gecko"):
        return "wall time"
    return _found(_EVENT_FLAG, command)


def _rate(config: str, command: str) -> float | None:
    for source in data_sources(config):
        if source.name == "linux.perf" and source.frequency:
            return source.frequency
    rate = _found(_RATE_FLAG, command)
    return float(rate) if rate else None


def _found(pattern: re.Pattern[str], text: str) -> str:
    match = pattern.search(text)
    return match[1] if match else ""
