"""Merging, ranges, the table's test and a whole comparison against values that are known exactly."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from statistics import median
from typing import Final

import numpy as np

from echolot_tui.compare.compare import compare_sides
from echolot_tui.compare.inputs import CompareOptions, SideInput
from echolot_tui.compare.model import Comparison
from echolot_tui.engine.model import EngineChoice
from echolot_tui.generate import demo_app
from echolot_tui.generate.demo import CHANGED_ROWS, write_demo
from echolot_tui.generate.world import PACKAGE
from echolot_tui.measure.measure_set import measure_set
from echolot_tui.measure.plan import Plan
from echolot_tui.measure.spec import MeasureSpec
from echolot_tui.report.build import ReportContext, build_report
from echolot_tui.selfcheck.detectors import TOLERANCE
from echolot_tui.selfcheck.model import Check
from echolot_tui.selfcheck.scenes import Scenes
from echolot_tui.selfcheck.verdict import check, differences
from echolot_tui.stats.relabel import relabel
from echolot_tui.stats.shift import cut, shift
from echolot_tui.text import without_ids

TRIMMED: Final = {
    (3, 4): None,
    (3, 5): 0,
    (4, 4): 0,
    (2, 7): None,
    (2, 8): 0,
    (1, 38): None,
    (1, 39): 0,
    (5, 5): 2,
    (7, 8): 10,
    (15, 15): 64,
}
"""Differences that come off each end of the sorted ones for 95 %: the published table of Mann and Whitney."""

_SUMMED: Final = "main_thread_block"


def number_checks(scenes: Scenes, folder: Path, choice: EngineChoice, *, jobs: int) -> list[Check]:
    """Everything between measurements and a verdict."""
    comparison = _demo(folder, scenes.plan, choice, jobs)
    return [
        _merged(scenes),
        check("numbers.range", _range(), "moves, ranges and resolutions of known runs"),
        check("numbers.table", _table(), "the chance of a whole table, counted out"),
        check(
            "numbers.comparison",
            _comparison(comparison),
            "the demo's planted change is found, and nothing else",
        ),
    ]


def _merged(scenes: Scenes) -> Check:
    """Three repeats: each row's median, its runs, its values in run order; the window's median."""
    runs = scenes.repeats
    report, rows = build_report([run.measurement for run in runs], scenes.plan, context=ReportContext())
    wrong = differences(
        {"window": round(median(run.planted.window_ms for run in runs), 2)},
        {"window": report.window.duration_ms},
    )
    merged = {
        row.location: row for section in rows.detectors if section.id == _SUMMED for row in section.rows
    }
    planted = [
        {
            without_ids(row.location): row.self_ms or 0.0
            for kind in (run.planted.rows, run.planted.below)
            for row in kind[_SUMMED]
        }
        for run in runs
    ]
    for name in sorted(planted[0]):
        values = [run[name] for run in planted]
        row = merged.get(name)
        if row is None or row.self_ms is None or row.runs != f"{len(runs)}/{len(runs)}":
            wrong.append(f"{name} is not merged over {len(runs)} runs")
        elif abs(row.self_ms - median(values)) > TOLERANCE:
            wrong.append(f"{name} is {row.self_ms} instead of {median(values)}")
        elif not _same(row.by_run, values):
            wrong.append(f"{name} has other values by run than planted")
    return check("numbers.merge", wrong, f"{len(planted[0])} rows merged over {len(runs)} runs")


def _same(by_run: dict[str, tuple[float | None, ...]] | None, values: Sequence[float]) -> bool:
    read = (by_run or {}).get("self_ms", ())
    return len(read) == len(values) and all(
        one is not None and abs(one - other) <= TOLERANCE for one, other in zip(read, values, strict=True)
    )


def _range() -> list[str]:
    wrong = [
        f"{n} runs against {m} trim {cut(n, m)} instead of {trim}"
        for (n, m), trim in TRIMMED.items()
        if cut(n, m) != trim
    ]
    held = shift([10, 11, 12, 13, 14], [20, 22, 24, 26, 29])
    open_ = shift([10, 30, 12, 45, 14], [20, 22, 9, 26, 29])
    wrong += _fields("a clear move", held, {"ms": 12.0, "low_ms": 8.0, "high_ms": 17.0, "runs_needed": None})
    wrong += _fields("an open move", open_, {"ms": -1.0, "low_ms": -23.0, "high_ms": 16.0})
    return wrong


def _fields(what: str, estimate: object, expected: dict[str, object]) -> list[str]:
    read = {name: getattr(estimate, name, "missing") for name in expected}
    return [f"{what}: {text}" for text in differences(expected, read)]


def _table() -> list[str]:
    """Five runs apart from five: of the 252 ways to call five of ten runs "after", two are as extreme."""
    clear = [10.0, 11.0, 12.0, 13.0, 14.0, 30.0, 31.0, 32.0, 33.0, 34.0]
    still = [20.0, 24.0, 21.0, 23.0, 22.0, 22.5, 20.5, 23.5, 21.5, 24.5]
    test = relabel(np.array([clear, still]), after=[False] * 5 + [True] * 5, seed=0)
    if test is None:
        return ["a table of ten runs is not tested"]
    first, second = test.rows
    wrong = differences(
        {"relabellings": 252, "method": "exact"}, {"relabellings": test.relabellings, "method": test.method}
    )
    if abs(first.p_family - Fraction(2, 252)) > 1e-12 or not first.found:
        wrong.append(f"the row that moved has p {first.p_family} instead of 2/252")
    if second.found:
        wrong.append("the row that did not move is called moved")
    return wrong


def _demo(folder: Path, shipped: Plan, choice: EngineChoice, jobs: int) -> Comparison:
    demo = write_demo(folder / "demo")
    spec = MeasureSpec(
        process=PACKAGE,
        start=demo_app.START_GLOB,
        end=demo_app.END_GLOB,
        package=PACKAGE,
        detectors=shipped.detectors,
        claimed_globs=shipped.claimed_globs,
    )
    traces = (*demo.before_traces, *demo.after_traces)
    measured = measure_set(traces, spec, choice, jobs=jobs, cache=None).measurements
    sides = []
    for name, part in (
        ("before", measured[: len(demo.before_traces)]),
        ("after", measured[len(demo.before_traces) :]),
    ):
        report, rows = build_report(part, shipped, context=ReportContext())
        sides.append(SideInput(name=name, path=name, report=report, all_rows=rows))
    return compare_sides(sides, CompareOptions())


def _comparison(comparison: Comparison) -> list[str]:
    moved = {(row.detector, row.location) for row in comparison.rows if row.verdict == "slower"}
    wrong = [
        f"{name} of {detector} is not called slower" for detector, name in sorted(set(CHANGED_ROWS) - moved)
    ]
    called = ("slower", "faster", "new", "gone")
    for row in comparison.rows:
        if row.verdict in called and (row.detector, row.location) not in CHANGED_ROWS:
            wrong.append(f"{row.location} of {row.detector} is called {row.verdict}")
    wrong += [f"a warning that does not apply: {warning.id}" for warning in comparison.warnings]
    return wrong
