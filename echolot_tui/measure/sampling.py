"""The callstack sampler and composable names: were they asked for, and what did they leave.

Both change how fast the app runs, so both are facts about the recording. Queries read the window's
tables, see ARCHITECTURE.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final, cast

import numpy as np
import numpy.typing as npt

from echolot_tui.checkout.names import is_minified_class
from echolot_tui.engine.model import TraceSession
from echolot_tui.frozen import Frozen
from echolot_tui.measure.model import AppNames, ComposeNames, Sampling

Int64s = npt.NDArray[np.int64]

_CONFIG: Final = "SELECT IFNULL(str_value, '') FROM metadata WHERE name = 'trace_config_pbtxt' ORDER BY id"

_STARTED: Final = "SELECT EXISTS (SELECT 1 FROM perf_session)"

_SAMPLES: Final = """
SELECT COUNT(*) AS samples, COUNT(p.callsite_id) AS with_stack
FROM perf_sample AS p JOIN thread AS t ON p.utid = t.utid JOIN window_bounds AS b
WHERE t.upid = (SELECT upid FROM process_info) AND p.ts BETWEEN b.ts AND b.end_ts
"""

_LEAVES: Final = """
SELECT DISTINCT p.callsite_id AS callsite
FROM perf_sample AS p JOIN thread AS t ON p.utid = t.utid JOIN window_bounds AS b
WHERE t.upid = (SELECT upid FROM process_info) AND p.ts BETWEEN b.ts AND b.end_ts
  AND p.callsite_id IS NOT NULL
"""

_CALLSITES: Final = """
SELECT id, IFNULL(parent_id, -1) AS parent, frame_id FROM stack_profile_callsite ORDER BY id
"""

_FRAMES: Final = """
SELECT f.id, f.name, f.deobfuscated_name, m.name AS mapping
FROM stack_profile_frame AS f JOIN stack_profile_mapping AS m ON f.mapping = m.id
WHERE f.name IS NOT NULL AND m.name IS NOT NULL
"""

_COMPOSABLE_CALLS: Final = """
SELECT COUNT(*) FROM window_slice WHERE is_main AND name GLOB '* ([A-Za-z]*.kt:[0-9]*)'
"""

_TOKEN: Final = re.compile(r'"(?P<text>(?:[^"\\]|\\.)*)"|(?P<word>[A-Za-z_]\w*)|(?P<number>-?\d[\w.]*)|[{}]')
_JIT_CACHE: Final = re.compile(r"jit-(?:code-)?cache")
_METHOD: Final = re.compile(
    r"(?:[\w.$<>\[\],]+ )?(?P<owner>[\w$]+(?:\.[\w$]+)*)\.(?P<method>[A-Za-z_$<][\w$<>|-]*)(?:\(.*\))?"
)
"""A method; ``load|parse`` where a mapping leaves open which."""


class DataSource(Frozen, frozen=True, kw_only=True):
    """One data source a recording config asks for."""

    name: str
    frequency: float | None = None
    """Of its first timebase, in hertz."""


def data_sources(config: str) -> tuple[DataSource, ...]:
    """The data sources of a recording config in Perfetto's text format.

    Args:
        config: As the trace stores it; text that is no config has none.
    """
    found: list[DataSource] = []
    blocks: list[tuple[str, dict[str, str]]] = [("", {})]
    word = ""
    for token in _TOKEN.finditer(config):
        if token[0] == "{":
            blocks.append((word, {}))
        elif token[0] == "}" and len(blocks) > 1:
            kind, fields = blocks.pop()
            if kind == "config" and "name" in fields:
                found.append(_source(fields))
            elif kind != "config" and "frequency" in fields:
                blocks[-1][1].setdefault("frequency", fields["frequency"])
        elif token["word"] is not None:
            word = token["word"]
        elif token[0] != "}":
            value = token["number"] if token["text"] is None else token["text"]
            blocks[-1][1].setdefault(word, value)
    return tuple(found)


def _source(fields: dict[str, str]) -> DataSource:
    rate = fields.get("frequency", "")
    return DataSource(name=fields["name"], frequency=float(rate) if rate.isdecimal() else None)


def sampling_facts(session: TraceSession, *, package: str) -> Sampling | None:
    """Whether a callstack sampler was asked for, ran, and what it got of this process in the window.

    Args:
        session: A trace with the window's tables.
        package: Application id; tells the app's own frames.

    Returns:
        ``None`` when it neither was asked for nor ran.
    """
    asked = [source for source in _recorded_sources(session) if source.name == "linux.perf"]
    started = bool(session.query(_STARTED).scalar())
    if not asked and not started:
        return None
    samples, with_stack = (cast(int, value) for value in next(session.query(_SAMPLES).tuples()))
    return Sampling(
        hz=next((source.frequency for source in asked if source.frequency is not None), None),
        asked=bool(asked),
        started=started,
        samples=samples,
        with_stack=with_stack,
        names=_app_names(session, package) if with_stack else None,
    )


def compose_names(session: TraceSession) -> ComposeNames | None:
    """Whether composable names were asked for, and how many main-thread calls in the window carry one.

    Args:
        session: A trace with the window's tables.

    Returns:
        ``None`` when they neither were asked for nor are there.
    """
    asked = any(source.name == "track_event" for source in _recorded_sources(session))
    calls = cast(int, session.query(_COMPOSABLE_CALLS).scalar())
    return ComposeNames(asked=asked, calls=calls) if asked or calls else None


def _recorded_sources(session: TraceSession) -> tuple[DataSource, ...]:
    return tuple(
        source for (config,) in session.query(_CONFIG).tuples() for source in data_sources(cast(str, config))
    )


def _app_names(session: TraceSession, package: str) -> AppNames:
    """The app's own methods on the process's stacks in the window, each once."""
    frames = session.query(_FRAMES)
    on_stacks = _frames_on_stacks(session)
    methods: dict[str, str | None] = {}
    for frame, name, clear, mapping in cast("Iterable[tuple[int, str, str | None, str]]", frames.tuples()):
        if frame in on_stacks and is_app_code(mapping, package) and _METHOD.fullmatch(name):
            methods[name] = clear
    has_mapping = any(clear is not None for clear in frames["deobfuscated_name"].tolist())
    return AppNames(
        methods=len(methods),
        minified=sum(is_minified(clear or name) for name, clear in methods.items()),
        renamed=sum(clear not in (None, name) for name, clear in methods.items()) if has_mapping else None,
    )


def _frames_on_stacks(session: TraceSession) -> set[int]:
    """Ids of every frame between the leaves of the process's samples and their roots."""
    callsites = session.query(_CALLSITES)
    ids, parents, frames = callsites["id"], callsites["parent"], callsites["frame_id"]
    reached = np.zeros(callsites.rows, dtype=bool)
    front: Int64s = np.searchsorted(ids, session.query(_LEAVES)["callsite"].astype(np.int64))
    while len(front):
        reached[front] = True
        above = parents[front]
        above = np.searchsorted(ids, np.unique(above[above >= 0]))
        front = above[~reached[above]]
    found: list[Any] = np.unique(frames[reached]).tolist()
    return set(found)


def is_app_code(mapping: str, package: str) -> bool:
    """Whether code mapped from this path is the app's own Java or Kotlin.

    Args:
        mapping: Path of the mapped file.
        package: Application id.
    """
    if _JIT_CACHE.search(mapping):
        return True
    return bool(package) and f"/{package}-" in mapping and not mapping.endswith(".so")


def is_minified(method: str) -> bool:
    """Whether a method's class has a name as R8 writes it: up to three small letters and digits."""
    named = _METHOD.fullmatch(method)
    return named is not None and is_minified_class(named["owner"])
