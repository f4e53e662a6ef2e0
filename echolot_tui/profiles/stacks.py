"""One recording's stacks: a tree of frames, and samples that point into it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Final, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from echolot_tui.errors import EcholotError
from echolot_tui.frozen import Frozen

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Unit = Literal["samples", "ms"]

NO_STACK: Final = "(no stack)"
"""The one frame of a sample whose stack could not be walked."""

_SAMPLERS: Final = frozenset(
    {
        "traced",
        "traced_perf",
        "traced_probes",
        "perfetto",
        "heapprofd",
        "simpleperf",
        "perf",
        "tracebox",
        "py-spy",
    }
)


class ProfileError(EcholotError):
    """A file that was read as a profile is none, or holds nothing to compare."""


class Frame(NamedTuple):
    """One function and the file its code is in; a nameless one could not be resolved."""

    name: str
    module: str = ""


MAIN: Final = "main"
"""A process's main thread, whatever it is called."""


class Thread(NamedTuple):
    """Where a sample was taken."""

    process: str
    name: str
    pid: int | None = None
    is_main: bool = False
    """Of its process, as far as the file knows."""

    @property
    def is_sampler(self) -> bool:
        """Whether the recording watched itself there."""
        return self.process.rpartition("/")[2] in _SAMPLERS


class Facts(Frozen, frozen=True, kw_only=True):
    """What is known of how a recording was made; an empty text is "not recorded"."""

    source: str
    """Kind of file or table the stacks come from."""
    unit: Unit = "samples"
    event: str = ""
    """What the sampler counts: cycles, CPU clock, wall time."""
    hz: float | None = None
    """The rate that was asked for."""
    unwinding: str = ""
    machine: str = ""
    workload: str = ""
    exact: bool = False
    """Times were measured from begin to end, not sampled: there is no counting noise."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Recording:
    """Samples of one run.

    Attributes:
        path: The file.
        facts: How it was made.
        frames: Every frame once.
        parent: Per node of the call tree the node of its caller, -1 for an outermost one. Callers stand
            before what they call.
        frame: Per node, position in ``frames``.
        leaf: Per sample the node it was taken in.
        weight: Per sample, in ``facts.unit``.
        count: Per sample how many samples it stands for.
        ts: Per sample its moment in nanoseconds; None when the file does not say.
        thread: Per sample, position in ``threads``.
        threads: Every thread once.
        left_out: Samples of the sampler's own threads, which are in none of the arrays.
    """

    path: str
    facts: Facts
    frames: tuple[Frame, ...]
    parent: Ints
    frame: Ints
    leaf: Ints
    weight: Floats
    count: Floats
    ts: Ints | None = None
    thread: Ints
    threads: tuple[Thread, ...]
    left_out: float = 0.0

    @property
    def samples(self) -> float:
        """How many samples there are."""
        return float(self.count.sum())

    def seen_hz(self) -> float | None:
        """One over the median time between neighbouring samples of a thread: the rate while it ran."""
        if self.ts is None or len(self.ts) < 3 or self.facts.exact:
            return None
        order = np.lexsort((self.ts, self.thread))
        steps = np.diff(self.ts[order])[np.diff(self.thread[order]) == 0]
        steps = steps[steps > 0]
        return 1e9 / float(np.median(steps)) if len(steps) else None


@dataclass(slots=True)
class StackBuilder:
    """A recording being read: frames and nodes are kept once."""

    frames: dict[Frame, int] = field(default_factory=dict)
    nodes: dict[tuple[int, int], int] = field(default_factory=dict)
    threads: dict[Thread, int] = field(default_factory=dict)
    leaf: list[int] = field(default_factory=list)
    weight: list[float] = field(default_factory=list)
    count: list[float] = field(default_factory=list)
    ts: list[int] = field(default_factory=list)
    thread: list[int] = field(default_factory=list)

    def node(self, parent: int, frame: Frame) -> int:
        """The node of ``frame`` called from ``parent``."""
        key = parent, self.frames.setdefault(frame, len(self.frames))
        return self.nodes.setdefault(key, len(self.nodes))

    def stack(self, frames: Iterable[Frame]) -> int:
        """The node of a stack's innermost frame; frames come outermost first."""
        at = -1
        for frame in frames:
            at = self.node(at, frame)
        return at if at >= 0 else self.node(-1, Frame(NO_STACK))

    def add(
        self,
        leaf: int,
        weight: float,
        *,
        count: float = 1.0,
        ts: int | None = None,
        thread: Thread | None = None,
    ) -> None:
        """One sample, or several of the same stack."""
        self.leaf.append(leaf)
        self.weight.append(weight)
        self.count.append(count)
        if ts is not None:
            self.ts.append(ts)
        self.thread.append(self.threads.setdefault(thread or Thread("", ""), len(self.threads)))

    def build(self, path: str, facts: Facts) -> Recording:
        """The recording.

        Raises:
            ProfileError: There is no sample in it.
        """
        if not self.leaf:
            raise ProfileError("holds no samples", where=path)
        nodes = np.array(list(self.nodes), dtype=np.int64).reshape(-1, 2)
        return Recording(
            path=path,
            facts=facts,
            frames=tuple(self.frames),
            parent=nodes[:, 0],
            frame=nodes[:, 1],
            leaf=np.array(self.leaf, dtype=np.int64),
            weight=np.array(self.weight, dtype=np.float64),
            count=np.array(self.count, dtype=np.float64),
            ts=np.array(self.ts, dtype=np.int64) if len(self.ts) == len(self.leaf) else None,
            thread=np.array(self.thread, dtype=np.int64),
            threads=tuple(self.threads),
        )


class Selection(Frozen, frozen=True, kw_only=True):
    """Which samples of a recording count."""

    process: str | None = None
    """GLOB of process names, or ``pid:N``."""
    thread: str | None = None
    """GLOB of thread names; ``main`` is every process's main thread as well."""
    start: str | None = None
    """GLOB of the slice the window starts with; traces only."""
    end: str | None = None
    """GLOB of the slice whose end closes the window; traces only."""
    from_ms: float | None = None
    """After the first sample."""
    to_ms: float | None = None

    @property
    def by_anchors(self) -> bool:
        """Whether the window is cut by slices of the trace."""
        return self.start is not None or self.end is not None


def select(recording: Recording, selection: Selection) -> Recording:
    """The recording with only the samples that count, the sampler's own threads left out.

    Raises:
        ProfileError: No sample is left, or the file does not know what is selected by.
    """
    wanted = np.array([_wanted(thread, selection) for thread in recording.threads], dtype=bool)
    own = np.array([thread.is_sampler for thread in recording.threads], dtype=bool)
    kept = (wanted & ~own)[recording.thread]
    kept &= _inside(recording, selection)
    if not kept.any():
        asked = [f"{word} {text}" for word, text in _asked(selection) if text is not None]
        raise ProfileError(
            f"no sample is left{' of ' + ', '.join(asked) if asked else ''}",
            where=recording.path,
            todo=f"there is {_shown(recording.threads)}; widen the filters",
        )
    return replace(
        recording,
        leaf=recording.leaf[kept],
        weight=recording.weight[kept],
        count=recording.count[kept],
        ts=None if recording.ts is None else recording.ts[kept],
        thread=recording.thread[kept],
        left_out=float(recording.count[own[recording.thread]].sum()),
    )


def _wanted(thread: Thread, selection: Selection) -> bool:
    process, name = selection.process, selection.thread
    if process is not None and process.startswith("pid:"):
        mine = process == f"pid:{thread.pid}"
    else:
        mine = process is None or fnmatchcase(thread.process, process)
    return mine and (name is None or fnmatchcase(thread.name, name) or (name == MAIN and thread.is_main))


def _asked(selection: Selection) -> tuple[tuple[str, str | None], ...]:
    return ("process", selection.process), ("thread", selection.thread)


def _inside(recording: Recording, selection: Selection) -> npt.NDArray[np.bool_]:
    inside = np.ones(len(recording.leaf), dtype=bool)
    if selection.from_ms is None and selection.to_ms is None:
        return inside
    if recording.ts is None:
        raise ProfileError(
            "its samples have no moments, so no part can be cut out",
            where=recording.path,
            todo="leave --between out",
        )
    at = (recording.ts - recording.ts.min()) / 1e6
    if selection.from_ms is not None:
        inside &= at >= selection.from_ms
    if selection.to_ms is not None:
        inside &= at < selection.to_ms
    return inside


def _shown(threads: tuple[Thread, ...]) -> str:
    names = [
        " / ".join(part for part in (thread.process, thread.name) if part) or "a thread without a name"
        for thread in threads[:5]
    ]
    more = len(threads) - len(names)
    return ", ".join(names) + (f" and {more} more" if more else "")
