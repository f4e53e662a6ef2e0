"""Every rule of merging the facts over repeats, with hand-computed numbers."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from echolot_tui.engine.model import EngineInfo
from echolot_tui.measure.model import (
    AnchorFacts,
    AppNames,
    Budget,
    ComposeNames,
    CpuClock,
    EnvironmentFacts,
    Marker,
    Markers,
    Measurement,
    Memory,
    Occurrence,
    OpenedInside,
    ProcessChoice,
    ProcessFacts,
    Sampling,
    Startup,
    Thermal,
    TraceIdentity,
)
from echolot_tui.report.merge_facts import InRows, merge_environment, merge_markers, merge_window
from echolot_tui.report.over_runs import median_count, median_ms, of_runs, resolution_ms, spread
from echolot_tui.report.runs import Run, runs_of
from echolot_tui.stats.shift import resolves

ENGINE = EngineInfo(kind="embedded", version="v52.0", sha256="0" * 64)


def occurrence(number: int = 1, *, duration_ms: float = 100.0, **facts: Any) -> Occurrence:
    end_ns = round(duration_ms * 1_000_000)
    return Occurrence(number=number, start_ns=0, end_ns=end_ns, duration_ms=duration_ms, **facts)


def measurement(*occurrences: Occurrence, process: ProcessFacts | None = None, **fields: Any) -> Measurement:
    return Measurement(
        trace=TraceIdentity(path="a.perfetto-trace", sha256="0" * 64, bytes=1),
        engine=ENGINE,
        spec_key="k",
        process=process or ProcessFacts(name="com.example.app", upid=1, pid=42),
        main=None,
        occurrences=occurrences,
        **fields,
    )


def runs(*facts: dict[str, Any]) -> tuple[Run, ...]:
    return runs_of([measurement(occurrence(**one)) for one in facts])


def environments(*facts: EnvironmentFacts) -> tuple[Run, ...]:
    return runs(*({"environment": one} for one in facts))


def budget(on_cpu: float, sleeping: float, accounted_pct: float | None, window_ms: float = 100.0) -> Budget:
    return Budget(
        on_cpu=on_cpu,
        waiting_for_cpu=1.0,
        in_kernel=0.5,
        sleeping=sleeping,
        other=0.0,
        accounted_ms=on_cpu + sleeping + 1.5,
        window_ms=window_ms,
        accounted_pct=accounted_pct,
    )


# --- runs and numbers ---------------------------------------------------------------------------


def test_runs_are_labelled_by_trace_and_by_occurrence_where_there_are_several() -> None:
    made = runs_of(
        [measurement(occurrence()), measurement(occurrence(1), occurrence(2)), measurement(occurrence())]
    )
    assert [run.label for run in made] == ["1", "2.1", "2.2", "3"]
    assert [run.trace_index for run in made] == [0, 1, 1, 2]
    assert [run.occurrence.number for run in made] == [1, 1, 2, 1]


@pytest.mark.parametrize(("values", "middle"), [([3, 1, 2], 2), ([1, 2], 1.5), ([2, 4], 3), ([None, 5], 5)])
def test_a_whole_count_stays_whole(values: list[int | None], middle: float) -> None:
    merged = median_count(values)
    assert merged == middle
    assert isinstance(merged, int) == (middle == int(middle))


def test_nothing_has_no_median() -> None:
    assert median_ms([None, None]) is None
    assert median_count([]) is None


def test_medians_have_two_decimals() -> None:
    assert median_ms([1.0, 1.111111]) == 1.06
    assert median_ms([5.0, None, 1.0]) == 3.0


def test_spread_lists_only_runs_with_a_value_and_resolves_from_four_on() -> None:
    three = spread([5.0, None, 1.0, 3.0], [0, 1, 2, 3])
    assert three is not None
    assert (three.min, three.max, three.values) == (1.0, 5.0, (5.0, 1.0, 3.0))
    assert three.resolves_ms is None
    assert three.resolves_pct is None

    four = spread([1.0, 2.0, 3.0, 4.0], [0, 1, 2, 3])
    assert four is not None
    # 4 against 4: no difference comes off the ends, so the farthest stray of all pairs: 4 - 1.
    assert four.resolves_ms == 3.0
    assert four.resolves_pct == 120.0


def test_a_spread_around_zero_has_no_share() -> None:
    zero = spread([0.0, 0.0, 0.0, 0.0, 0.0], [0, 1, 2, 3, 4])
    assert zero is not None
    assert zero.resolves_ms == 0.0
    assert zero.resolves_pct is None


def test_occurrences_of_one_trace_count_once_for_what_can_be_resolved() -> None:
    assert resolution_ms([1.0, 2.0, 3.0, 4.0], [0, 0, 1, 1]) is None
    values = [1.0, 3.0, 5.0, 4.0, 9.0, 6.0]
    assert resolution_ms(values, [0, 0, 1, 2, 3, 3]) == resolves([2.0, 5.0, 4.0, 7.5])


def test_a_single_run_has_no_share_of_runs() -> None:
    assert of_runs(1, 1) is None
    assert of_runs(0, 2) == "0/2"


# --- window -------------------------------------------------------------------------------------


def test_window_is_the_median_with_its_ends_and_every_value() -> None:
    window = merge_window(runs(*({"duration_ms": ms} for ms in (120.0, 100.0, 105.5, 110.25))))
    assert window.duration_ms == round(107.875, 2)
    assert (window.duration_ms_min, window.duration_ms_max) == (100.0, 120.0)
    assert window.values == (120.0, 100.0, 105.5, 110.25)
    assert window.resolves_ms == resolves([120.0, 100.0, 105.5, 110.25]) == 20.0


def test_one_run_is_reported_as_it_is() -> None:
    opened = OpenedInside(
        state="S", thread_name="app", before_ms=1.0, total_ms=9.0, inside_ms=8.0, material=False
    )
    window = merge_window(
        runs(
            {
                "duration_ms": 100.0,
                "main_thread": budget(40.0, 50.0, 91.5),
                "opened_inside": opened,
                "start": AnchorFacts(glob="a*", matches=0),
                "startup": startup(150.0),
            }
        )
    )
    assert (window.duration_ms, window.duration_ms_min, window.duration_ms_max) == (100.0, None, None)
    assert window.resolves_ms is None
    assert window.main_thread is not None
    assert window.main_thread.runs is None
    assert window.opened_inside is not None
    assert (window.opened_inside.before_ms, window.opened_inside.runs) == (1.0, None)
    assert window.start is not None
    assert window.start.missed is None
    assert window.startup is not None
    assert window.startup.runs is None


def test_process_is_the_first_ones_and_differing_names_are_listed() -> None:
    other = (ProcessChoice(name="com.example.app:push", pid=7, slices=3),)
    window = merge_window(
        runs_of(
            [
                measurement(occurrence(), process=ProcessFacts(name="b", upid=1, pid=10), clipped_slices=2),
                measurement(
                    occurrence(),
                    process=ProcessFacts(
                        name="a", upid=2, pid=11, alternatives=other, alternatives_total=9, restarts=1
                    ),
                    unfinished_slices=5,
                    occurrences_total=4,
                ),
                measurement(occurrence(), process=ProcessFacts(name="b", upid=1, pid=12)),
            ]
        )
    )
    assert (window.process, window.pid) == ("b", 10)
    assert window.processes == ("b", "a")
    assert (window.process_alternatives, window.process_alternatives_total) == (other, 9)
    assert (window.restarts, window.clipped_slices, window.unfinished_slices) == (1, 2, 5)
    assert window.occurrences_total == 4


def test_the_window_says_where_the_first_run_begins_on_its_own_clock() -> None:
    first, second = (Occurrence(number=1, start_ns=at, end_ns=at + 5, duration_ms=0.0) for at in (70, 30))
    assert merge_window(runs_of([measurement(first), measurement(second)])).ts_start == 70


def test_equal_process_names_are_not_listed() -> None:
    assert merge_window(runs({}, {})).processes is None


def test_anchor_is_the_run_that_saw_it_least() -> None:
    window = merge_window(
        runs(
            {
                "start": AnchorFacts(glob="go", matches=2, before_start=1),
                "end": AnchorFacts(glob="end", matches=3),
            },
            {
                "start": AnchorFacts(glob="go", matches=0),
                "end": AnchorFacts(glob="end", matches=1, before_start=4),
            },
            {
                "start": AnchorFacts(glob="go", matches=1),
                "end": AnchorFacts(glob="end", matches=2, unfinished=True),
            },
        )
    )
    assert window.start is not None
    assert (window.start.matches, window.start.before_start, window.start.missed) == (0, 0, "1/3")
    assert not window.start.unfinished
    assert window.end is not None
    assert (window.end.matches, window.end.before_start, window.end.missed) == (1, 4, None)
    assert window.end.unfinished


def test_windows_without_length_are_counted() -> None:
    assert merge_window(runs({}, {"duration_ms": 0.0}, {})).empty == "1/3"
    assert merge_window(runs({"duration_ms": 0.0})).empty == "1/1"
    brief = Occurrence(start_ns=5, end_ns=6, duration_ms=0.0)
    assert merge_window(runs_of([measurement(brief)])).empty is None, "a nanosecond is a length"


def test_no_anchor_stays_no_anchor() -> None:
    window = merge_window(runs({}, {}))
    assert window.start is None
    assert window.end is None


def test_budget_takes_the_median_of_each_bucket_and_adds_those() -> None:
    merged = merge_window(
        runs(
            {"main_thread": budget(40.0, 50.0, 91.5, window_ms=100.0)},
            {"main_thread": budget(60.0, 30.0, 80.4, window_ms=110.0)},
            {"main_thread": None},
            {"main_thread": budget(41.0, 20.0, 99.9, window_ms=102.0)},
        )
    ).main_thread
    assert merged is not None
    assert (merged.on_cpu, merged.waiting_for_cpu, merged.in_kernel) == (41.0, 1.0, 0.5)
    assert (merged.sleeping, merged.other) == (30.0, 0.0)
    assert merged.accounted_ms == 72.5  # 41 + 1 + 0.5 + 30 + 0, not the median of the sums
    assert merged.accounted_pct == 91.5
    assert merged.window_ms == 102.0
    assert merged.runs == "3/4"
    assert merged.in_rows_ms is None
    assert merged.by_run is not None
    assert merged.by_run["on_cpu"] == (40.0, 60.0, None, 41.0)
    assert merged.by_run["accounted_pct"] == (91.5, 80.4, None, 99.9)


def test_coverage_is_the_median_over_runs_and_the_uncounted_are_joined() -> None:
    merged = merge_window(
        runs(
            {"main_thread": budget(1.0, 1.0, 90.0), "duration_ms": 100.0},
            {"main_thread": budget(1.0, 1.0, 90.0), "duration_ms": 200.0},
            {"main_thread": None, "duration_ms": 100.0},
        ),
        [
            InRows(covered_ns=30_000_000, uncounted=("io_wait",)),
            InRows(covered_ns=100_500_000, uncounted=("anr_risk", "io_wait")),
            InRows(covered_ns=1),
        ],
    ).main_thread
    assert merged is not None
    assert (merged.in_rows_ms, merged.in_rows_pct) == (65.25, 40.1)  # (30 + 100.5)/2; (30.0 + 50.2)/2
    assert merged.in_rows_uncounted == ("anr_risk", "io_wait")
    assert merged.by_run is not None
    assert merged.by_run["in_rows_ms"] == (30.0, 100.5, None)
    assert merged.by_run["in_rows_pct"] == (30.0, 50.2, None)


def test_one_entry_of_coverage_a_run() -> None:
    with pytest.raises(ValueError, match="shorter"):
        merge_window(runs({"main_thread": budget(1.0, 1.0, 1.0)}, {}), [InRows(covered_ns=1)])


def test_no_states_no_budget() -> None:
    assert merge_window(runs({}, {})).main_thread is None


def test_opened_inside_is_the_material_run_that_waited_longest() -> None:
    def opened(before: float, *, material: bool) -> OpenedInside:
        return OpenedInside(
            state="D",
            thread_name="app",
            before_ms=before,
            total_ms=before + 1,
            inside_ms=1.0,
            material=material,
        )

    window = merge_window(
        runs(
            {"opened_inside": opened(90.0, material=False)},
            {"opened_inside": opened(7.0, material=True)},
            {"opened_inside": opened(12.0, material=True)},
            {},
        )
    )
    assert window.opened_inside is not None
    assert window.opened_inside.before_ms == 12.0
    assert window.opened_inside.total_ms == 13.0
    assert window.opened_inside.runs == "2/4"
    assert merge_window(runs({"opened_inside": opened(90.0, material=False)}, {})).opened_inside is None


def startup(
    dur_ms: float, kind: str | None = "cold", reasons: dict[str, float] | None = None, startups: int = 1
) -> Startup:
    return Startup(
        type=kind,
        dur_ms=dur_ms,
        reasons=reasons or {},
        from_window_start_ms=-dur_ms / 10,
        from_window_end_ms=2.0,
        in_window_ms=dur_ms - 1,
        startups=startups,
    )


def test_startup_medians_count_a_missing_reason_as_zero() -> None:
    merged = merge_window(
        runs(
            {"startup": startup(100.0, reasons={"io": 5.0, "gc": 50.0})},
            {"startup": startup(140.0, "warm", reasons={"gc": 30.0, "rare": 9.0}, startups=3)},
            {"startup": None},
            {"startup": startup(120.0, reasons={"gc": 40.0, "io": 3.0})},
        )
    ).startup
    assert merged is not None
    assert merged.type == "cold and warm"
    assert merged.dur_ms == 120.0
    assert list(merged.reasons.items()) == [("gc", 40.0), ("io", 3.0), ("rare", 0.0)]
    assert (merged.from_window_start_ms, merged.from_window_end_ms, merged.in_window_ms) == (
        -12.0,
        2.0,
        119.0,
    )
    assert merged.startups == 3
    assert merged.runs == "3/4"
    assert merged.by_run == {
        "dur_ms": (100.0, 140.0, None, 120.0),
        "gc": (50.0, 30.0, None, 40.0),
        "io": (5.0, 0.0, None, 3.0),
        "rare": (0.0, 9.0, None, 0.0),
    }


def test_startup_type_agreed_or_unknown() -> None:
    agreed = merge_window(runs({"startup": startup(1.0, "hot")}, {"startup": startup(1.0, None)})).startup
    assert agreed is not None
    assert agreed.type == "hot"
    unknown = merge_window(runs({"startup": startup(1.0, None)}, {"startup": startup(1.0, None)})).startup
    assert unknown is not None
    assert unknown.type is None
    assert merge_window(runs({}, {})).startup is None


# --- environment --------------------------------------------------------------------------------


def clock(mean: float, low: float, high: float, on_cpu: float, measured: float) -> CpuClock:
    return CpuClock(mean_mhz=mean, min_mhz=low, max_mhz=high, on_cpu_ms=on_cpu, measured_ms=measured)


def test_clock_is_the_median_of_means() -> None:
    merged = merge_environment(
        environments(
            EnvironmentFacts(cpu=clock(1500.0, 300.0, 2000.0, 10.0, 9.0)),
            EnvironmentFacts(cpu=clock(1400.5, 500.0, 2800.0, 20.0, 20.0)),
            EnvironmentFacts(),
        )
    )
    assert merged.cpu is not None
    assert merged.cpu.mean_mhz == 1450.2  # 1450.25, to one decimal
    assert (merged.cpu.mean_mhz_min, merged.cpu.mean_mhz_max) == (1400.5, 1500.0)
    assert (merged.cpu.min_mhz, merged.cpu.max_mhz) == (300.0, 2800.0)
    assert (merged.cpu.on_cpu_ms, merged.cpu.measured_ms) == (15.0, 14.5)
    assert merged.cpu.runs == "2/3"
    assert merged.cpu.by_run == (1500.0, 1400.5, None)
    assert merged.missing == ("memory", "thermal")


def test_thermal_is_the_hottest_run_and_any_throttling() -> None:
    merged = merge_environment(
        environments(
            EnvironmentFacts(thermal=Thermal(max_celsius=41.0, hottest_zone="skin", throttled=False)),
            EnvironmentFacts(thermal=Thermal(max_celsius=55.5, hottest_zone="big", throttled=False)),
            EnvironmentFacts(thermal=Thermal(throttled=True, throttle_device="cpu-big")),
            EnvironmentFacts(),
        )
    ).thermal
    assert merged is not None
    assert (merged.max_celsius, merged.hottest_zone) == (55.5, "big")
    assert (merged.throttled, merged.throttle_device, merged.throttled_runs) == (True, "cpu-big", "1/3")
    assert merged.runs == "3/4"
    assert merged.by_run == (41.0, 55.5, None, None)


def test_throttling_never_seen_is_not_throttling_never_happened() -> None:
    unknown = EnvironmentFacts(thermal=Thermal(max_celsius=40.0, hottest_zone="skin"))
    merged = merge_environment(environments(unknown, unknown)).thermal
    assert merged is not None
    assert merged.throttled is None
    assert merged.throttled_runs is None
    calm = EnvironmentFacts(thermal=Thermal(throttled=False))
    merged = merge_environment(environments(unknown, calm)).thermal
    assert merged is not None
    assert (merged.throttled, merged.throttled_runs) == (False, "0/2")


def test_memory_is_the_low_point_and_the_median_of_faults() -> None:
    merged = merge_environment(
        environments(
            EnvironmentFacts(memory=Memory(available_mb_min=1500.5, major_faults=4)),
            EnvironmentFacts(memory=Memory(available_mb_min=1400.0)),
            EnvironmentFacts(memory=Memory(major_faults=7)),
            EnvironmentFacts(),
        )
    ).memory
    assert merged is not None
    assert (merged.available_mb_min, merged.major_faults, merged.runs) == (1400.0, 5.5, "3/4")
    assert merged.by_run == {
        "available_mb_min": (1500.5, 1400.0, None, None),
        "major_faults": (4, None, 7, None),
    }


def test_sampling_medians_are_over_the_runs_that_started() -> None:
    def sampling(
        hz: float | None, samples: int, stacks: int, names: AppNames | None, *, started: bool = True
    ) -> Sampling:
        return Sampling(hz=hz, asked=True, started=started, samples=samples, with_stack=stacks, names=names)

    merged = merge_environment(
        environments(
            EnvironmentFacts(sampling=sampling(100.0, 90, 80, AppNames(methods=10, minified=1))),
            EnvironmentFacts(sampling=sampling(100.0, 110, 0, None)),
            EnvironmentFacts(
                sampling=sampling(100.0, 0, 0, AppNames(methods=4, minified=1, renamed=2), started=False)
            ),
            EnvironmentFacts(),
        )
    ).sampling
    assert merged
    assert (merged.hz, merged.asked, merged.started) == (100.0, True, True)
    assert (merged.samples, merged.with_stack) == (100, 40)
    assert (merged.runs, merged.runs_with_stack) == ("2/4", "1/4")
    assert merged.names == AppNames(methods=4, minified=1, renamed=2)

    other = merge_environment(
        environments(
            EnvironmentFacts(sampling=sampling(100.0, 1, 1, None)),
            EnvironmentFacts(sampling=sampling(None, 2, 1, None)),
        )
    ).sampling
    assert other
    assert other.hz is None
    assert other.samples == 1.5
    assert other.names is None


def test_nothing_asked_is_written_as_null() -> None:
    merged = merge_environment(environments(EnvironmentFacts(), EnvironmentFacts()))
    written = msgspec.json.decode(msgspec.json.encode(merged))
    assert written["sampling"] is None
    assert written["compose_names"] is None
    assert written["missing"] == ["cpu", "memory", "thermal"]


def test_compose_names_asked_by_any_run() -> None:
    merged = merge_environment(
        environments(
            EnvironmentFacts(compose_names=ComposeNames(asked=False, calls=10)),
            EnvironmentFacts(compose_names=ComposeNames(asked=True, calls=13)),
            EnvironmentFacts(),
        )
    ).compose_names
    assert merged
    assert (merged.asked, merged.calls, merged.runs) == (True, 11.5, "2/3")


# --- markers ------------------------------------------------------------------------------------


def marker(location: str, count: int, self_ms: float, total_ms: float, detail: str = "main") -> Marker:
    return Marker(
        location=location, count=count, self_ms=self_ms, total_ms=total_ms, max_ms=total_ms, detail=detail
    )


def test_markers_merge_by_name() -> None:
    tables = (
        Markers(
            rows=(marker("draw", 3, 4.0, 5.0, "main"), marker("load", 1, 1.0, 90.0)),
            absent=("never*", "rare*"),
            in_trace=("AGENTTMP_b",),
        ),
        Markers(
            rows=(marker("draw", 4, 2.0, 8.0, "worker"),),
            absent=("never*", "load*"),
            in_trace=("AGENTTMP_a",),
        ),
        Markers(
            rows=(msgspec.structs.replace(marker("draw", 5, 3.0, 6.0, "other"), unfinished=True),),
            absent=("never*",),
            in_trace=("AGENTTMP_b",),
        ),
    )
    merged = merge_markers(runs(*({"markers": table} for table in tables)))
    load, draw = merged.rows
    assert (load.location, load.runs, load.total_ms) == ("load", "1/3", 90.0)
    assert load.by_run is not None
    assert load.by_run["total_ms"] == (90.0, None, None)
    assert (draw.location, draw.runs, draw.count) == ("draw", "3/3", 4)
    assert (draw.self_ms, draw.total_ms, draw.max_ms) == (3.0, 6.0, 6.0)
    assert draw.detail == "worker"
    assert draw.unfinished
    assert not load.unfinished
    assert draw.spread is not None
    assert set(draw.spread) == {"self_ms", "total_ms", "max_ms"}
    assert draw.spread["total_ms"].values == (5.0, 8.0, 6.0)
    assert draw.by_run == {
        "count": (3, 4, 5),
        "self_ms": (4.0, 2.0, 3.0),
        "total_ms": (5.0, 8.0, 6.0),
        "max_ms": (5.0, 8.0, 6.0),
    }
    assert merged.absent == ("never*",)
    assert merged.in_trace == ("AGENTTMP_a", "AGENTTMP_b")


def test_markers_of_equal_total_stand_by_name() -> None:
    merged = merge_markers(
        runs({"markers": Markers(rows=(marker("b", 1, 1.0, 1.0), marker("a", 1, 1.0, 1.0)))})
    )
    assert [row.location for row in merged.rows] == ["a", "b"]
    assert merged.rows[0].runs is None
    assert merged.rows[0].spread is None
