from __future__ import annotations

from echolot_tui.compare.compare import compare_reports
from echolot_tui.compare.inputs import CompareOptions
from echolot_tui.compare.model import SmallRow
from echolot_tui.report.model import (
    BudgetReport,
    CpuReport,
    EnvironmentReport,
    MarkerRow,
    MarkersReport,
    MemoryReport,
    Report,
    StartupReport,
    ThermalReport,
    WindowReport,
)
from reports_by_hand import old_report, repeats, report, sides

QUIET = (100.0, 101.0, 102.0, 103.0, 104.0)


def up(by: float) -> tuple[float, ...]:
    return tuple(value + by for value in QUIET)


def tables(before, after, **options) -> dict[str, dict[str, SmallRow]]:
    result = compare_reports(*sides(before, after), CompareOptions(**options))
    return {table.id: {one.name: one for one in table.rows} for table in result.also}


def budget(on_cpu, sleeping, covered=(42.0,) * 5) -> WindowReport:
    by_run = {"on_cpu": on_cpu, "sleeping": sleeping, "in_rows_pct": covered, "accounted_pct": (100.0,) * 5}
    return WindowReport(
        main_thread=BudgetReport(on_cpu=on_cpu[2], sleeping=sleeping[2], in_rows_pct=42.0, by_run=by_run)
    )


def test_reports_that_measured_none_of_it_have_no_tables():
    assert tables(report(), report()) == {}


def test_budget():
    before = Report(detectors=(), repeats=repeats(5), window=budget(QUIET, QUIET))
    after = Report(detectors=(), repeats=repeats(5, "b"), window=budget(up(50), up(1)))
    found = tables(before, after)
    on_cpu = found["budget"]["on a CPU"]
    assert (on_cpu.unit, on_cpu.before, on_cpu.after, on_cpu.delta) == ("ms", 102.0, 152.0, 50.0)
    assert (on_cpu.low, on_cpu.high, on_cpu.holds, on_cpu.verdict) == (47.0, 53.0, True, "higher")
    assert on_cpu.before_values == QUIET
    assert found["budget"]["sleeping"].verdict == "no change"
    assert found["coverage"]["stood for by rows"].unit == "%"


def test_coverage_has_no_floor_in_milliseconds():
    before = Report(
        detectors=(), repeats=repeats(5), window=budget(QUIET, QUIET, (10.0, 10.1, 10.2, 10.0, 10.1))
    )
    after = Report(
        detectors=(), repeats=repeats(5, "b"), window=budget(QUIET, QUIET, (12.0, 12.1, 12.2, 12.0, 12.1))
    )
    covered = tables(before, after)["coverage"]["stood for by rows"]
    assert (covered.delta, covered.verdict) == (2.0, "higher")


def test_files_of_the_original_give_medians_without_a_range():
    before = old_report(window=WindowReport(main_thread=BudgetReport(on_cpu=400.0)))
    after = old_report(window=WindowReport(main_thread=BudgetReport(on_cpu=600.0)))
    on_cpu = tables(before, after)["budget"]["on a CPU"]
    assert (on_cpu.delta, on_cpu.low, on_cpu.holds, on_cpu.verdict) == (200.0, None, None, None)


def start(length, **reasons) -> WindowReport:
    by_run = {"dur_ms": length, **reasons}
    middle = {name: sorted(values)[2] for name, values in reasons.items()}
    return WindowReport(startup=StartupReport(type="cold", dur_ms=length[2], reasons=middle, by_run=by_run))


def test_startup_and_a_reason_only_one_side_has():
    before = Report(detectors=(), repeats=repeats(5), window=start(up(800), verify=QUIET))
    after = Report(detectors=(), repeats=repeats(5, "b"), window=start(up(1000), verify=up(200), dex=QUIET))
    found = tables(before, after)["startup"]
    assert list(found) == ["start-up", "verify", "dex"]
    assert (found["start-up"].delta, found["start-up"].verdict) == (200.0, "slower")
    assert (found["verify"].delta, found["verify"].verdict) == (200.0, "slower")
    assert (found["dex"].before, found["dex"].after, found["dex"].verdict) == (0.0, 102.0, "new")


def test_t05_a_run_without_a_start_is_left_out_of_the_starts_and_the_rest_compared():
    """Not a start of 0 ms: the other runs of the side keep their figures, and the table says how many."""
    before = Report(detectors=(), repeats=repeats(5), window=start([100.0, 101.0, 102.0, 103.0, 104.0]))
    missing = start([150.0, None, 152.0, 153.0, 151.0])
    after = Report(detectors=(), repeats=repeats(5, "b"), window=missing)
    found = tables(before, after)["startup"]["start-up"]
    assert (found.before, found.after, found.delta) == (102.0, 151.5, 49.5)
    assert (found.verdict, found.low, found.high) == ("slower", 47.0, 52.0)


def test_a_start_on_one_side_only_is_no_fall_to_zero():
    before = Report(detectors=(), repeats=repeats(5), window=start(QUIET))
    after = report(side="b")
    length = tables(before, after)["startup"]["start-up"]
    assert (length.before, length.after, length.delta, length.verdict) == (102.0, None, None, None)


def marker(name: str, values) -> MarkerRow:
    found = sorted(value for value in values if value is not None)
    return MarkerRow(location=name, total_ms=found[len(found) // 2], by_run={"total_ms": tuple(values)})


def test_markers():
    before = report(markers=MarkersReport(rows=(marker("load", QUIET), marker("old", QUIET))))
    after = report(
        side="b",
        markers=MarkersReport(
            rows=(marker("load", (None, *up(60)[1:])), marker("new", QUIET)), absent=("old",)
        ),
    )
    found = tables(before, after)["markers"]
    assert (found["load"].after_values, found["load"].delta) == ((0.0, *up(60)[1:]), 60.0)
    assert (found["old"].verdict, found["new"].verdict) == ("gone", "new")


def test_markers_a_side_never_asked_for_are_not_zero():
    found = tables(report(markers=MarkersReport(rows=(marker("load", QUIET),))), report(side="b"))["markers"][
        "load"
    ]
    assert (found.after, found.verdict) == (None, None)


def test_environment_uses_the_median_over_runs_and_says_higher_or_lower():
    def side(letter, clock, heat):
        return report(
            side=letter,
            environment=EnvironmentReport(
                cpu=CpuReport(mean_mhz=clock[2], by_run=clock),
                thermal=ThermalReport(max_celsius=max(heat), by_run=heat),
                memory=MemoryReport(
                    available_mb_min=1500.0,
                    major_faults=None,
                    by_run={"available_mb_min": (1500.0,) * 5, "major_faults": (None,) * 5},
                ),
            ),
        )

    cool = (50.0, 51.0, 52.0, 53.0, 60.0)
    before = side("a", (2200.0, 2201.0, 2202.0, 2203.0, 2204.0), cool)
    after = side("b", (1500.0, 1501.0, 1502.0, 1503.0, 1504.0), cool)
    found = tables(before, after)["environment"]
    assert (found["mean clock"].unit, found["mean clock"].verdict) == ("MHz", "lower")
    assert (found["peak temperature"].before, found["peak temperature"].verdict) == (52.0, "no change")
    assert found["free memory"].verdict == "no change"
    assert "major faults" not in found


def test_too_few_runs_give_no_verdict():
    def side(letter, values):
        return report(runs=3, side=letter, markers=MarkersReport(rows=(marker("load", values),)))

    found = tables(side("a", QUIET[:3]), side("b", up(100)[:3]))["markers"]["load"]
    assert (found.delta, found.holds, found.verdict) == (100.0, None, None)


def test_each_table_is_a_family_of_its_own():
    crowd = tuple(marker(f"m{at}", [50.0 + (at * 7 + run * 13) % 29 for run in range(5)]) for at in range(20))
    moved = [marker("load", QUIET), marker("load", up(25))]
    alone = tables(
        report(markers=MarkersReport(rows=(moved[0],))),
        report(side="b", markers=MarkersReport(rows=(moved[1],))),
    )
    assert alone["markers"]["load"].verdict == "slower"
    result = tables(
        report(markers=MarkersReport(rows=(*crowd, moved[0]))),
        report(side="b", markers=MarkersReport(rows=(*crowd, moved[1]))),
    )
    assert result["markers"]["load"].holds is True
