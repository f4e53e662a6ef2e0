"""Recalculating thresholds of twenty traces from the cache, and moving one bar over them.

Run: ``python bench/calibrate.py [--traces N]``
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from msgspec.structs import replace

from echolot_tui.calibrate.effect import LiveBars
from echolot_tui.calibrate.model import Asked, Calibration
from echolot_tui.calibrate.propose import calibrate
from echolot_tui.engine.model import EngineChoice
from echolot_tui.frozen import Cell
from echolot_tui.generate.demo import write_demo
from echolot_tui.measure.cache import MeasurementCache
from echolot_tui.measure.catalogue import load_catalogue
from echolot_tui.measure.measure_set import MeasuredSet, measure_set
from echolot_tui.measure.model import DetectorMeasurement, Measurement, OpenRow
from echolot_tui.measure.plan import plan
from echolot_tui.measure.spec import MeasureSpec
from echolot_tui.project.load import load_config
from echolot_tui.project.scenario import resolve_scenario

_R = TypeVar("_R")


def timed(what: str, run: Callable[[], _R], *, times: int = 5) -> _R:
    """Print the shortest of a few runs."""
    took = []
    for _ in range(times):
        begin = time.perf_counter()
        result = run()
        took.append(time.perf_counter() - begin)
    print(f"{what:<58} {min(took) * 1000:9.1f} ms")
    return result


def crowded(measurement: Measurement, rows: int) -> Measurement:
    """The measurement with ``rows`` open rows in every detector that has any."""
    (occurrence,) = measurement.occurrences
    detectors = tuple(_crowded(one, rows) if one.rows else one for one in occurrence.detectors)
    return replace(measurement, occurrences=(replace(occurrence, detectors=detectors),))


def _crowded(one: DetectorMeasurement, rows: int) -> DetectorMeasurement:
    first = one.rows[0].columns
    return replace(one, rows=tuple(OpenRow(columns=_other(first, at)) for at in range(rows)), rows_total=rows)


def _other(columns: dict[str, Cell], at: int) -> dict[str, Cell]:
    numbers = {name: value / (1 + at % 97) for name, value in columns.items() if isinstance(value, float)}
    return {**columns, **numbers, "location": f"{columns['location']} {at}"}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--traces", type=int, default=20)
    traces = options.parse_args().traces
    made = plan(load_catalogue())
    with tempfile.TemporaryDirectory() as folder:
        demo = write_demo(Path(folder) / "demo", runs=traces)
        scenario = resolve_scenario(load_config(demo.config))
        spec = MeasureSpec(
            process=scenario.process,
            start=scenario.start,
            end=scenario.end,
            detectors=made.detectors,
            claimed_globs=made.claimed_globs,
        )
        cache = MeasurementCache(Path(folder) / "cache")

        def measured() -> MeasuredSet:
            return measure_set(list(demo.before_traces), spec, EngineChoice(), jobs=2, cache=cache)

        timed(f"{traces} traces measured", measured, times=1)
        found = timed(f"{traces} traces from the cache", measured).measurements
        sets = {
            "demo rows": found,
            "350 rows a detector": [crowded(measurement, 350) for measurement in found],
            "2,000 rows a detector": [crowded(measurement, 2_000) for measurement in found],
        }
        for name, runs in sets.items():
            for measurement in runs:  # crowded ones take the place of those that were measured
                cache.store(measurement)

            def recalculated() -> Calibration:
                return calibrate(measured().measurements, made, scenario)

            timed(f"from the cache and calibrated, {name}", recalculated)
    for name, runs in sets.items():
        timed(f"calibrate, {name}", lambda runs=runs: calibrate(runs, made, scenario))  # type: ignore[misc]
        by_size = Asked(report_size=10)
        timed(
            f"calibrate --by report-size, {name}",
            lambda runs=runs, by_size=by_size: calibrate(runs, made, scenario, asked=by_size),  # type: ignore[misc]
            times=1,
        )
        live = timed(f"live bars prepared, {name}", lambda runs=runs: LiveBars(runs, made))  # type: ignore[misc]
        timed(
            f"one bar moved, {name}",
            lambda live=live: live.effect("main_thread_block", {"min_slice_ms": 9.5}),  # type: ignore[misc]
        )
        timed(f"all bars, {name}", live.effects)


if __name__ == "__main__":
    main()
