"""What else moved: numbers of the report that are no detector's rows, each group a short table.

Each table is a family of its own, tested like the rows of the detectors.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final, Literal

from msgspec.structs import replace

from echolot_tui.compare.family import Figures, Series, judge
from echolot_tui.compare.inputs import CompareOptions
from echolot_tui.compare.model import SmallRow, SmallTable, SmallVerdict
from echolot_tui.compare.moves import holds, own_shift
from echolot_tui.compare.sides import LoadedSide, PerTrace
from echolot_tui.compare.window import known
from echolot_tui.report.model import MarkerRow
from echolot_tui.units import round2

Unit = Literal["ms", "%", "MHz", "°C", "MB", "count"]
TableId = Literal["budget", "startup", "markers", "coverage", "environment"]

_BUDGET: Final = {
    "on_cpu": "on a CPU",
    "waiting_for_cpu": "waiting for a CPU",
    "in_kernel": "in the kernel",
    "sleeping": "sleeping",
    "other": "other",
}
_COVERAGE: Final = {"in_rows_pct": "stood for by rows", "accounted_pct": "with a known state"}

_TIMED: Final = frozenset({"startup", "markers"})
"""Tables in which more milliseconds mean slower."""


@dataclass(frozen=True, slots=True)
class _Number:
    """One number of one side."""

    value: float
    by_run: PerTrace | None


@dataclass(frozen=True, slots=True)
class _Line:
    """One number on both sides; ``None`` is a side that does not have it."""

    name: str
    unit: Unit
    before: _Number | None
    after: _Number | None


def small_tables(before: LoadedSide, after: LoadedSide, options: CompareOptions) -> tuple[SmallTable, ...]:
    """Main-thread budget, app start, markers, coverage, environment; those nobody measured are left out."""
    tables: tuple[tuple[TableId, str, list[_Line]], ...] = (
        ("budget", "Main thread by state", _paired(_budget(before), _budget(after), "ms")),
        ("startup", "App start", _paired(*_startup_sides(before, after), "ms")),
        ("markers", "Markers", _paired(*_marker_sides(before, after), "ms")),
        ("coverage", "Main-thread time accounted for", _paired(_coverage(before), _coverage(after), "%")),
        ("environment", "Environment", list(_environment(before, after))),
    )
    return tuple(
        SmallTable(id=name, title=title, rows=_judged(name, lines, (before.runs, after.runs), options))
        for name, title, lines in tables
        if lines
    )


def _judged(
    table: TableId, lines: Sequence[_Line], runs: tuple[int, int], options: CompareOptions
) -> tuple[SmallRow, ...]:
    if any(line.unit != "ms" for line in lines):
        options = replace(options, floor_ms=0.0)
    figures, _ = judge([_series(line) for line in lines], runs, options)
    return tuple(
        _row(line, figure, options, timed=table in _TIMED)
        for line, figure in zip(lines, figures, strict=True)
    )


def _series(line: _Line) -> Series | None:
    if line.before is None or line.after is None or line.before.by_run is None or line.after.by_run is None:
        return None
    return Series(before=line.before.by_run, after=line.after.by_run)


def _row(line: _Line, figures: Figures | None, options: CompareOptions, *, timed: bool) -> SmallRow:
    old, new = line.before, line.after
    old_runs, new_runs = (known(side.by_run) if side else () for side in (old, new))
    move = own_shift(old_runs, new_runs)
    delta = round2(new.value - old.value) if old and new else None
    return SmallRow(
        name=line.name,
        unit=line.unit,
        before=old.value if old else None,
        after=new.value if new else None,
        delta=delta,
        low=move.low_ms if move else None,
        high=move.high_ms if move else None,
        holds=holds(move),
        verdict=_verdict(line, delta, figures, options, timed=timed),
        before_values=(old.by_run or ()) if old else (),
        after_values=(new.by_run or ()) if new else (),
    )


def _verdict(
    line: _Line, delta: float | None, figures: Figures | None, options: CompareOptions, *, timed: bool
) -> SmallVerdict | None:
    """The table's rule (see ``verdict``), in the words that fit the number."""
    if figures is None or delta is None or line.before is None or line.after is None:
        return None
    floor = options.floor(line.before.value)
    if figures.test is None:
        return "no change"
    if figures.significant and abs(delta) > floor:
        if timed:
            return _timed_verdict(line, delta)
        return "higher" if delta > 0 else "lower"
    if figures.significant or figures.would_see(floor):
        return "no change"
    return "can't tell"


def _timed_verdict(line: _Line, delta: float) -> SmallVerdict:
    if line.before is not None and not any(known(line.before.by_run)):
        return "new"
    if line.after is not None and not any(known(line.after.by_run)):
        return "gone"
    return "slower" if delta > 0 else "faster"


Numbers = dict[str, _Number]


def _paired(old: Numbers, new: Numbers, unit: Unit) -> list[_Line]:
    """Numbers of both sides by name, in the order of before, then those only after."""
    names = [*old, *(name for name in new if name not in old)]
    return [_Line(name=name, unit=unit, before=old.get(name), after=new.get(name)) for name in names]


def _number(side: LoadedSide, value: float | None, by_run: Sequence[float | None] | None) -> _Number | None:
    """A number and its runs: the median of the runs where they are known, else the report's figure."""
    per_trace = side.per_trace(by_run)
    if known(per_trace):
        value = round2(median(known(per_trace)))
    return None if value is None else _Number(value=value, by_run=per_trace)


def _fields(side: LoadedSide, names: Mapping[str, str]) -> Numbers:
    """Fields of the main-thread budget under their titles."""
    budget = side.report.window.main_thread
    if budget is None:
        return {}
    by_run = budget.by_run or {}
    numbers = {
        title: _number(side, getattr(budget, field), by_run.get(field)) for field, title in names.items()
    }
    return {title: number for title, number in numbers.items() if number is not None}


def _budget(side: LoadedSide) -> Numbers:
    return _fields(side, _BUDGET)


def _coverage(side: LoadedSide) -> Numbers:
    return _fields(side, _COVERAGE)


def _startup_sides(before: LoadedSide, after: LoadedSide) -> tuple[Numbers, Numbers]:
    """Length of the start and its reasons; a reason one side lacks took no time there."""
    starts = before.report.window.startup, after.report.window.startup
    reasons = [reason for start in starts if start for reason in start.reasons]
    old, new = (_startup(side, list(dict.fromkeys(reasons))) for side in (before, after))
    return old, new


def _startup(side: LoadedSide, reasons: Sequence[str]) -> Numbers:
    start = side.report.window.startup
    if start is None:
        return {}
    by_run = start.by_run or {}
    length = by_run.get("dur_ms")
    numbers = {"start-up": _number(side, start.dur_ms, length)}
    for reason in reasons:
        nothing = None if length is None else tuple(None if one is None else 0.0 for one in length)
        numbers[reason] = _number(side, start.reasons.get(reason, 0.0), by_run.get(reason, nothing))
    return {name: number for name, number in numbers.items() if number is not None}


def _marker_sides(before: LoadedSide, after: LoadedSide) -> tuple[Numbers, Numbers]:
    """Total time by marker; one a side never saw took no time there, if that side has markers at all."""
    names = [row.location for side in (before, after) for row in side.report.markers.rows]
    old, new = (_markers(side, list(dict.fromkeys(names))) for side in (before, after))
    return old, new


def _markers(side: LoadedSide, names: Sequence[str]) -> Numbers:
    markers = side.report.markers
    if not markers.rows and not markers.absent:
        return {}
    rows = {row.location: row for row in markers.rows}
    return {name: _marker(side, rows.get(name)) for name in names}


def _marker(side: LoadedSide, row: MarkerRow | None) -> _Number:
    if row is None:
        return _Number(value=0.0, by_run=(0.0,) * side.runs)
    keyed = (row.by_run or {}).get("total_ms")
    filled = None if keyed is None else [value or 0.0 for value in keyed]
    return _number(side, row.total_ms, filled) or _Number(value=row.total_ms, by_run=None)


def _environment(before: LoadedSide, after: LoadedSide) -> Iterator[_Line]:
    old, new = _conditions(before), _conditions(after)
    units: dict[str, Unit] = {
        "mean clock": "MHz",
        "peak temperature": "°C",
        "free memory": "MB",
        "major faults": "count",
    }
    for name, unit in units.items():
        if name in old or name in new:
            yield _Line(name=name, unit=unit, before=old.get(name), after=new.get(name))


def _conditions(side: LoadedSide) -> Numbers:
    environment = side.report.environment
    cpu, thermal, memory = environment.cpu, environment.thermal, environment.memory
    runs = (memory.by_run or {}) if memory else {}
    numbers = {
        "mean clock": _number(side, cpu.mean_mhz, cpu.by_run) if cpu else None,
        "peak temperature": _number(side, thermal.max_celsius, thermal.by_run) if thermal else None,
        "free memory": _number(side, memory.available_mb_min, runs.get("available_mb_min"))
        if memory
        else None,
        "major faults": _number(side, memory.major_faults, runs.get("major_faults")) if memory else None,
    }
    return {name: number for name, number in numbers.items() if number is not None}
