"""What sampled call stacks say about CPU time outside every slice.

Of a sample's stack two things are told. What ran: the first Java or Kotlin method from the leaf, else the
first function with a name, else the leaf's file in brackets. And the nearest method of the app's own; a
stack without one either reaches a thread's entry, or was cut on the way there.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any, Final

import msgspec
import numpy as np
import numpy.typing as npt

from echolot_tui.engine.model import TraceSession
from echolot_tui.frozen import Cell
from echolot_tui.measure.own_code import OwnCode
from echolot_tui.text import visible
from echolot_tui.units import percent

Ints = npt.NDArray[np.int64]

_LISTED: Final = 10
_TOLD: Final = 2
_NAME_SHOWN: Final = 48
_NO_OWN: Final = {True: "none", False: "cut"}
"""In the place of an own method: the stack is whole and has none, or it was cut."""

_SAMPLES: Final = """
SELECT s.utid, s.ts, IFNULL(s.callsite_id, -1) AS callsite
FROM process_thread AS t JOIN perf_sample AS s USING (utid) JOIN window_bounds AS b
WHERE s.ts BETWEEN b.ts AND b.end_ts
ORDER BY s.utid, s.ts
"""
_TOPS: Final = "SELECT utid, ts, dur FROM window_top ORDER BY utid, ts"
_THREADS: Final = "SELECT utid, thread_name, is_main FROM process_thread"
_CALLSITES: Final = (
    "SELECT id, IFNULL(parent_id, -1) AS parent, frame_id AS frame FROM stack_profile_callsite ORDER BY id"
)
_FRAMES: Final = """
SELECT f.id, COALESCE(f.deobfuscated_name, DEMANGLE(f.name), f.name, '') AS name,
  IFNULL(m.name, '') AS mapping
FROM stack_profile_frame AS f LEFT JOIN stack_profile_mapping AS m ON m.id = f.mapping
"""

_MANAGED: Final = re.compile(
    r"(?:[\w.$<>\[\],]+ )?(?P<method>[A-Za-z_$][\w$]*(?:\.[A-Za-z_$<][\w$<>|-]*)+)(?:\(.*\))?"
)
_MANAGED_FILE: Final = re.compile(r"\.(?:oat|odex|vdex|dex|apk|jar|art)\b|jit-(?:code-)?cache|^$")
_SUFFIX: Final = re.compile(
    r"(?:\.(?:llvm|isra|constprop|part|cold|cfi|lto_priv)(?:\.\d+)*|\s*\[clone [^\]]*\])+$"
)
_FAILED: Final = re.compile(r"ERROR [A-Z_]+")
_ENTRY: Final = re.compile(
    r"_*(?:libc_)?(?:p?thread_)?start(?:_thread|_main)?(?:_impl)?(?:\(.*\))?|__libc_init|main|clone3?|ret_from_fork\w*"
    r"|java\.lang\.Thread\.run|com\.android\.internal\.os\.ZygoteInit\.main"
)


class _Stack(msgspec.Struct, frozen=True):
    """What one callsite says, from itself to its root."""

    ran: str | None
    """First method, or nothing."""
    named: str | None
    """First function with a name."""
    file: str
    own: str | None
    whole: bool

    @property
    def leaf(self) -> str:
        return self.ran or self.named or self.file


def with_stacks(
    session: TraceSession, rows: Sequence[dict[str, Cell]], own: OwnCode
) -> list[dict[str, Cell]]:
    """Add to each row what the samples outside its threads' slices say: to ``detail``, and as ``stacks``.

    Args:
        session: A trace with the window's tables, ``window_top`` among them.
        rows: Rows with the columns ``location``, ``thread`` and ``detail``.
        own: Tells the app's own methods.

    Returns:
        The rows; unchanged when the trace has no samples.

    Raises:
        QueryError: The engine refused.
    """
    if not rows or not session.query("SELECT 1 FROM perf_sample LIMIT 1").rows:
        return list(rows)
    package = str(session.query("SELECT package FROM process_info").scalar() or "")
    callsites = _samples(session)
    stacks = _read_stacks(session, package, own) if any(map(len, callsites.values())) else {}
    return [_told(row, callsites.get((row["location"], row["thread"]), []), stacks) for row in rows]


def _samples(session: TraceSession) -> dict[tuple[Cell, Cell], list[int]]:
    """Callsites (-1 for none) of the samples outside slices, by row: thread name, and main or not."""
    samples, tops = session.query(_SAMPLES), session.query(_TOPS)
    found: dict[tuple[Cell, Cell], list[int]] = defaultdict(list)
    for utid, name, is_main in session.query(_THREADS).tuples():
        mine = samples["utid"] == utid
        if not mine.any():
            continue
        of_thread = tops["utid"] == utid
        blind = _outside(samples["ts"][mine], tops["ts"][of_thread], tops["dur"][of_thread])
        found[name, "main" if is_main else "background"] += samples["callsite"][mine][blind].tolist()
    return found


def _outside(moments: Ints, starts: Ints, lengths: Ints) -> npt.NDArray[np.bool_]:
    """Which moments lie in none of some disjoint intervals in order."""
    if not len(starts):
        return np.ones(len(moments), dtype=bool)
    at = np.searchsorted(starts, moments, side="right") - 1
    outside: npt.NDArray[np.bool_] = (at < 0) | (moments >= (starts + lengths)[at])
    return outside


def _read_stacks(session: TraceSession, package: str, own: OwnCode) -> dict[int, _Stack]:
    """What each callsite says; a callsite's parent comes before it, so each is read once."""
    frames = {number: (str(name), str(mapping)) for number, name, mapping in session.query(_FRAMES).tuples()}
    read: dict[Cell, tuple[str | None, str | None, bool]] = {
        number: _read_frame(name, mapping, package, own) for number, (name, mapping) in frames.items()
    }
    stacks: dict[int, _Stack] = {}
    for number, parent, frame in session.query(_CALLSITES).tuples():
        assert isinstance(number, int)
        assert isinstance(parent, int)
        method, named, is_own = read[frame]
        above = stacks.get(parent)
        stacks[number] = _Stack(
            ran=method or (above.ran if above else None),
            named=named or (above.named if above else None),
            file=f"[{frames[frame][1].rpartition('/')[2] or 'unknown'}]",
            own=method if is_own else above.own if above else None,
            whole=above.whole if above else named is not None and _ENTRY.fullmatch(named) is not None,
        )
    return stacks


def _read_frame(name: str, mapping: str, package: str, own: OwnCode) -> tuple[str | None, str | None, bool]:
    """A frame's Java or Kotlin method, its name of any kind, and whether the method is the app's own."""
    if not name or _FAILED.fullmatch(name):
        return None, None, False
    plain = _SUFFIX.sub("", name)
    managed = _MANAGED.fullmatch(plain) if _MANAGED_FILE.search(mapping) else None
    if managed is None:
        return None, plain, False
    method = managed["method"]
    return method, method, own.has_method(method, mapping, package)


def _told(row: dict[str, Cell], callsites: Sequence[int], stacks: dict[int, _Stack]) -> dict[str, Cell]:
    known = [stacks[callsite] for callsite in callsites if callsite in stacks]
    leaf = Counter(stack.leaf for stack in known)
    own = Counter((stack.own or _NO_OWN[stack.whole], stack.own is None) for stack in known)
    if not callsites:
        told = "no samples"
    elif not known:
        told = f"{len(callsites)} samples, none with a stack"
    else:
        ours = Counter({name: count for (name, _), count in own.items()})
        told = f"{len(known)} stacks: {_shares(leaf, len(known))} · ours: {_shares(ours, len(known))}"
    stored: dict[str, Any] = {"samples": len(callsites), "with_stack": len(known)}
    if known:
        stored["leaf"] = [_entry(name, count, len(known)) for name, count in _largest(leaf)[:_LISTED]]
        stored["ours"] = [
            _entry(name, count, len(known))
            | ({"stack": "whole" if name == "none" else "cut"} if nobody else {})
            for (name, nobody), count in _largest(own)[:_LISTED]
        ]
        more = {"leaf": len(leaf) - _LISTED, "ours": len(own) - _LISTED}
        if any(count > 0 for count in more.values()):
            stored["more"] = {kind: count for kind, count in more.items() if count > 0}
    return row | {"detail": f"{row['detail']} · {told}", "stacks": msgspec.json.encode(stored).decode()}


def _largest(counts: Counter[Any]) -> list[tuple[Any, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def _shares(counts: Counter[str], whole: int) -> str:
    return ", ".join(
        f"{visible(name, _NAME_SHOWN)} {percent(count, whole)}%" for name, count in _largest(counts)[:_TOLD]
    )


def _entry(name: str, count: int, whole: int) -> dict[str, Any]:
    return {"frame": name, "samples": count, "pct": percent(count, whole)}
