"""Many traces become measurements: from the cache where it has them, from worker processes where not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, Literal

import msgspec

from echolot_tui.engine.locate import file_sha256, find_build
from echolot_tui.engine.model import EngineChoice
from echolot_tui.engine.pool import Event, Finished, Job, Note, Outcome, Started, run_jobs
from echolot_tui.errors import EcholotError
from echolot_tui.frozen import Frozen
from echolot_tui.measure.cache import MeasurementCache, identify
from echolot_tui.measure.measure import Request, measure_trace
from echolot_tui.measure.model import Measurement, TraceIdentity, Unreadable
from echolot_tui.measure.spec import MeasureSpec, spec_key
from echolot_tui.text import visible

Kind = Literal["cached", "started", "measured", "unreadable", "note"]

_REASONS_SHOWN: Final = 5


class Progress(Frozen, frozen=True, kw_only=True):
    """Something happened on the way."""

    kind: Kind
    path: str = ""
    """The trace, as given; empty for a note."""
    done: int = 0
    """Traces that are settled, this one included."""
    given: int = 0
    text: str = ""
    """Why it is unreadable; or the note."""


class MeasuredSet(Frozen, frozen=True, kw_only=True):
    """A set of traces, measured."""

    measurements: tuple[Measurement, ...]
    """In the order given."""
    unreadable: tuple[Unreadable, ...] = ()
    given: int
    notes: tuple[str, ...] = ()
    """What the reader of the result should know; no event has told it."""


def measure_set(
    paths: Sequence[Path],
    spec: MeasureSpec,
    choice: EngineChoice,
    *,
    jobs: int,
    cache: MeasurementCache | None,
    checkout: Path | None = None,
    on_event: Callable[[Progress], None] | None = None,
) -> MeasuredSet:
    """Measure traces; one that gives nothing costs only itself.

    A recording that is given twice is measured once and counts twice, with a note.

    Args:
        paths: The traces, in run order.
        spec: What is asked of each.
        choice: Engine and bounds.
        jobs: Worker processes at a time.
        cache: Where measurements are kept; ``None`` keeps nothing.
        checkout: The app's sources, which tell its own code; the cache's is the same.
        on_event: Told about progress, in this thread.

    Raises:
        EcholotError: No trace was given, none gave a measurement, or the engine is missing.
    """
    if not paths:
        raise EcholotError("there is no trace to measure")
    tell = on_event or (lambda _event: None)
    return _Set(paths, spec, choice, cache=cache, checkout=checkout, tell=tell).measure(jobs)


def engine_key(choice: EngineChoice) -> str:
    """Identity of the engine that will answer, known before it runs: its binary's hash.

    Both embedded builds are one engine: which of them reads a trace depends on the memory it needs.

    Raises:
        EcholotError: The engine is missing or cannot be read.
    """
    if choice.tp_binary is None:
        return find_build("embedded").sha256
    try:
        return file_sha256(choice.tp_binary)
    except OSError as error:
        raise EcholotError(
            f"the engine cannot be read ({error.strerror or error})",
            where=str(choice.tp_binary),
            todo=f"check {choice.tp_binary_source or 'the path'}",
        ) from error


class _Set:
    """The state of one call: what is settled, and what is still to be measured."""

    def __init__(
        self,
        paths: Sequence[Path],
        spec: MeasureSpec,
        choice: EngineChoice,
        *,
        cache: MeasurementCache | None,
        checkout: Path | None,
        tell: Callable[[Progress], None],
    ) -> None:
        self._paths = paths
        self._spec = spec
        self._choice = choice
        self._cache = cache
        self._checkout = str(checkout) if checkout else None
        self._tell = tell
        self._key = spec_key(spec, engine_key(choice))
        self._identities: dict[int, TraceIdentity] = {}
        self._measured: dict[str, Measurement] = {}
        self._failed: dict[int | str, str] = {}
        self._notes: list[str] = []
        self._done = 0

    def measure(self, jobs: int) -> MeasuredSet:
        self._identify()
        waiting = self._look_up()
        outcomes = run_jobs(
            [
                Job(
                    run=measure_trace,
                    path=Path(trace.path),
                    payload=Request(trace=trace, spec=self._spec, key=self._key, checkout=self._checkout),
                )
                for trace in waiting
            ],
            workers=jobs,
            choice=self._choice,
            on_event=lambda event: self._hear(event, waiting),
        )
        for trace, outcome in zip(waiting, outcomes, strict=True):
            if outcome.result is not None:
                self._measured[trace.sha256] = outcome.result
            else:
                self._failed[trace.sha256] = _reason(outcome)
        self._prune()
        return self._result()

    def _identify(self) -> None:
        """Hash every trace; one that cannot be read is out."""
        first_with: dict[str, str] = {}
        for index, path in enumerate(self._paths):
            try:
                trace = self._cache.identify(path) if self._cache else identify(path)
            except EcholotError as error:
                self._failed[index] = error.what
                self._settled("unreadable", str(path), error.what)
                continue
            self._identities[index] = trace
            if trace.sha256 in first_with:
                twin = first_with[trace.sha256]
                self._notes.append(
                    f"{visible(trace.path)} is the same recording as {visible(twin)}: it counts twice"
                )
            first_with.setdefault(trace.sha256, trace.path)

    def _look_up(self) -> list[TraceIdentity]:
        """Take what the cache has; each other content once."""
        waiting: dict[str, TraceIdentity] = {}
        for trace in self._identities.values():
            if trace.sha256 in self._measured or trace.sha256 in waiting:
                continue
            stored = self._cache.load(trace, self._key) if self._cache else None
            if stored is None:
                waiting[trace.sha256] = trace
            else:
                self._measured[trace.sha256] = stored
                self._settled("cached", trace.path)
        return list(waiting.values())

    def _hear(self, event: Event, waiting: Sequence[TraceIdentity]) -> None:
        if isinstance(event, Note):
            self._tell(self._progress("note", text=event.text))
        elif isinstance(event, Started):
            self._tell(self._progress("started", waiting[event.index].path))
        elif isinstance(event, Finished):
            path = waiting[event.index].path
            if event.outcome.result is None:
                self._settled("unreadable", path, _reason(event.outcome))
            else:
                self._store(event.outcome.result)  # at once: an interrupted set keeps what it has
                self._settled("measured", path)

    def _store(self, measurement: Measurement) -> None:
        if self._cache is None:
            return
        try:
            self._cache.store(measurement)
        except EcholotError as error:
            self._notes.append(f"measurements are not kept: {error.sentence}")
            self._cache = None

    def _prune(self) -> None:
        if self._cache is not None:
            self._cache.prune()

    def _settled(self, kind: Kind, path: str, text: str = "") -> None:
        self._done += 1
        self._tell(self._progress(kind, path, text))

    def _progress(self, kind: Kind, path: str = "", text: str = "") -> Progress:
        return Progress(kind=kind, path=path, done=self._done, given=len(self._paths), text=text)

    def _result(self) -> MeasuredSet:
        measurements, unreadable = [], []
        for index, path in enumerate(self._paths):
            trace = self._identities.get(index)
            measured = self._measured.get(trace.sha256) if trace else None
            if trace is None or measured is None:
                reason = self._failed[trace.sha256 if trace else index]
                unreadable.append(Unreadable(path=str(path), reason=reason))
            else:
                measurements.append(msgspec.structs.replace(measured, trace=trace))
        if not measurements:
            raise _nothing(unreadable)
        return MeasuredSet(
            measurements=tuple(measurements),
            unreadable=tuple(unreadable),
            given=len(self._paths),
            notes=tuple(self._notes),
        )


def _reason(outcome: Outcome[Measurement]) -> str:
    """Why a trace gave no measurement: what, in which query, and what to do; without its path."""
    error = outcome.error
    assert error is not None
    place = error.where.removeprefix(visible(str(outcome.path))).removeprefix(", ")
    what = f"{error.what} ({place})" if place else error.what
    return f"{what}; {error.todo}" if error.todo else what


def _nothing(unreadable: Sequence[Unreadable]) -> EcholotError:
    """The refusal when no trace is left, each different reason once."""
    if len(unreadable) == 1:
        return EcholotError(unreadable[0].reason, where=visible(unreadable[0].path))
    having: dict[str, list[str]] = {}
    for one in unreadable:
        having.setdefault(one.reason, []).append(visible(one.path))
    head = f"none of the {len(unreadable)} traces gave a measurement"
    if len(having) == 1:
        return EcholotError(f"{head}: {unreadable[0].reason}", where=_named(*having.values()))
    reasons = [f"{_named(paths)}: {reason}" for reason, paths in having.items()]
    if len(reasons) > _REASONS_SHOWN:
        reasons[_REASONS_SHOWN:] = [f"{len(reasons) - _REASONS_SHOWN} more reasons"]
    return EcholotError(f"{head} · {' · '.join(reasons)}")


def _named(paths: Sequence[str]) -> str:
    """The first trace, which tells the side of a comparison, and how many more there are."""
    return paths[0] if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1} more"
