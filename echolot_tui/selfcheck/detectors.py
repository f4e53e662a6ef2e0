"""Every detector against what is planted: the rows it must list, those it must not, and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from msgspec.structs import replace

from echolot_tui.generate.planted import Planted, PlantedRow
from echolot_tui.measure.tables import stable_thread_name
from echolot_tui.report.build import ReportContext, build_report
from echolot_tui.report.model import DetectorReport, Row
from echolot_tui.selfcheck.model import Check
from echolot_tui.selfcheck.scenes import STALL, Scenes, Seen
from echolot_tui.selfcheck.verdict import check
from echolot_tui.text import visible, without_ids

METRICS: Final = ("count", "self_ms", "total_ms", "max_ms", "covered_ms")
TOLERANCE: Final = 0.011
"""Each part of a sum is rounded for itself."""

_NAMED_BY_THREAD: Final = frozenset(
    {"binder_txn", "monitor_contention", "runnable_starvation", "io_wait", "uninstrumented_cpu"}
)
_JUDGES_A_PATTERN: Final = frozenset({"repeated_work", "main_thread_outlier"})
"""What they measure under the bar depends on what is over it: of controls only the absence is promised."""
_SHOWN: Final = 3


def detector_checks(scenes: Scenes) -> list[Check]:
    """One check a detector, and one for the recording that lacks their sources."""
    whole = scenes.seen["whole"]
    listed, measured = _sections(scenes, whole)
    checks = [_detector(listed[one], measured[one], whole.planted) for one in sorted(listed)]
    return [*checks, _stall(scenes), _no_data(scenes)]


def matching(detector: str, planted: PlantedRow, rows: Iterable[Row], pid: int) -> list[Row]:
    """Rows with the planted identity and the planted numbers."""
    name = planted.location
    location = stable_thread_name(name, pid) if detector in _NAMED_BY_THREAD else without_ids(name)
    place = "detail" if detector == "gc_pressure" else "thread"
    return [
        row
        for row in rows
        if row.location == location
        and (planted.thread is None or getattr(row, place) == planted.thread)
        and (planted.detail is None or row.detail == planted.detail)
        and all(_equal(getattr(planted, metric), row.value(metric)) for metric in METRICS)
    ]


def _equal(planted: float | None, read: float | None) -> bool:
    return planted is None or (read is not None and abs(read - planted) <= TOLERANCE)


def _sections(scenes: Scenes, seen: Seen) -> tuple[dict[str, DetectorReport], dict[str, DetectorReport]]:
    """By detector, the rows over the bar and all rows."""
    report, rows = build_report([seen.measurement], scenes.plan, context=ReportContext())
    return {one.id: one for one in report.detectors}, {one.id: one for one in rows.detectors}


def _detector(listed: DetectorReport, measured: DetectorReport, planted: Planted) -> Check:
    wrong: list[str] = []
    if listed.state not in ("fired", "silent"):
        wrong.append(f"is {listed.state}: {listed.error or listed.no_data}")
    expected = planted.rows.get(listed.id, ())
    wrong += _listed(listed, expected, planted.pid)
    wrong += _controls(listed, measured, planted)
    present = {row.location for row in measured.rows}
    wrong += [
        f"measures {name}, which it must not"
        for name in planted.absent.get(listed.id, ())
        if without_ids(name) in present
    ]
    controls = len(planted.below.get(listed.id, ())) + len(planted.absent.get(listed.id, ()))
    return check(
        f"detector.{listed.id}",
        [visible(text, 200) for text in wrong],
        f"planted rows listed: {len(expected)}, controls left out: {controls}",
    )


def _stall(scenes: Scenes) -> Check:
    """Blocks of seconds: the one detector for which a cold start is too short."""
    stalled = scenes.seen[STALL]
    listed, measured = _sections(scenes, stalled)
    found = _detector(listed["anr_risk"], measured["anr_risk"], _by_name(stalled.planted))
    return replace(found, id="detector.anr_risk.stall")


def _by_name(planted: Planted) -> Planted:
    """Without the short stretch named like a long one: that row's numbers, without it, are its control."""
    long = {row.location for row in planted.rows["anr_risk"]}
    below = tuple(row for row in planted.below["anr_risk"] if row.location not in long)
    return replace(planted, below={**planted.below, "anr_risk": below})


def _listed(listed: DetectorReport, expected: Sequence[PlantedRow], pid: int) -> list[str]:
    found: list[Row] = []
    wrong: list[str] = []
    for planted in expected:
        close = matching(listed.id, planted, listed.rows, pid)
        found += close
        if len(close) != 1:
            near = [row for row in listed.rows if row.location == without_ids(planted.location)]
            wrong.append(
                f"{planted.location} is listed {len(close)} times as planted{_instead(planted, near)}"
            )
    wrong += [f"lists {row.location}, which is not planted" for row in listed.rows if row not in found]
    return wrong[:_SHOWN]


def _instead(planted: PlantedRow, near: Sequence[Row]) -> str:
    """The numbers that differ, of the row that carries the name."""
    if len(near) != 1:
        return ""
    differ = [
        f"{metric} {near[0].value(metric)} instead of {value}"
        for metric in METRICS
        if (value := getattr(planted, metric)) is not None and not _equal(value, near[0].value(metric))
    ]
    return f" ({', '.join(differ)})" if differ else ""


def _controls(listed: DetectorReport, measured: DetectorReport, planted: Planted) -> list[str]:
    wrong = []
    locations = {row.location for row in listed.rows}
    for control in planted.below.get(listed.id, ()):
        if listed.id in _JUDGES_A_PATTERN:
            if without_ids(control.location) in locations:
                wrong.append(f"lists {control.location}, which stays under the bar")
            continue
        if matching(listed.id, control, listed.rows, planted.pid):
            wrong.append(f"lists {control.location}, which stays under the bar")
        elif len(matching(listed.id, control, measured.rows, planted.pid)) != 1:
            wrong.append(f"does not measure {control.location} under the bar as planted")
    return wrong[:_SHOWN]


def _no_data(scenes: Scenes) -> Check:
    """A detector whose source is missing says so; one whose source is there looks."""
    bare = scenes.seen["bare"]
    listed, _ = _sections(scenes, bare)
    silent = [name for name in listed if listed[name].state not in ("fired", "no data", "silent")]
    wrong = [f"{name} is {listed[name].state}" for name in silent]
    lacking = sorted(name for name in listed if listed[name].state == "no data")
    expected = sorted(_LACKING)
    if lacking != expected:
        wrong.append(f"no data: {', '.join(lacking)}; expected: {', '.join(expected)}")
    wrong += [
        f"{name} does not say how to record it"
        for name in lacking
        if "record" not in (listed[name].no_data or "")
    ]
    for name, rows in bare.planted.rows.items():
        wrong += [f"{name}: {text}" for text in _listed(listed[name], rows, bare.planted.pid)]
    return check("detectors.no-data", wrong, f"{len(lacking)} detectors say which source is missing")


_LACKING: Final = (
    "anr_risk",
    "composables",
    "frame_jank",
    "io_wait",
    "main_thread_waits",
    "runnable_starvation",
    "uninstrumented_cpu",
)
"""Detectors that need what the bare recording was made without."""
