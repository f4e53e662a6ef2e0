"""What a comparison says as a whole; ``T..`` names the public report a test is taken from."""

from __future__ import annotations

import math
import random
import subprocess
import sys
import time
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from echolot_tui.compare.codec import encode_comparison
from echolot_tui.compare.compare import IncomparableError, compare_reports, compare_sides
from echolot_tui.compare.inputs import CompareOptions, SideInput
from echolot_tui.compare.model import Comparison, Row
from reports_by_hand import detector, old_report, report, row, sides

BLOCK = "main_thread_block"
QUIET = [100.0, 101.0, 102.0, 103.0, 104.0]
SLOW = [200.0, 201.0, 202.0, 203.0, 204.0]


def table(before: dict[str, Any], after: dict[str, Any], *, window: Any = None, **options: Any) -> Comparison:
    def side(rows: dict[str, Any], letter: str, lengths: Any) -> Any:
        runs = len(next(iter(rows.values()))) if rows else 5
        section = detector(BLOCK, *(row(name, values) for name, values in rows.items()))
        return report(section, runs=runs, side=letter, window=lengths)

    old, new = window or (None, None)
    return compare_reports(*sides(side(before, "a", old), side(after, "b", new)), CompareOptions(**options))


def named(result: Comparison) -> dict[str, Row]:
    return {one.location: one for one in result.rows}


def noisy(base: float, spread: float, seed: int, runs: int = 5) -> list[float]:
    chance = random.Random(seed)
    return [round(base * math.exp(chance.gauss(0, spread)), 2) for _ in range(runs)]


def test_t01_a_side_without_spread_has_the_exact_shift_as_its_range():
    found = named(table({"x": [80.0] * 5}, {"x": [60.0] * 5}))["x"]
    assert (found.shift.ms, found.shift.low_ms, found.shift.high_ms) == (-20.0, -20.0, -20.0)
    assert (found.holds, found.verdict) == (True, "faster")
    assert (found.shift.runs_needed, found.runs_needed) == (None, None)
    assert found.p_family == pytest.approx(2 / 252, abs=1e-6)


def test_t01_one_quiet_side_is_enough():
    found = named(table({"x": QUIET}, {"x": [60.0] * 5}))["x"]
    assert (found.holds, found.verdict) == (True, "faster")


def test_t02_one_sided_rows_change_no_figure_of_the_others():
    alone = table({"x": QUIET}, {"x": SLOW}, window=([1000.0] * 5, [1100.0] * 5))
    crowded = table({"x": QUIET, "old": [900.0] * 5}, {"x": SLOW}, window=([1000.0] * 5, [1100.0] * 5))
    for field in ("delta_ms", "ratio", "shift", "holds", "impact", "share"):
        assert getattr(named(alone)["x"], field) == getattr(named(crowded)["x"], field)
    assert (crowded.summary.moved, crowded.summary.vanished) == (1, 1)


def test_t03_a_fall_to_zero_is_gone_and_a_rise_from_it_is_new():
    result = table({"falls": QUIET, "rises": [0.0] * 5}, {"falls": [0.0] * 5, "rises": SLOW})
    falls, rises = named(result)["falls"], named(result)["rises"]
    assert (falls.change, falls.delta_ms, falls.verdict, falls.ratio) == ("vanished", -102.0, "gone", 0.0)
    assert "falls took 102.00 ms in before and takes no time in after (−100 %)." in falls.sentence
    assert "(95 % range −104.00 … −100.00 ms)" in falls.sentence
    assert "rises takes 202.00 ms in after and took no time in before." in rises.sentence
    assert (rises.change, rises.delta_ms, rises.verdict, rises.ratio) == ("appeared", 202.0, "new", None)


def test_t03_however_small():
    result = table({"x": [3.0] * 5}, {"x": [0.0] * 5})
    assert named(result)["x"].change == "vanished"


def test_t06_a_source_that_is_missing_never_reads_as_gone():
    before = report(detector("frame_jank", row("x", QUIET, metric="total_ms")))
    after = report(detector("frame_jank", state="no data", no_data="no frame timeline"), side="b")
    result = compare_reports(*sides(before, after))
    assert result.rows == ()
    assert [one.id for one in result.warnings] == ["no-data"]


def test_a_detector_that_ran_on_one_side_only_decides_nothing():
    before = report(detector(BLOCK, row("x", QUIET)))
    after = report(detector(BLOCK, row("x", QUIET)), detector("gc", row("y", SLOW)), side="b")
    result = compare_reports(*sides(before, after))
    found = named(result)["y"]
    assert (found.change, found.verdict, found.q) == ("appeared", "can't tell", None)
    assert "gc did not run in before" in found.sentence


def test_t10_changed_new_and_gone_are_counted_apart():
    result = table(
        {"grows": QUIET, "gone": QUIET, "same": QUIET}, {"grows": SLOW, "new": SLOW, "same": QUIET}
    )
    summary = result.summary
    assert (summary.moved, summary.appeared, summary.vanished, summary.steady) == (1, 1, 1, 1)
    assert [one.location for one in result.rows] == ["new", "gone", "grows", "same"]
    assert summary.verdicts == {"slower": 1, "new": 1, "gone": 1, "no change": 1}


def test_t12_a_row_with_two_humps_on_both_sides_does_not_hold():
    low_high = [50.0, 150.0] * 4
    mostly_high = [50.0, 150.0, 150.0, 50.0, 150.0, 150.0, 50.0, 150.0]
    found = named(table({"x": low_high}, {"x": mostly_high}))["x"]
    assert found.holds is False
    assert found.verdict == "can't tell"


@pytest.mark.parametrize("lowest", [130.0, 130.004, 129.996])
def test_t16_a_range_that_touches_zero_holds_at_no_rounding(lowest):
    """What reads 0.00 is no value to report: the text says that no move is shown."""
    before = [100.0, 110.0, 120.0, 130.0]
    found = named(table({"x": before}, {"x": [lowest, 140.0, 150.0, 160.0]}))["x"]
    assert found.shift.low_ms == 0.0
    assert found.holds is False
    assert found.verdict == "can't tell"
    assert "No move shown (95 % range +0.00 … +60.00 ms)" in found.sentence


def test_rows_that_can_not_be_told_say_so_in_words():
    found = named(table({"x": [50.0, 90.0, 60.0, 110.0, 70.0]}, {"x": [70.0, 120.0, 65.0, 95.0, 110.0]}))["x"]
    assert found.verdict == "can't tell"
    assert found.sentence.startswith("x takes 25.00 ms longer in after than in before (×1.36). No move shown")


def test_a_row_whose_own_range_holds_is_not_said_to_show_no_move():
    """Two ways to split eight runs part some row without spread, so one of 35 is not enough."""
    tidy = [30.0, 12.0, 30.0, 12.0]
    before, after = [27.46, 36.9, 35.72, 29.48], [77.2, 84.68, 70.47, 55.27]
    found = named(table({"x": before, "y": tidy}, {"x": after, "y": tidy}))["x"]
    assert (found.holds, found.verdict, found.p_family) == (True, "can't tell", round(4 / 70, 6))
    assert (
        "Its own runs lie apart, against the whole table that is not enough (95 % range +18" in found.sentence
    )
    assert "about 5 runs a side would" in found.sentence
    assert found.runs_needed == 5


def test_the_slower_side_catches_up_in_its_own_window():
    result = table({"x": QUIET}, {"x": SLOW}, window=([1000.0] * 5, [1250.0] * 5))
    assert "If after were as fast as before here, it would spend 100.00 ms less, 8.0 % of its window." in (
        named(result)["x"].sentence
    )
    back = table({"x": SLOW}, {"x": QUIET}, window=([1250.0] * 5, [1000.0] * 5))
    assert "If before were as fast as after here, it would spend 100.00 ms less, 8.0 % of its window." in (
        named(back)["x"].sentence
    )


def test_a_saving_too_small_to_print_is_not_said_to_be_none():
    long = ([100_000.0] * 5, [250_000.0] * 5)
    assert "it would spend 100.00 ms less, under 0.1 % of its window." in (
        named(table({"x": QUIET}, {"x": SLOW}, window=long))["x"].sentence
    )


def test_impact_and_share():
    found = named(table({"x": QUIET}, {"x": SLOW}, window=([1000.0] * 5, [1250.0] * 5)))["x"]
    assert found.impact == 0.1
    assert (found.share.before_pct, found.share.after_pct, found.share.delta_pct) == (10.2, 16.16, 5.96)
    assert (found.share.low_pct, found.share.high_pct) == (5.7, 6.22)
    bare = named(table({"x": QUIET}, {"x": SLOW}))["x"]
    assert (bare.impact, bare.share) == (None, None)


class TestPins:
    def test_a_pinned_row_keeps_its_own_range_and_changes_no_other_figure(self):
        before = {f"row{at}": noisy(100.0, 0.2, at) for at in range(30)} | {
            "x": [100.0, 104.0, 108.0, 112.0, 116.0]
        }
        after = {f"row{at}": noisy(100.0, 0.2, 100 + at) for at in range(30)} | {
            "x": [117.0, 121.0, 125.0, 113.0, 129.0]
        }
        free, pinned = table(before, after), table(before, after, pinned=("x",))
        assert named(free)["x"].holds is True
        assert named(free)["x"].verdict == "can't tell"
        assert (named(pinned)["x"].verdict, named(pinned)["x"].pinned) == ("slower", True)
        assert named(pinned)["x"].resolves_ms == named(pinned)["x"].shift.resolves_ms
        for name in before:
            assert named(free)[name].p_family == named(pinned)[name].p_family

    def test_a_pinned_row_on_one_side_is_judged_against_runs_without_it(self):
        result = table({"y": QUIET}, {"y": QUIET, "x": SLOW}, pinned=("x",))
        assert (named(result)["x"].verdict, named(result)["x"].shift) == ("new", None)


class TestSides:
    def test_scenarios_that_differ_are_refused(self):
        before, after = report(scenario="cold_start"), report(scenario="feed_scroll")
        with pytest.raises(IncomparableError, match="before measured the scenario cold_start"):
            compare_reports(*sides(before, after))

    @pytest.mark.parametrize("other", [None, "cold_start"])
    def test_one_without_a_name_is_accepted(self, other):
        result = compare_reports(*sides(report(scenario="cold_start"), report(scenario=other)))
        assert result.before.scenario == "cold_start"

    def test_one_side_is_no_comparison(self):
        with pytest.raises(IncomparableError, match="two sides"):
            compare_sides(sides(report(), report())[:1])

    def test_names_are_given_defaulted_and_told_apart(self):
        def named_sides(*names: str) -> list[SideInput]:
            return [SideInput(name=name, path="", report=report()) for name in names]

        def after(result: Comparison) -> list[str]:
            return [result.before.name, result.after.name, *(one.after.name for one in result.others)]

        assert after(compare_sides(named_sides("", " ", ""))) == ["before", "after", "side 3"]
        assert after(compare_sides(named_sides("a", "a", "a"))) == ["a", "a (2)", "a (3)"]
        options = CompareOptions(names=("main", " "))
        assert after(compare_sides(named_sides("x", "y"), options)) == ["main", "y"]

    def test_more_sides_are_each_compared_with_the_first(self):
        inputs = [
            SideInput(name="", path=letter, report=report(detector(BLOCK, row("x", values)), side=letter))
            for letter, values in (("a", QUIET), ("b", SLOW), ("c", [300.0 + at for at in range(5)]))
        ]
        result = compare_sides(inputs)
        assert [one.delta_ms for one in result.rows] == [100.0]
        assert [one.rows[0].delta_ms for one in result.others] == [200.0]
        assert result == replace(compare_reports(*inputs[:2]), others=result.others)


class TestEmpty:
    def test_reports_without_rows(self):
        result = compare_reports(*sides(report(detector(BLOCK)), report(detector(BLOCK))))
        assert result.rows == ()
        assert result.summary.silent_both == (BLOCK,)
        assert result.family.rows == 0

    def test_reports_without_anything(self):
        result = compare_reports(*sides(old_report(runs=1), old_report(runs=1)))
        assert (result.rows, result.window.before_ms, result.window.verdict) == ((), None, None)
        assert json_is_sound(result)

    def test_no_floors(self):
        result = table(
            {"x": QUIET, "zero": [0.0] * 5}, {"x": SLOW, "zero": [0.0] * 5}, floor_ms=0, floor_pct=0
        )
        assert named(result)["x"].verdict == "slower"
        assert named(result)["zero"].change == "steady"
        assert json_is_sound(result)


def json_is_sound(result: Comparison) -> bool:
    """No NaN, Infinity or -0.0 anywhere, and the same bytes twice."""
    raw = encode_comparison(result)

    def numbers(value: Any) -> list[float]:
        if isinstance(value, dict):
            return [n for one in value.values() for n in numbers(one)]
        if isinstance(value, list | tuple):
            return [n for one in value for n in numbers(one)]
        return [value] if isinstance(value, float) else []

    values = numbers(msgspec.to_builtins(result))
    assert all(math.isfinite(one) and not (one == 0 and math.copysign(1, one) < 0) for one in values)
    return raw == encode_comparison(result)


class TestWholeRun:
    def rows(self, factor: float = 1.0, seed: int = 1, places: int = 12) -> dict[str, list[float]]:
        return {
            f"place {chr(97 + at)}": [
                round(factor * value, 2) for value in noisy(30.0 + 15 * at, 0.02, seed + at)
            ]
            for at in range(places)
        }

    def window(self, factor: float = 1.0, seed: int = 90) -> list[float]:
        return [round(factor * value, 2) for value in noisy(2000.0, 0.01, seed)]

    def test_t11_everything_moved_alike(self):
        result = table(self.rows(), self.rows(1.3, 500), window=(self.window(), self.window(1.3, 91)))
        assert result.whole_run is not None
        assert "The whole run is slower in after: 12 of 12 places" in result.whole_run
        assert {one.follows for one in result.rows} == {"window"}
        assert "it only follows the whole run" in result.rows[0].sentence

    def test_a_row_that_moved_further_is_not_hidden_among_them(self):
        after = self.rows(1.3, 500) | {"culprit": noisy(400.0, 0.02, 9)}
        before = self.rows() | {"culprit": noisy(100.0, 0.02, 8)}
        result = table(before, after, window=(self.window(), self.window(1.3, 91)))
        assert result.whole_run is not None
        assert result.rows[0].location == "culprit"
        assert result.rows[0].follows is None
        assert {one.follows for one in result.rows[1:]} == {"window"}

    def test_a_small_row_that_doubled_is_not_hidden_by_the_floor(self):
        tiny = [10.0, 10.05, 10.1, 10.02, 10.08]
        before, after = (
            self.rows() | {"tiny": tiny},
            self.rows(1.3, 500) | {"tiny": [1.6 * one for one in tiny]},
        )
        result = table(before, after, window=([2000.0] * 5, [2600.0] * 5))
        assert result.whole_run is not None
        assert named(result)["tiny"].follows is None

    def test_one_row_that_carries_the_window_is_no_whole_run(self):
        before, after = self.rows(), self.rows(1.0, 500)
        window = self.window(), [value + 800 for value in self.window(1.0, 91)]
        result = table(
            before | {"big": noisy(1000.0, 0.01, 3)}, after | {"big": noisy(1800.0, 0.01, 4)}, window=window
        )
        assert result.whole_run is None
        assert {one.follows for one in result.rows} == {None}

    def test_nor_is_one_that_several_detectors_list(self):
        def side(base: float, letter: str) -> Any:
            values = noisy(base, 0.01, 3)
            sections = [detector(name, row("lock", values)) for name in ("a", "b", "c", "d")]
            return report(*sections, side=letter, window=[value + 100 for value in values])

        result = compare_reports(*sides(side(900.0, "a"), side(1500.0, "b")))
        assert result.window.verdict == "slower"
        assert result.whole_run is None

    def test_nor_are_three_views_of_one_stretch_that_fills_the_window(self):
        names = ("Activity.onCreate", "lock contention", "inflate")

        def side(base: float, letter: str) -> Any:
            values = noisy(base, 0.01, 3)
            section = detector(BLOCK, *(row(name, values) for name in names))
            return report(section, side=letter, window=[value + 100 for value in values])

        result = compare_reports(*sides(side(900.0, "a"), side(1500.0, "b")))
        assert result.whole_run is None

    def test_a_window_of_fixed_length(self):
        result = table(self.rows(), self.rows(1.3, 500), window=([10_000.0] * 5, [10_000.0] * 5))
        assert "though the window kept its length" in result.whole_run
        assert {one.follows for one in result.rows} == {"window"}
        assert table(self.rows(1, 1, 6), self.rows(1.3, 500, 6)).whole_run is None

    def test_nothing_moved(self):
        result = table(self.rows(), self.rows(1.0, 500), window=(self.window(), self.window(1.0, 91)))
        assert (result.whole_run, result.summary.moved) == (None, 0)

    def test_faster(self):
        result = table(self.rows(1.3, 500), self.rows(), window=(self.window(1.3, 91), self.window()))
        assert "The whole run is faster in after" in result.whole_run


class TestSuspects:
    def test_a_row_under_a_new_name(self):
        result = table(
            {"parseQuadratic": QUIET, "x": SLOW}, {"parseLinear": [98.0 + at for at in range(5)], "x": SLOW}
        )
        assert [(one.gone, one.new, one.gone_ms, one.new_ms) for one in result.suspects] == [
            ("parseQuadratic", "parseLinear", 102.0, 100.0)
        ]
        assert {one.change for one in result.rows} == {"appeared", "vanished", "steady"}

    def test_other_sizes_counts_or_surroundings_are_none(self):
        assert table({"a": QUIET}, {"b": SLOW}).suspects == ()

        def side(name: str, letter: str, **fields: Any) -> Any:
            section = detector(BLOCK, row(name, QUIET, **fields), identity=("location", "detail"))
            return report(section, side=letter)

        same = compare_reports(
            *sides(side("a", "a", count=3, detail="m"), side("b", "b", count=3, detail="m"))
        )
        assert len(same.suspects) == 1
        assert compare_reports(*sides(side("a", "a", count=3), side("b", "b", count=9))).suspects == ()
        assert compare_reports(*sides(side("a", "a", detail="m"), side("b", "b", detail="w"))).suspects == ()

    def test_rows_that_fit_several_others_are_left_apart(self):
        assert table({"a": QUIET, "b": QUIET}, {"c": QUIET}).suspects == ()
        assert table({"a": QUIET}, {"c": QUIET, "d": QUIET}).suspects == ()
        assert len(table({"a": QUIET, "b": SLOW}, {"c": QUIET, "d": SLOW}).suspects) == 2

    def test_work_that_moved_to_another_thread(self):
        before = report(
            detector(BLOCK, row("ImageLoader.init", [1200.59])), detector("background_work"), runs=1
        )
        after = report(
            detector(BLOCK), detector("background_work", row("ImageLoader.init", [1200.48])), runs=1, side="b"
        )
        twice = detector("app_init", row("ImageLoader.init", [1200.5]))
        seen_twice = replace(before, detectors=(*before.detectors, twice))
        also_there = replace(after, detectors=(*after.detectors, detector("app_init")))
        assert len(compare_reports(*sides(seen_twice, also_there)).suspects) == 1
        suspect = compare_reports(*sides(before, after)).suspects[0]
        assert (suspect.gone, suspect.new, suspect.new_detector) == ("ImageLoader.init",) * 2 + (
            "background_work",
        )
        assert "probably moved to another thread" in suspect.reason


values_of_a_row = st.lists(st.integers(0, 400).map(lambda tenths: tenths / 2), min_size=4, max_size=4)
tables = st.lists(st.tuples(values_of_a_row, values_of_a_row), min_size=1, max_size=5)


def build(rows: Any, side: int) -> dict[str, list[float]]:
    return {f"row {chr(97 + at)}": both[side] for at, both in enumerate(rows)}


@given(tables)
def test_swapping_the_sides_turns_every_move_around(rows):
    there = named(table(build(rows, 0), build(rows, 1), floor_pct=0))
    back = named(table(build(rows, 1), build(rows, 0), floor_pct=0))
    opposite = {"slower": "faster", "faster": "slower", "new": "gone", "gone": "new"}
    other_change = {"grew": "shrank", "shrank": "grew", "appeared": "vanished", "vanished": "appeared"}
    for name, one in there.items():
        other = back[name]
        assert one.delta_ms == -other.delta_ms
        assert other.change == other_change.get(one.change, one.change)
        assert (one.shift.ms, one.shift.low_ms) == (-other.shift.ms, -other.shift.high_ms)
        assert one.holds == other.holds
        if one.verdict in opposite:
            assert other.verdict in {opposite[one.verdict], "can't tell", "no change"}


@given(tables, st.sampled_from([2, 4, 0.5]))
def test_another_unit_changes_no_verdict(rows, factor):
    scaled = [([factor * v for v in old], [factor * v for v in new]) for old, new in rows]
    one = named(table(build(rows, 0), build(rows, 1)))
    other = named(table(build(scaled, 0), build(scaled, 1), floor_ms=5 * factor))
    for name, found in one.items():
        assert (found.verdict, found.p_family, found.change) == (
            other[name].verdict,
            other[name].p_family,
            other[name].change,
        )


@given(tables)
def test_names_of_the_sides_change_words_only(rows):
    plain = table(build(rows, 0), build(rows, 1))
    other = table(build(rows, 0), build(rows, 1), names=("main", "tabs"))
    strip = [[replace(one, sentence=None) for one in result.rows] for result in (plain, other)]
    assert strip[0] == strip[1]
    assert all("before" not in one.sentence for one in other.rows)


@given(tables)
def test_every_table_is_sound_json(rows):
    assert json_is_sound(table(build(rows, 0), build(rows, 1)))


def test_an_unchanged_build_rarely_shows_a_finding():
    findings = 0
    for trial in range(100):
        before = {f"r{at}": noisy(40.0 + at, 0.15, 1000 * trial + at) for at in range(20)}
        after = {f"r{at}": noisy(40.0 + at, 0.15, 1000 * trial + 500 + at) for at in range(20)}
        findings += any(one.verdict in {"slower", "faster"} for one in table(before, after).rows)
    assert findings <= 12


def test_a_real_move_among_unchanged_rows_is_found_and_no_other():
    before = {f"r{at}": noisy(40.0 + at, 0.05, at) for at in range(30)}
    after = {f"r{at}": noisy(40.0 + at, 0.05, 500 + at) for at in range(30)} | {"r7": noisy(100.0, 0.05, 3)}
    found = [one.location for one in table(before, after).rows if one.verdict == "slower"]
    assert found == ["r7"]


def test_sixty_rows_take_little_time():
    before = {f"r{at}": noisy(40.0 + at, 0.15, at) for at in range(60)}
    after = {f"r{at}": noisy(40.0 + at, 0.15, 500 + at) for at in range(60)}
    table(before, after)
    start = time.process_time()
    table(before, after)
    assert time.process_time() - start < 0.2


def test_the_engine_the_screens_and_scipy_stay_unloaded():
    code = (
        "import sys, echolot_tui.compare.compare, echolot_tui.compare.codec\n"
        "import echolot_tui.present.comparison_markdown, echolot_tui.present.comparison_text\n"
        "heavy = {'scipy', 'wasmtime', 'perfetto', 'textual', 'rich', 'viztracer', 'yaml', 'google'}\n"
        "print(sorted(heavy & {name.split('.')[0] for name in sys.modules}))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_numbers_too_large_to_compare_are_refused_in_a_sentence() -> None:
    huge = 1e308
    before = report(detector("d", row("a", [-huge] * 5), row("b", [10.0, 11.0, 12.0, 13.0, 14.0])))
    after = report(detector("d", row("a", [huge] * 5), row("b", [10.0, 11.0, 12.0, 13.0, 15.0])), side="b")
    with pytest.raises(IncomparableError, match=r"a/report\.json or b/report\.json is too large to compare"):
        compare_reports(*sides(before, after))


def test_a_row_points_into_the_code_of_the_after_side_and_where_it_is_gone_of_before():
    before = [row("x", QUIET, code="old X.kt:1"), row("gone", QUIET, code="Gone.kt:7"), row("y", QUIET)]
    after = [row("x", SLOW, code="X.kt:2"), row("y", QUIET)]
    given = sides(report(detector(BLOCK, *before)), report(detector(BLOCK, *after), side="b"))
    found = named(compare_reports(*given, CompareOptions()))
    assert {name: one.code for name, one in found.items()} == {"x": "X.kt:2", "gone": "Gone.kt:7", "y": None}
