from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echolot_tui.compare.compare import compare_reports
from echolot_tui.compare.family import Series, could_clear
from echolot_tui.compare.inputs import CompareOptions, SideInput
from echolot_tui.compare.model import Comparison, Row
from echolot_tui.report.model import WindowReport
from reports_by_hand import all_rows, detector, old_report, old_row, repeats, report, row, sides

BLOCK = "main_thread_block"


def comparison(before, after, **options) -> Comparison:
    return compare_reports(*sides(before, after), CompareOptions(**options))


def only(result: Comparison) -> Row:
    assert len(result.rows) == 1
    return result.rows[0]


def moved(before, after, *, build=row, make=report, **options) -> Row:
    old = make(detector(BLOCK, build("x", before)), runs=len(before))
    new = make(detector(BLOCK, build("x", after)), runs=len(after))
    return only(comparison(old, new, **options))


class TestAgainstTheFactSheet:
    BEFORE = (61.6, 57.9, 65.9, 60.4, 69.0)
    AFTER = tuple(round(1.4 * value, 2) for value in BEFORE)

    @pytest.mark.parametrize(("build", "make"), [(row, report), (old_row, old_report)])
    def test_a_lock_waited_for_two_fifths_longer(self, build, make):
        found = moved(self.BEFORE, self.AFTER, build=build, make=make)
        assert (found.before.self_ms, found.after.self_ms) == (61.6, 86.24)
        assert (found.delta_ms, found.ratio, found.change) == (24.64, 1.4, "grew")
        assert found.holds is True
        assert (found.shift.low_ms, found.shift.high_ms) == (15.56, 35.0)
        assert found.shift.ms == 24.64
        assert found.shift.resolves_ms == round(24.64 - 15.56, 2)
        assert found.shift.runs_needed is None
        assert found.verdict == "slower"

    def test_the_keys_of_a_row_are_those_of_schema_2_and_ours(self):
        import msgspec

        keys = list(msgspec.to_builtins(moved(self.BEFORE, self.AFTER)))
        old = [
            "location",
            "detector",
            "metric",
            "change",
            "matched_by",
            "before",
            "after",
            "delta_ms",
            "ratio",
            "shift",
            "holds",
        ]
        new = ["verdict", "q", "p_family", "resolves_ms", "runs_needed", "impact", "share"]
        assert keys[: len(old) + len(new)] == old + new


class TestFloor:
    def test_exactly_the_floor_is_steady(self):
        assert moved([50.0], [55.0]).change == "steady"
        assert moved([50.0], [55.01]).change == "grew"
        assert moved([100.0], [90.0]).change == "steady"
        assert moved([100.0], [89.99]).change == "shrank"

    def test_the_larger_of_both_floors_counts(self):
        assert moved([900.0], [940.0]).change == "steady"
        assert moved([900.0], [940.0], floor_pct=1).change == "grew"
        assert moved([6.0], [10.0]).change == "steady"
        assert moved([6.0], [10.0], floor_ms=1).change == "grew"

    def test_without_floors_every_difference_is_a_move(self):
        assert moved([10.0], [10.01], floor_ms=0, floor_pct=0).change == "grew"
        assert moved([10.0], [10.0], floor_ms=0, floor_pct=0).change == "steady"


class TestSharesOfRuns:
    def test_runs_without_the_row_count_as_zero_where_the_shares_differ(self):
        found = moved([120.0, None, None, None, None], [120.0, 118.0, 121.0, 120.0, 122.0])
        assert (found.shares.before, found.shares.after) == ("1/5", "5/5")
        assert (found.before.self_ms, found.before.runs) == (120.0, "1/5")
        assert found.change == "grew"
        assert found.delta_ms == 120.0
        assert (
            "120.00 ms longer in after than in before, runs without it counting as 0 ms: "
            "1/5 runs of before and 5/5 of after have it."
        ) in found.sentence
        assert found.ratio is None
        assert found.before.values == (120.0,)
        assert found.before.by_run == (120.0, 0.0, 0.0, 0.0, 0.0)

    def test_equal_shares_compare_what_was_found(self):
        found = moved([100.0, None, 110.0, None], [None, 130.0, 140.0, None])
        assert found.shares is None
        assert "counting as 0 ms" not in found.sentence
        assert (found.delta_ms, found.shift, found.holds) == (30.0, None, None)
        assert found.after.by_run == (0.0, 130.0, 140.0, 0.0)

    def test_the_same_fraction_of_other_numbers_is_no_difference(self):
        found = moved([100.0, None] * 2, [100.0, None] * 3)
        assert found.shares is None

    def test_the_originals_files_are_filled_by_position(self):
        found = moved([None, 120.0, None, 130.0], [140.0] * 4, build=old_row, make=old_report)
        assert found.before.by_run == (120.0, 130.0, 0.0, 0.0)
        assert found.shares.before == "2/4"
        assert found.delta_ms == 80.0

    def test_a_row_the_original_kept_no_values_of_gets_no_verdict(self):
        bare = old_row("x", [20.0] * 5)
        bare = type(bare)(location="x", runs="3/5", self_ms=20.0)
        old = old_report(detector(BLOCK, bare))
        new = old_report(detector(BLOCK, old_row("x", [90.0] * 5)))
        found = only(comparison(old, new))
        assert found.before.values is None
        assert found.before.by_run is None
        assert (found.holds, found.verdict) == (None, "can't tell")
        assert found.delta_ms == 70.0


class TestASingleTraceOfTheOriginal:
    def test_its_rows_have_neither_runs_nor_values(self):
        from echolot_tui.report.model import Row as ReportRow

        def side(value: float):
            return old_report(detector(BLOCK, ReportRow(location="x", total_ms=value, count=3)), runs=1)

        found = only(comparison(side(20.0), side(90.0)))
        assert (found.metric, found.delta_ms, found.ratio, found.change) == ("total_ms", 70.0, 4.5, "grew")
        assert (found.before.runs, found.before.values, found.before.count) == (None, (20.0,), 3)
        assert (found.shift, found.holds, found.verdict, found.q) == (None, None, None, None)
        assert comparison(side(20.0), old_report(detector(BLOCK), runs=1)).rows[0].change == "vanished"

    def test_self_time_of_the_newer_row_decides_what_is_compared(self):
        before = old_report(detector(BLOCK, old_row("x", [20.0] * 4)), runs=4)
        after = old_report(detector(BLOCK, old_row("x", [30.0] * 4, metric="total_ms")), runs=4)
        assert only(comparison(before, after)).metric == "total_ms"
        assert only(comparison(before, old_report(detector(BLOCK), runs=4))).metric == "self_ms"

    def test_shares_that_can_not_be_read_are_no_shares(self):
        odd = old_row("x", [20.0] * 4)
        odd = type(odd)(location="x", self_ms=20.0, runs="all", spread=odd.spread)
        found = only(
            comparison(old_report(detector(BLOCK, odd), runs=4), old_report(detector(BLOCK, odd), runs=4))
        )
        assert (found.shares, found.delta_ms, found.before.runs) == (None, 0.0, None)


class TestRunsThatWereNotMeasured:
    def test_they_are_null_and_not_zero(self):
        blind = detector(BLOCK, row("x", [20.0, None, None, 22.0, 21.0]), unseen=("2",))
        full = detector(BLOCK, row("x", [50.0] * 5))
        found = only(comparison(report(blind), report(full)))
        assert found.before.by_run == (20.0, None, 0.0, 22.0, 21.0)
        assert found.before.runs == "3/4"

    def test_absent_rows_are_null_there_too(self):
        blind = detector(BLOCK, row("y", [20.0, None, 20.0, 20.0, 20.0]), unseen=("2",))
        full = detector(BLOCK, row("x", [50.0] * 5), row("y", [20.0] * 5))
        rows = {one.location: one for one in comparison(report(blind), report(full)).rows}
        assert (rows["x"].change, rows["x"].before) == ("appeared", None)
        assert rows["x"].verdict == "new"


class TestRowsUnderTheBar:
    def sides(self, before_all, after_all):
        listed = [detector(BLOCK, *(one for one in rows if one.passed)) for rows in (before_all, after_all)]
        return [
            SideInput(
                name="",
                path=name,
                report=report(section, side=name),
                all_rows=all_rows(detector(BLOCK, *rows)),
            )
            for name, section, rows in zip("ab", listed, (before_all, after_all), strict=True)
        ]

    def test_a_row_that_crossed_the_bar_grew_with_its_real_numbers(self):
        under = row("x", [14.0, 15.0, 14.5, 15.5, 14.0], passed=False)
        over = row("x", [24.0, 25.0, 24.5, 25.5, 24.0])
        found = only(compare_reports(*self.sides([under], [over])))
        assert (found.change, found.delta_ms) == ("grew", 10.0)
        assert (found.before.passed, found.after.passed) == (False, True)
        assert found.verdict == "slower"

    def test_appeared_means_absent_from_every_run(self):
        new = row("x", [24.0, 25.0, 24.5, 25.5, 24.0])
        found = only(compare_reports(*self.sides([], [new])))
        assert (found.change, found.delta_ms, found.verdict) == ("appeared", 24.5, "new")
        assert found.before is None

    def test_rows_over_no_bar_are_not_in_the_table_and_yet_in_the_family(self):
        tiny = row("t", [6.0, 14.0, 6.0, 14.0, 6.0], passed=False)
        result = compare_reports(*self.sides([row("x", [20.0] * 5), tiny], [row("x", [40.0] * 5), tiny]))
        assert [one.location for one in result.rows] == ["x"]
        assert result.family.rows == 2

    def test_a_report_without_them_still_compares(self):
        before, after = self.sides([row("x", [14.0] * 5, passed=False)], [row("x", [24.0] * 5)])
        bare = SideInput(name="", path="a", report=before.report)
        found = only(compare_reports(bare, after))
        assert (found.change, found.delta_ms) == ("appeared", 24.0)


class TestListsThatWereCutOff:
    def twenty(self, build, factor=1.0):
        return [build(f"row{chr(97 + at)}", [factor * (100 - at)] * 5) for at in range(20)]

    def test_a_row_missing_from_a_list_of_twenty_may_only_be_further_down(self):
        old = old_report(detector(BLOCK, *self.twenty(old_row)))
        new = old_report(detector(BLOCK, *self.twenty(old_row)[:18], old_row("fresh", [300.0] * 5)))
        result = comparison(old, new)
        by_name = {one.location: one for one in result.rows}
        assert (by_name["fresh"].change, by_name["fresh"].verdict) == ("appeared", "can't tell")
        assert by_name["fresh"].q is None
        assert (by_name["rowt"].change, by_name["rowt"].verdict) == ("vanished", "gone")
        assert "cut off" in by_name["fresh"].sentence

    def test_nineteen_rows_are_a_whole_list(self):
        old = old_report(detector(BLOCK, *self.twenty(old_row)[:19]))
        new = old_report(detector(BLOCK, *self.twenty(old_row)[:19], old_row("fresh", [300.0] * 5)))
        by_name = {one.location: one for one in comparison(old, new).rows}
        assert by_name["fresh"].verdict == "new"

    def test_our_own_lists_are_whole_unless_they_say_otherwise(self):
        def section(*rows, **fields):
            return detector(BLOCK, *rows, rows_measured=40, **fields)

        new = report(section(*self.twenty(row), row("fresh", [300.0] * 5)))
        whole = comparison(report(section(*self.twenty(row))), new)
        assert {one.location: one.verdict for one in whole.rows}["fresh"] == "new"
        cut = comparison(report(section(*self.twenty(row), truncated=True)), new)
        assert {one.location: one.verdict for one in cut.rows}["fresh"] == "can't tell"


class TestSeveralOccurrencesInATrace:
    def test_a_trace_counts_once_with_its_mean(self):
        def side(scale):
            values = [scale * value for value in (10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0)]
            runs = tuple(
                type(run)(label=f"{at + 1}.{number}", trace=run.trace, trace_index=at, occurrence=number)
                for at, run in enumerate(repeats(4))
                for number in (1, 2)
            )
            return report(
                detector(BLOCK, row("x", values)),
                runs=4,
                repeats=runs,
                window=[100.0] * 8,
            )

        result = comparison(side(1.0), side(10.0))
        assert (result.before.runs, result.after.runs) == (4, 4)
        found = only(result)
        assert found.before.by_run == (15.0, 35.0, 55.0, 75.0)
        assert found.before.self_ms == 45.0
        assert found.before.runs == "4/4"
        assert result.family.relabellings == 70

    def test_an_occurrence_without_the_row_takes_no_time_in_its_trace(self):
        runs = tuple(
            type(run)(label=f"{at + 1}.{number}", trace=run.trace, trace_index=at, occurrence=number)
            for at, run in enumerate(repeats(2))
            for number in (1, 2)
        )
        old = report(detector(BLOCK, row("x", [10.0, None, 30.0, 50.0])), runs=2, repeats=runs)
        found = only(comparison(old, old))
        assert found.before.by_run == (5.0, 40.0)

    def test_a_mean_that_rounds_to_nothing_is_not_gone(self):
        runs = tuple(
            type(run)(label=f"{at + 1}.{number}", trace=run.trace, trace_index=at, occurrence=number)
            for at, run in enumerate(repeats(1))
            for number in range(1, 41)
        )
        old = report(detector(BLOCK, row("x", [2.0] * 40)), runs=1, repeats=runs)
        new = report(detector(BLOCK, row("x", [0.1, *[None] * 39])), runs=1, repeats=runs, side="b")
        found = only(comparison(old, new))
        assert (found.before.self_ms, found.after.self_ms, found.change) == (2.0, 0.0, "steady")
        found = only(comparison(new, old, floor_ms=0, floor_pct=0))
        assert found.change == "grew"


class TestFewRuns:
    @pytest.mark.parametrize(("n", "m", "tested"), [(1, 1, False), (3, 3, False), (3, 5, True), (4, 4, True)])
    def test_no_verdict_below_four_a_side_or_three_against_five(self, n, m, tested):
        found = moved([10.0 + at for at in range(n)], [100.0 + at for at in range(m)])
        assert (found.holds is None) is not tested
        assert (found.verdict is None) is not tested
        assert (found.shift is None) is not tested

    def test_the_table_says_in_words_why_nothing_can_be_found(self):
        old = report(detector(BLOCK, row("x", [10.0] * 3)), runs=3)
        family = comparison(old, old).family
        assert family.method is None
        assert "too few" in family.note


class TestHowTheTableWasTested:
    def of(self, n: int, m: int, **options):
        before = report(detector(BLOCK, row("x", [100.0 + at for at in range(n)])), runs=n)
        after = report(detector(BLOCK, row("x", [200.0 + at for at in range(m)])), runs=m, side="b")
        return comparison(before, after, **options)

    def test_all_relabellings_while_they_are_few(self):
        family = self.of(5, 5, seed=7).family
        assert (family.rows, family.method, family.relabellings, family.seed) == (1, "exact", 252, None)
        assert family.smallest_p == round(2 / 252, 6)
        assert family.note is None

    def test_draws_beyond_that_with_their_seed(self):
        result = self.of(9, 9, seed=7)
        family = result.family
        assert (family.method, family.relabellings, family.seed) == ("drawn", 1999, 7)
        assert only(result).p_family == 1 / 2000
        assert result == self.of(9, 9, seed=7)

    def test_four_a_side_rest_on_one_split_and_say_so(self):
        family = self.of(4, 4).family
        assert "only if no other split of these runs" in family.note
        assert only(self.of(4, 4)).verdict == "slower"

    def test_one_against_thirty_nine_is_the_edge(self):
        result = self.of(1, 39)
        assert only(result).holds is True
        assert only(result).p_family >= 0.025

    def test_a_hair_on_one_side_of_a_heavily_tied_row_changes_no_verdict(self):
        before, after = [10.0, 10.0, 20.0, 20.0, 10.0], [20.0, 10.0, 10.0, 20.0, 20.0]
        tied = moved(before, after, floor_ms=0, floor_pct=0)
        apart = moved(before, [1.001 * value for value in after], floor_ms=0, floor_pct=0)
        assert (tied.tied, apart.tied) == (True, False)
        assert tied.verdict == apart.verdict == "can't tell"
        assert min(tied.q, apart.q) > 0.05


def brute_force_could_clear(before, after, options) -> bool:
    """Try every split of the pool, with the rules of the table."""
    from statistics import median

    pool = [*before, *after]
    for chosen in combinations(range(len(pool)), len(before)):
        old = [pool[at] for at in chosen]
        new = [pool[at] for at in range(len(pool)) if at not in chosen]
        old_found, new_found = [v for v in old if v], [v for v in new if v]
        if not old_found or not new_found:
            found = old_found or new_found
            delta, base = (median(found), 0.0) if found else (0.0, 0.0)
        elif len(old_found) * len(new) == len(new_found) * len(old):
            delta, base = median(new_found) - median(old_found), median(old_found)
        else:
            delta, base = median(new) - median(old), median(old)
        if abs(delta) > options.floor(base):
            return True
    return False


value = st.sampled_from([0.0, 4.0, 6.0, 9.0, 11.0, 15.0, 22.0, 100.0, 104.0, 109.0, 112.0])


@given(st.lists(value, min_size=1, max_size=4), st.lists(value, min_size=1, max_size=4))
def test_no_row_that_any_order_of_its_runs_could_list_is_left_out_of_the_family(before, after):
    options = CompareOptions()
    series = Series(before=tuple(before), after=tuple(after))
    if brute_force_could_clear(before, after, options):
        assert could_clear(series, options)


@given(
    st.lists(value.filter(bool), min_size=2, max_size=4), st.lists(value.filter(bool), min_size=2, max_size=4)
)
def test_a_row_every_run_has_is_in_the_family_exactly_when_some_order_clears_the_floor(before, after):
    options = CompareOptions()
    series = Series(before=tuple(before), after=tuple(after))
    assert could_clear(series, options) == brute_force_could_clear(before, after, options)


@given(st.lists(value, min_size=4, max_size=8), st.randoms(use_true_random=False))
def test_the_family_does_not_look_at_the_labels(pool, random):
    mixed = list(pool)
    random.shuffle(mixed)
    half = len(pool) // 2
    one = Series(before=tuple(pool[:half]), after=tuple(pool[half:]))
    other = Series(before=tuple(mixed[:half]), after=tuple(mixed[half:]))
    assert could_clear(one, CompareOptions()) == could_clear(other, CompareOptions())


def test_a_window_is_compared_by_its_own_range():
    old = report(window=[1136.05, 1084.25, 1214.18, 1120.0, 1150.0])
    new = report(window=[1536.05, 1484.25, 1614.18, 1520.0, 1550.0])
    window = comparison(old, new).window
    assert (window.before_ms, window.after_ms, window.delta_ms, window.ratio) == (
        1136.05,
        1536.05,
        400.0,
        1.35,
    )
    assert (window.holds, window.verdict) == (True, "slower")
    assert window.before_values == (1136.05, 1084.25, 1214.18, 1120.0, 1150.0)


def test_a_window_of_the_original_has_medians_alone():
    old = old_report(window=WindowReport(duration_ms=1000.0, duration_ms_min=900.0, duration_ms_max=1100.0))
    new = old_report(window=WindowReport(duration_ms=1200.0, duration_ms_min=1100.0, duration_ms_max=1300.0))
    window = comparison(old, new).window
    assert (window.delta_ms, window.ratio, window.shift, window.holds, window.verdict) == (
        200.0,
        1.2,
        None,
        None,
        None,
    )
