"""One side made ready: its name, its runs as traces, its detectors with every known row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final

from msgspec.structs import replace

from echolot_tui.compare.inputs import CompareOptions, SideInput
from echolot_tui.compare.model import Side
from echolot_tui.report.model import DetectorReport, Report, Toolchain
from echolot_tui.text import visible

PerTrace = tuple[float | None, ...]
"""One value per measured trace, in run order."""

_NAME_LIMIT: Final = 60

_ROW_LIMIT: Final = 20
"""Rows a detector of the original lists at most, per trace."""


@dataclass(frozen=True, slots=True)
class LoadedSide:
    """One side, ready to be compared."""

    side: Side
    report: Report
    traces: tuple[tuple[int, ...], ...] | None
    """Per measured trace the positions of its occurrences in ``repeats``; None when the report has none."""
    detectors: dict[str, DetectorReport]
    """With every known row: also those under the bar, where ``rows.json`` is there."""
    complete: bool
    """Rows under the bars are known."""

    @property
    def runs(self) -> int:
        """Measured traces."""
        return self.side.runs

    @property
    def name(self) -> str:
        """What texts call this side."""
        return self.side.name

    @property
    def folded(self) -> bool:
        """Some trace holds more than one occurrence: values of one trace are averaged before any test."""
        return self.traces is not None and any(len(group) > 1 for group in self.traces)

    def per_trace(self, values: Sequence[float | None] | None) -> PerTrace | None:
        """Values per entry of ``repeats`` as values per trace: the mean over its occurrences.

        Occurrences of one trace share its machine, its build and its luck, so they count as one run.
        None where no occurrence has a value; None altogether when the list does not fit the runs.
        """
        if values is None:
            return None
        if self.traces is None:
            return tuple(values) if len(values) == self.runs else None
        if len(values) != sum(map(len, self.traces)):
            return None
        return tuple(_mean([values[at] for at in group]) for group in self.traces)

    def cut_off(self, detector_id: str) -> bool:
        """Whether rows of the detector may be missing here because its list was cut."""
        detector = self.detectors.get(detector_id)
        if detector is None:
            return False
        limited = detector.rows_measured is None and len(detector.rows) >= _ROW_LIMIT
        return detector.truncated or (limited and not self.complete)


def load_sides(sides: Sequence[SideInput], options: CompareOptions) -> list[LoadedSide]:
    """Make every side ready, with names that tell them apart."""
    return [_load(side, name) for side, name in zip(sides, side_names(sides, options), strict=True)]


def side_names(sides: Sequence[SideInput], options: CompareOptions) -> list[str]:
    """Names of the sides: the options', else the input's, else a default; doubled ones are numbered."""
    names: list[str] = []
    for at, side in enumerate(sides):
        given = options.names[at].strip() if at < len(options.names) else ""
        name = visible(given or side.name.strip() or _default_name(at), _NAME_LIMIT)
        taken = sum(1 for other in names if other == name or other.startswith(f"{name} ("))
        names.append(f"{name} ({taken + 1})" if taken else name)
    return names


def _default_name(at: int) -> str:
    return ("before", "after")[at] if at < 2 else f"side {at + 1}"


def _load(given: SideInput, name: str) -> LoadedSide:
    report = given.report
    traces = _traces(report)
    runs = len(traces) if traces is not None else (report.runs or 1)
    side = Side(
        name=name,
        path=given.path,
        runs=runs,
        runs_given=report.runs_given or max(runs + len(report.unreadable), runs),
        generated_at=report.generated_at,
        config_sha=report.config.sha,
        defaults=report.config.defaults,
        scenario=report.scenario,
        engine=_engine(report.toolchain),
        repeats=report.repeats,
    )
    return LoadedSide(
        side=side,
        report=report,
        traces=traces,
        detectors={detector.id: detector for detector in _detectors(given)},
        complete=given.all_rows is not None,
    )


def _detectors(given: SideInput) -> list[DetectorReport]:
    """The report's detectors in its order, with all rows where those are known."""
    known = {detector.id: detector for detector in given.all_rows.detectors} if given.all_rows else {}
    return [
        replace(listed, rows=every.rows, truncated=listed.truncated or every.truncated)
        if (every := known.get(listed.id))
        else listed
        for listed in given.report.detectors
    ]


def _traces(report: Report) -> tuple[tuple[int, ...], ...] | None:
    if not report.repeats:
        return None
    groups: dict[int, list[int]] = {}
    for at, repeat in enumerate(report.repeats):
        groups.setdefault(repeat.trace_index, []).append(at)
    return tuple(map(tuple, groups.values()))


def _engine(toolchain: Toolchain) -> str | None:
    parts = [part for part in (toolchain.engine, toolchain.trace_processor) if part]
    return " ".join(parts) or None


def _mean(values: Sequence[float | None]) -> float | None:
    found = [value for value in values if value is not None]
    return fmean(found) if found else None
