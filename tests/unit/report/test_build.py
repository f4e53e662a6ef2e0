"""Merging and gating: every rule with numbers worked out by hand, and brute force where there are many."""

from __future__ import annotations

import statistics
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from echolot_tui.frozen import Cell
from echolot_tui.measure.model import DetectorMeasurement, Measurement, Unreadable
from echolot_tui.measure.plan import Plan
from echolot_tui.report.build import NothingMeasuredError, ReportContext, build_report
from echolot_tui.report.codec import encode_report, encode_rows
from echolot_tui.report.model import AllRows, DetectorReport, Report, Row
from hand_built import answer, decision, measurement, occurrence, plan_of, traces

OPEN = plan_of(decision("d"))


def built(measurements: list[Measurement], plan: Plan = OPEN, **fields: Any) -> tuple[Report, AllRows]:
    return build_report(measurements, plan, context=ReportContext(), **fields)


def only(report: Report | AllRows) -> DetectorReport:
    (section,) = report.detectors
    return section


def rows_of(*answers: DetectorMeasurement, plan: Plan = OPEN) -> tuple[Row, ...]:
    return only(built(traces(*answers), plan)[0]).rows


def a(self_ms: float, **columns: Cell) -> dict[str, Cell]:
    return {"location": "a", "self_ms": self_ms, **columns}


def test_a_row_is_the_median_over_the_runs_that_have_it() -> None:
    (row,) = rows_of(
        answer("d", a(10.0, total_ms=20.0, max_ms=5.0, count=4)),
        answer("d"),
        answer("d", a(40.0, total_ms=50.0, max_ms=9.0, count=7)),
        answer("d", a(20.0, total_ms=30.0, max_ms=7.0, count=5)),
        answer("d", a(31.0, total_ms=33.0, max_ms=8.0, count=6)),
    )
    assert (row.self_ms, row.total_ms, row.max_ms, row.count) == (25.5, 31.5, 7.5, 5.5)
    assert row.runs == "4/5"
    assert row.by_run == {
        "count": (4, None, 7, 5, 6),
        "self_ms": (10.0, None, 40.0, 20.0, 31.0),
        "total_ms": (20.0, None, 50.0, 30.0, 33.0),
        "max_ms": (5.0, None, 9.0, 7.0, 8.0),
    }
    assert row.spread is not None
    assert row.spread["self_ms"].values == (10.0, 40.0, 20.0, 31.0)
    assert (row.spread["self_ms"].min, row.spread["self_ms"].max) == (10.0, 40.0)
    # Four values: the widest pair of strays from the median is the range, 40 - 10.
    assert row.spread["self_ms"].resolves_ms == 30.0
    assert row.spread["self_ms"].resolves_pct == 117.6
    assert set(row.spread) == {"self_ms", "total_ms", "max_ms"}


def test_a_whole_count_stays_whole() -> None:
    (row,) = rows_of(answer("d", a(1.0, count=3)), answer("d", a(1.0, count=9)), answer("d", a(1.0, count=4)))
    assert row.count == 4
    assert isinstance(row.count, int)


def test_below_four_values_there_is_no_resolution() -> None:
    (row,) = rows_of(*(answer("d", a(float(value))) for value in (1, 2, 3)))
    assert row.spread is not None
    assert row.spread["self_ms"].resolves_ms is None


def test_a_single_run_has_values_and_nothing_to_count() -> None:
    (row,) = rows_of(answer("d", a(12.34, total_ms=20.0, count=2)))
    assert (row.self_ms, row.count, row.runs, row.spread) == (12.34, 2, None, None)
    assert row.by_run == {"count": (2,), "self_ms": (12.34,), "total_ms": (20.0,)}


def test_a_row_over_the_bar_in_one_run_counts_in_every_run_that_has_it() -> None:
    plan = plan_of(decision("d", params={"bar": 16}, gate="self_ms >= bar"))
    report, every_row = built(
        traces(
            answer("d", a(15.0), {"location": "small", "self_ms": 1.0}),
            answer("d", a(16.0)),
            answer("d", a(14.0)),
        ),
        plan,
    )
    (row,) = only(report).rows
    assert (row.runs, row.self_ms, row.passed) == ("3/3", 15.0, True)
    assert [(one.location, one.passed) for one in only(every_row).rows] == [("a", True), ("small", False)]
    assert only(report).rows_measured == 2
    assert only(every_row).rows[1].by_run == {"self_ms": (1.0, None, None)}


def test_the_bar_decides_afterwards() -> None:
    measured = traces(answer("d", a(15.0)), answer("d", a(16.0)))
    for bar, listed in ((10, 1), (16, 1), (16.01, 0)):
        report, every_row = built(
            measured, plan_of(decision("d", params={"bar": bar}, gate="self_ms >= bar"))
        )
        assert len(only(report).rows) == listed
        assert only(report).state == ("fired" if listed else "silent")
        assert len(only(every_row).rows) == 1


def test_rows_are_told_apart_by_identity() -> None:
    plan = plan_of(decision("d", identity=("location", "thread")))
    report, _ = built(
        traces(
            answer("d", a(1.0, thread="main"), a(2.0, thread="background")),
            answer("d", a(3.0, thread="background"), a(5.0, thread=None)),
        ),
        plan,
    )
    assert [(row.thread, row.self_ms, row.runs) for row in only(report).rows] == [
        (None, 5.0, "1/2"),
        ("background", 2.5, "2/2"),
        ("main", 1.0, "1/2"),
    ]


def test_two_rows_of_one_run_with_one_identity_are_one() -> None:
    (row,) = rows_of(
        answer("d", a(10.0, max_ms=6.0, count=1), a(5.0, max_ms=8.0, count=2)),
        answer("d", a(20.0, max_ms=3.0, count=5)),
    )
    assert row.by_run == {"count": (3, 5), "self_ms": (15.0, 20.0), "max_ms": (8.0, 3.0)}
    assert row.runs == "2/2"


def test_evidence_of_rows_that_are_one_is_kept_once_each() -> None:
    waited = "no answer. Waited {}ms for it"
    (row,) = rows_of(
        answer(
            "d",
            a(10.0, location=waited.format(5001), detail="at 1 s"),
            a(5.0, location=waited.format(5002), detail="at 9 s"),
            a(5.0, location=waited.format(5003), detail="at 9 s"),
        )
    )
    assert (row.location, row.detail) == (waited.format("#"), "at 1 s; at 9 s")


def test_evidence_comes_from_the_worst_run() -> None:
    plan = plan_of(decision("d", shipped=False))
    (row,) = rows_of(
        answer("d", a(10.0, detail="mild", colour="blue")),
        answer("d", a(30.0, detail="worst", colour="red")),
        answer("d", a(30.0, detail="as bad, later", colour="green")),
        plan=plan,
    )
    assert row.detail == "worst"
    assert row.extra == {"colour": "red"}


def test_own_columns_of_a_shipped_detector_serve_its_gate_alone() -> None:
    (row,) = rows_of(
        answer("d", a(10.0, occurrences=5)), plan=plan_of(decision("d", gate="occurrences >= 5"))
    )
    assert row.extra is None


def test_stacks_come_from_the_worst_run_that_has_some() -> None:
    (row,) = rows_of(
        answer("d", a(10.0, detail="few", stacks='{"samples":1}')),
        answer("d", a(20.0, detail="more", stacks='{"samples":2}')),
        answer("d", a(30.0, detail="none", stacks=None)),
    )
    assert (row.stacks, row.detail) == ({"samples": 2}, "more")


def test_a_column_called_stacks_that_holds_something_else_is_ignored() -> None:
    (row,) = rows_of(answer("d", a(10.0, stacks="main > draw")))
    assert row.stacks is None


def test_rows_are_sorted_by_the_rank_column_and_ties_by_identity() -> None:
    plan = plan_of(decision("d", rank="callers", identity=("location",)))
    rows = rows_of(
        answer(
            "d",
            *(
                {"location": name, "total_ms": 1.0, "callers": callers}
                for name, callers in (("c", 2), ("b", 7), ("a", 2))
            ),
        ),
        plan=plan,
    )
    assert [row.location for row in rows] == ["b", "a", "c"]


def test_the_whole_length_is_kept_only_where_the_window_cut_something() -> None:
    cut, uncut = rows_of(
        answer(
            "d",
            {"location": "cut", "self_ms": 9.0, "total_ms": 10.0, "full_ms": 150.0},
            {"location": "uncut", "self_ms": 8.0, "total_ms": 10.0, "full_ms": 10.0},
        )
    )
    assert (cut.full_ms, uncut.full_ms) == (150.0, None)


@pytest.mark.parametrize(
    ("states", "expected", "failed_runs", "no_data_runs", "unseen"),
    [
        (["ok", "ok"], "silent", None, None, ()),
        (["failed", "failed"], "failed", "2/2", None, ("1", "2")),
        (["no data", "no data"], "no data", None, "2/2", ("1", "2")),
        (["ok", "failed"], "silent", "1/2", None, ("2",)),
        (["no data", "ok"], "silent", None, "1/2", ("1",)),
        (["no data", "failed"], "failed", "1/2", "1/2", ("1", "2")),
    ],
)
def test_three_kinds_of_nothing(
    states: list[Any],
    expected: str,
    failed_runs: str | None,
    no_data_runs: str | None,
    unseen: tuple[str, ...],
) -> None:
    section = only(built(traces(*(answer("d", state=state, reason=f"{state}!") for state in states)))[0])
    assert section.state == expected
    assert (section.failed_runs, section.no_data_runs, section.unseen) == (failed_runs, no_data_runs, unseen)
    assert section.error == ("failed!" if "failed" in states else None)
    assert section.no_data == ("no data!" if "no data" in states else None)


def test_a_run_that_was_not_looked_at_is_not_a_run_without_the_row() -> None:
    section = only(
        built(
            traces(
                answer("d", a(1.0)),
                answer("d", state="failed", reason="no such table"),
                answer("d"),
                answer("d", state="no data", reason="no frames"),
            )
        )[0]
    )
    (row,) = section.rows
    assert section.state == "fired"
    assert row.runs == "1/2"
    assert row.by_run == {"self_ms": (1.0, None, None, None)}
    assert section.unseen == ("2", "4")


def test_a_detector_nobody_asked_failed() -> None:
    section = only(built([measurement(occurrence())])[0])
    assert section.state == "failed"
    assert section.error is not None


def test_a_gate_that_names_no_column_fails_its_detector_alone() -> None:
    report, every_row = built(
        [measurement(occurrence(answer("bad", a(1.0)), answer("good", a(2.0))))],
        plan_of(decision("bad", params={"bar": 1}, gate="missing >= bar"), decision("good")),
    )
    bad, good = report.detectors
    assert (bad.state, bad.rows) == ("failed", ())
    assert bad.error is not None
    assert "missing" in bad.error
    assert good.state == "fired"
    assert [row.passed for row in every_row.detectors[0].rows] == [False]


def test_occurrences_of_one_trace_stay_together() -> None:
    measured = [
        measurement(occurrence(answer("d", a(10.0))), occurrence(answer("d", a(20.0)), number=2), path="one"),
        measurement(occurrence(answer("d", a(30.0))), occurrence(answer("d"), number=2), path="two"),
        measurement(occurrence(answer("d")), occurrence(answer("d"), number=2), path="three"),
    ]
    report, _ = built(measured)
    assert [(one.label, one.trace_index, one.occurrence) for one in report.repeats] == [
        ("1.1", 0, 1),
        ("1.2", 0, 2),
        ("2.1", 1, 1),
        ("2.2", 1, 2),
        ("3.1", 2, 1),
        ("3.2", 2, 2),
    ]
    (row,) = only(report).rows
    assert (report.runs, row.runs) == (3, "2/3")
    assert row.by_run == {"self_ms": (10.0, 20.0, 30.0, None, None, None)}
    assert row.self_ms == 20.0


def test_coverage_counts_listed_rows_once() -> None:
    # Rows 0 and 1 overlap in [30, 50) ms; row 2 is under the bar.
    ms = 1_000_000
    covers = [(0, 0, 50 * ms), (1, 30 * ms, 40 * ms), (2, 500 * ms, 100 * ms)]
    rows = [{"location": name, "self_ms": value} for name, value in (("a", 50.0), ("b", 40.0), ("c", 1.0))]
    budget = {"on_cpu": 100.0, "waiting_for_cpu": 0.0, "in_kernel": 0.0, "sleeping": 900.0, "other": 0.0}
    from echolot_tui.measure.model import Budget

    report, _ = built(
        traces(
            answer("d", *rows, covers=covers),
            main_thread=Budget(**budget, accounted_ms=1000.0, window_ms=1000.0, accounted_pct=100.0),
        ),
        plan_of(decision("d", params={"bar": 10}, gate="self_ms >= bar")),
    )
    assert report.window.main_thread is not None
    assert report.window.main_thread.in_rows_ms == 70.0
    assert report.window.main_thread.in_rows_pct == 7.0
    assert report.window.main_thread.in_rows_uncounted == ()


def test_a_failed_coverage_query_is_named_when_its_rows_are_listed() -> None:
    from echolot_tui.measure.model import Budget

    main = Budget(
        on_cpu=1,
        waiting_for_cpu=0,
        in_kernel=0,
        sleeping=0,
        other=0,
        accounted_ms=1,
        window_ms=1,
        accounted_pct=100,
    )
    report, _ = built(traces(answer("d", a(1.0), coverage_error="no such column"), main_thread=main))
    assert report.window.main_thread is not None
    assert report.window.main_thread.in_rows_uncounted == ("d",)


def test_turned_off_detectors_are_named_and_not_run() -> None:
    report, every_row = built(
        [measurement(occurrence(answer("on", a(1.0)), answer("off", a(1.0))))],
        plan_of(decision("on"), decision("off", on=False)),
    )
    assert [one.id for one in report.detectors] == ["on"]
    assert [one.id for one in every_row.detectors] == ["on"]
    assert report.summary.absent_ids == ("off",)
    assert (report.summary.detectors_run, report.summary.detectors_fired, report.summary.fired_ids) == (
        1,
        1,
        ("on",),
    )


def test_a_set_with_unreadable_traces_says_so() -> None:
    report, _ = built(
        traces(answer("d", a(1.0)), answer("d", a(2.0))),
        unreadable=[Unreadable(path="broken", reason="no tables")],
    )
    assert (report.runs, report.runs_given) == (2, 3)
    assert report.unreadable[0].path == "broken"
    assert only(report).rows[0].runs == "2/2"


def test_nothing_measured_is_an_error_with_every_reason() -> None:
    with pytest.raises(NothingMeasuredError, match="broken: no tables"):
        built([], unreadable=[Unreadable(path="broken", reason="no tables")])


def test_where_the_settings_come_from() -> None:
    plan = plan_of(
        decision("d", params={"bar": 8}, overridden={"bar": 16}, source="config+cli", gate="self_ms >= bar"),
        set={"d.bar": 8},
        defaults=False,
    )
    report, _ = built(traces(answer("d", a(9.0))), plan)
    section = only(report)
    assert (section.params, section.defaults, section.params_source) == (
        {"bar": 8},
        {"bar": 16},
        "config+cli",
    )
    assert report.config.set == {"d.bar": 8}


def test_a_note_of_some_traces_says_of_how_many() -> None:
    measured = [
        measurement(occurrence(answer("d")), path=path, notes=notes)
        for path, notes in (("1", ("all", "some")), ("2", ("all",)))
    ]
    assert built(measured)[0].notes == ("all", "some (1/2 traces)")


def test_numbers_that_are_none_do_not_reach_the_file() -> None:
    plan = plan_of(decision("d", rank="total_ms"))
    report, _ = built(
        traces(
            answer(
                "d",
                {
                    "location": "x",
                    "total_ms": float("inf"),
                    "self_ms": -0.0,
                    "own": float("nan"),
                    "count": None,
                    "max_ms": "text",
                },
            )
        ),
        plan,
    )
    raw = encode_report(report)
    assert b"-0.0" not in raw
    assert b"nan" not in raw.lower()
    (row,) = only(report).rows
    assert (row.total_ms, row.self_ms, row.max_ms) == (None, 0.0, None)


MEASURED_ROW = st.fixed_dictionaries(
    {
        "location": st.sampled_from("abc"),
        "self_ms": st.integers(0, 10_000).map(lambda hundredths: hundredths / 100),
        "count": st.integers(0, 9),
        "detail": st.sampled_from(["x", "y"]),
    }
)
RUN = st.lists(MEASURED_ROW, max_size=3, unique_by=lambda row: row["location"])


@given(st.lists(RUN, min_size=1, max_size=6), st.randoms(use_true_random=False))
@settings(deadline=None)
def test_the_order_of_rows_inside_a_run_changes_nothing(
    sets: list[list[dict[str, Cell]]], random: Any
) -> None:
    plan = plan_of(decision("d", params={"bar": 20}, gate="self_ms >= bar"))

    def raw(rows: list[list[dict[str, Cell]]]) -> tuple[bytes, bytes]:
        report, every_row = built(traces(*(answer("d", *run) for run in rows)), plan)
        encoded = encode_report(report)
        return encoded, encode_rows(every_row, encoded)

    shuffled = [random.sample(run, len(run)) for run in sets]
    assert raw(sets) == raw(shuffled)


@given(st.lists(RUN, min_size=2, max_size=6))
@settings(deadline=None)
def test_merging_agrees_with_brute_force(sets: list[list[dict[str, Any]]]) -> None:
    plan = plan_of(decision("d", params={"bar": 20}, gate="self_ms >= bar"))
    report, every_row = built(traces(*(answer("d", *run) for run in sets)), plan)
    everything = {row.location: row for row in only(every_row).rows}
    assert set(everything) == {row["location"] for run in sets for row in run}
    for location, row in everything.items():
        mine = [next((one for one in run if one["location"] == location), None) for run in sets]
        found = [one["self_ms"] for one in mine if one]
        assert row.self_ms == round(statistics.median(found), 2)
        assert row.count == statistics.median([one["count"] for one in mine if one])
        assert row.runs == f"{len(found)}/{len(sets)}"
        assert row.by_run is not None
        assert row.by_run["self_ms"] == tuple(one["self_ms"] if one else None for one in mine)
        assert row.passed == (max(found) >= 20)
    listed = [row.location for row in only(report).rows]
    assert listed == sorted(listed, key=lambda name: (-(everything[name].self_ms or 0), name))
    assert set(listed) == {name for name, row in everything.items() if row.passed}


def test_a_name_that_holds_a_thread_id_of_its_run_is_one_row() -> None:
    def lock(owner: int, ms: float) -> dict[str, Cell]:
        return {"location": f"Lock contention on a monitor lock (owner tid: {owner})", "self_ms": ms}

    (row,) = rows_of(answer("d", lock(4020, 10.0), lock(4023, 5.0)), answer("d", lock(5117, 12.0)))
    assert row.location == "Lock contention on a monitor lock (owner tid: #)"
    assert row.runs == "2/2"
    assert row.by_run == {"self_ms": (15.0, 12.0)}
