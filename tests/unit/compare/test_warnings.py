from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from echolot_tui.compare import warnings
from echolot_tui.compare.compare import compare_reports, compare_sides
from echolot_tui.compare.inputs import CompareOptions
from echolot_tui.compare.model import CompareWarning
from echolot_tui.measure.model import DeviceFacts, Health, HealthIssue, Unreadable
from echolot_tui.present.comparison_markdown import comparison_markdown
from echolot_tui.report.model import (
    AnchorReport,
    ComposeNamesReport,
    ConfigRef,
    CpuReport,
    EnvironmentReport,
    Report,
    SamplingReport,
    ThermalReport,
    Toolchain,
    WindowReport,
)
from reports_by_hand import detector, old_report, old_row, repeats, report, row, sides

BLOCK = "main_thread_block"


def side(letter: str = "a", *, runs: int = 5, **fields: Any) -> Report:
    """A side about which nothing is to be said."""
    fields = {"detectors": (detector(BLOCK, row("x", [50.0 + at for at in range(runs)])),)} | fields
    return report(*fields.pop("detectors"), runs=runs, side=letter, **fields)


def warned(before: Report, after: Report, **options: Any) -> dict[str, list[CompareWarning]]:
    found: dict[str, list[CompareWarning]] = {}
    for one in compare_reports(*sides(before, after), CompareOptions(**options)).warnings:
        found.setdefault(one.id, []).append(one)
    return found


def text(before: Report, after: Report, identifier: str, **options: Any) -> str:
    found = warned(before, after, **options)
    assert list(found) == [identifier], found
    assert len(found[identifier]) == 1
    return found[identifier][0].text


def window(**fields: Any) -> WindowReport:
    return WindowReport(process="com.example.app", **fields)


def environment(mhz: float | None = None, *, runs: str = "5/5", **fields: Any) -> EnvironmentReport:
    cpu = None if mhz is None else CpuReport(mean_mhz=mhz, runs=runs)
    return EnvironmentReport(cpu=cpu, **fields)


def test_two_sides_alike_are_not_warned_about():
    assert warned(side("a"), side("b")) == {}


def test_process():
    before, after = side("a"), side("b", window=None)
    after = replace(after, window=WindowReport(process="com.other.app"))
    said = text(before, after, "process")
    assert "com.example.app" in said
    assert "com.other.app" in said
    assert compare_reports(*sides(before, after)).comparable is False


@pytest.mark.parametrize("other", [None, "com.example.app"])
def test_process_not_known_or_equal(other):
    after = replace(side("b"), window=WindowReport(process=other))
    result = compare_reports(*sides(side("a"), after))
    assert result.comparable is True
    assert result.warnings == ()


def test_unnamed_processes_differ_in_number_only():
    before, after = (
        replace(side(a), window=WindowReport(process=f"pid {n}")) for a, n in (("a", 9), ("b", 11))
    )
    assert warned(before, after) == {}


@pytest.mark.parametrize(("which", "at"), [("anchor-before", 0), ("anchor-after", 1)])
@pytest.mark.parametrize("end", ["start", "end"])
def test_anchor(which, at, end):
    lost = window(**{end: AnchorReport(glob="Choreographer#doFrame*", matches=0, missed="1/5")})
    pair = [side("a"), side("b")]
    pair[at] = replace(pair[at], window=lost)
    said = text(*pair, which)
    assert f"its {end} anchor Choreographer#doFrame* (in 1/5 runs)" in said


@pytest.mark.parametrize(("which", "at"), [("anchor-before", 0), ("anchor-after", 1)])
def test_window_without_length(which, at):
    pair = [side("a"), side("b")]
    pair[at] = replace(pair[at], window=window(empty="2/5"))
    assert f"the window of {('before', 'after')[at]} ends at the moment it starts in 2/5 runs" in text(
        *pair, which
    )


def test_anchor_seen():
    seen = window(start=AnchorReport(glob="a", matches=1), end=AnchorReport(glob="b", matches=3))
    assert warned(replace(side("a"), window=seen), side("b")) == {}


def test_config():
    before = side("a", config=ConfigRef(sha="aaa111aaa111"))
    after = side("b", config=ConfigRef(sha="bbb222bbb222"))
    said = text(before, after, "config")
    assert "aaa111aaa111 → bbb222bbb222" in said
    assert warned(before, side("b", config=ConfigRef(sha="aaa111aaa111"))) == {}
    assert warned(before, side("b")) == {}


def test_defaults():
    plain, tuned = side("a", config=ConfigRef(defaults=True)), side("b")
    assert "before ran with --defaults and after did not" in text(plain, tuned, "defaults")
    assert "after ran with --defaults and before did not" in text(
        side("a"), replace(plain, repeats=repeats(5, "b")), "defaults"
    )
    assert warned(plain, side("b", config=ConfigRef(defaults=True))) == {}


def thresholds(value: float, **fields: Any) -> tuple[Any, ...]:
    return (detector(BLOCK, row("x", [50.0] * 5), params={"min_slice_ms": value, "name": "x*"}, **fields),)


def test_thresholds():
    said = text(side("a", detectors=thresholds(16)), side("b", detectors=thresholds(24)), "thresholds")
    assert "main_thread_block.min_slice_ms 16 → 24" in said
    assert "--defaults" in said
    assert warned(side("a", detectors=thresholds(16)), side("b", detectors=thresholds(16.0))) == {}


def test_a_parameter_one_side_does_not_know_is_told_only_where_the_other_tunes_it():
    older = side("a", detectors=(detector("d", params={"min_ms": 16}),))
    newer = detector("d", params={"min_ms": 16, "skip_glob": ""})
    assert warned(older, side("b", detectors=(newer,))) == {}
    tuned = replace(newer, params={"min_ms": 16, "skip_glob": "x*"}, defaults={"skip_glob": ""})
    for pair in ((older, side("b", detectors=(tuned,))), (side("b", detectors=(tuned,)), older)):
        assert "d.skip_glob" in text(*pair, "thresholds")


def test_thresholds_of_a_detector_that_failed_are_not_told():
    failed = (detector(BLOCK, params={"min_slice_ms": 24}, error="no such column"),)
    assert list(warned(side("a", detectors=thresholds(16)), side("b", detectors=failed))) == [
        "detector-failed"
    ]


class TestEnvironment:
    def test_a_clock_that_differs_by_the_floor_explains_every_row(self):
        said = text(
            side("a", environment=environment(2200.0)),
            side("b", environment=environment(2000.0)),
            "environment",
        )
        assert "after ran on a slower clock (2200 → 2000 MHz, 10 %)" in said
        assert "before ran on a slower clock" in text(
            side("a", environment=environment(2000.0)),
            side("b", environment=environment(2200.0)),
            "environment",
        )

    def test_a_clock_that_differs_by_less_does_not(self):
        before, after = side("a", environment=environment(2220.0)), side("b", environment=environment(2209.0))
        assert warned(before, after) == {}
        assert list(warned(before, after, floor_pct=0.4)) == ["environment"]

    def test_two_readings_of_one_clock_are_no_difference_under_any_floor(self):
        before, after = side("a", environment=environment(1668.4)), side("b", environment=environment(1668.8))
        assert warned(before, after, floor_ms=0, floor_pct=0) == {}

    def test_a_clock_missing_on_one_side_cannot_be_checked(self):
        said = text(side("a", environment=environment(2200.0)), side("b"), "environment")
        assert "the clock of after was not recorded" in said

    def test_two_sides_without_any_say_nothing(self):
        assert warned(side("a"), side("b")) == {}

    def test_a_clock_of_some_runs_stands_for_those(self):
        said = text(
            side("a", environment=environment(2000.0, runs="3/5")),
            side("b", environment=environment(2000.0)),
            "environment",
        )
        assert "before knows the clock of 3/5 runs only" in said

    def test_throttling_on_one_side(self):
        hot = environment(2000.0, thermal=ThermalReport(throttled=True, throttled_runs="2/5", runs="5/5"))
        cool = environment(2000.0, thermal=ThermalReport(throttled=False, runs="5/5"))
        said = text(side("a", environment=cool), side("b", environment=hot), "environment-thermal")
        assert "only after was throttled in 2/5 runs" in said
        assert warned(side("a", environment=hot), side("b", environment=hot)) == {}

    def test_temperature_alone_is_no_reason(self):
        one = environment(2000.0, thermal=ThermalReport(max_celsius=76.0, throttled=False, runs="5/5"))
        other = environment(2000.0, thermal=ThermalReport(max_celsius=55.0, throttled=False, runs="5/5"))
        assert warned(side("a", environment=one), side("b", environment=other)) == {}

    def test_throttling_not_known_on_a_side(self):
        hot = environment(2000.0, thermal=ThermalReport(throttled=True, runs="5/5"))
        unknown = environment(2000.0, thermal=ThermalReport(max_celsius=40.0, runs="5/5"))
        assert warned(side("a", environment=hot), side("b", environment=unknown)) == {}


class TestSampling:
    ON = EnvironmentReport(sampling=SamplingReport(hz=100.0, started=True, runs="5/5"))

    def test_on_one_side(self):
        off = EnvironmentReport(sampling=None)
        said = text(side("a", environment=off), side("b", environment=self.ON), "sampling")
        assert "off in before and on at 100 Hz in after" in said

    def test_in_some_runs(self):
        some = EnvironmentReport(sampling=SamplingReport(hz=100.0, started=True, runs="2/5"))
        assert "on in 2/5 runs" in text(
            side("a", environment=self.ON), side("b", environment=some), "sampling"
        )

    def test_another_rate(self):
        fast = EnvironmentReport(sampling=SamplingReport(hz=1000.0, started=True, runs="5/5"))
        assert "1000 Hz" in text(side("a", environment=self.ON), side("b", environment=fast), "sampling")

    def test_asked_for_and_never_started_is_off(self):
        asked = EnvironmentReport(sampling=SamplingReport(hz=100.0, asked=True, started=False))
        assert (
            warned(side("a", environment=EnvironmentReport(sampling=None)), side("b", environment=asked))
            == {}
        )

    def test_a_report_from_before_the_key_says_nothing(self):
        assert warned(side("a"), side("b", environment=self.ON)) == {}


def test_compose_names():
    off = EnvironmentReport(compose_names=None)
    on = EnvironmentReport(compose_names=ComposeNamesReport(asked=True, calls=120, runs="5/5"))
    some = EnvironmentReport(compose_names=ComposeNamesReport(asked=True, calls=120, runs="1/5"))
    assert "off in before and on in after" in text(
        side("a", environment=off), side("b", environment=on), "compose_names"
    )
    assert "on in 1/5 runs" in text(side("a", environment=on), side("b", environment=some), "compose_names")
    assert warned(side("a", environment=on), side("b", environment=on)) == {}
    assert warned(side("a"), side("b", environment=on)) == {}


def test_runs():
    said = text(side("a", runs=5), side("b", runs=7), "runs")
    assert "before has 5 runs, after 7" in said


@pytest.mark.parametrize(
    ("n", "m", "identifiers"),
    [
        (1, 1, ["single"]),
        (1, 5, ["runs", "single"]),
        (1, 39, ["runs", "single"]),
        (3, 3, ["few"]),
        (3, 4, ["runs", "few"]),
        (3, 5, ["runs"]),
        (4, 4, []),
    ],
)
def test_single_and_few(n, m, identifiers):
    assert list(warned(side("a", runs=n), side("b", runs=m))) == identifiers


def test_detectors():
    more = (detector(BLOCK, row("x", [50.0] * 5)), detector("gc_pressure"))
    said = text(side("a", detectors=more), side("b"), "detectors")
    assert "gc_pressure (only in before)" in said


def test_detector_failed_leaves_its_rows_out():
    failed = (detector(BLOCK, error="no such column: utid"),)
    assert "no such column: utid" in text(side("a"), side("b", detectors=failed), "detector-failed")
    result = compare_reports(*sides(side("a"), side("b", detectors=failed)))
    assert result.rows == ()
    assert [(one.id, one.before, one.after) for one in result.summary.state_changed] == [
        (BLOCK, "1 row(s)", "failed")
    ]


def test_a_detector_that_failed_in_some_runs_still_counts():
    some = (detector(BLOCK, row("x", [50.0] * 5), error="timeout", failed_runs="1/5"),)
    assert warned(side("a"), side("b", detectors=some)) == {}


def test_no_data_is_neither_gone_nor_silent():
    blind = (detector(BLOCK, state="no data", no_data="no sched events"),)
    assert "no sched events" in text(side("a"), side("b", detectors=blind), "no-data")
    result = compare_reports(*sides(side("a"), side("b", detectors=blind)))
    assert result.rows == ()
    assert result.summary.state_changed[0].after == "no data"
    assert result.summary.silent_both == ()


def test_no_data_on_both_sides_is_named_and_no_warning():
    blind = (detector(BLOCK, state="no data", no_data="no sched events"),)
    both = side("a", detectors=blind), side("b", detectors=blind)
    assert "no-data" not in warned(*both)
    result = compare_reports(*sides(*both))
    assert result.summary.no_data_both == (BLOCK,)
    assert "No data in both" in comparison_markdown(result)


def test_cut_off_lists_are_named():
    rows = [old_row(f"r{at}", [100.0 - at] * 5) for at in range(20)]
    before = old_report(detector(BLOCK, *rows))
    after = old_report(detector(BLOCK, *rows[:19]))
    assert "main_thread_block in before" in text(before, after, "cut-off")
    fewer = (old_report(detector(BLOCK, *rows[at:])) for at in (1, 2))
    assert warned(*fewer) == {}


def test_instrumentation():
    planted = (detector(BLOCK, row("x", [50.0] * 5), *(row(f"AGENTTMP_{c}", [30.0] * 5) for c in "abcdefg")),)
    said = text(side("a"), side("b", detectors=planted), "instrumentation")
    assert "AGENTTMP_a, AGENTTMP_b, AGENTTMP_c, AGENTTMP_d, AGENTTMP_e and 2 more" in said
    assert warned(side("a", detectors=planted), side("b", detectors=planted)) == {}
    assert warned(side("a"), side("b", detectors=planted), temp_prefix="OTHER") == {}


def test_engine():
    before = side(
        "a", toolchain=Toolchain(trace_processor="v52.0", engine="embedded", engine_sha256="1" * 64)
    )
    after = side("b", toolchain=Toolchain(trace_processor="v56.1", engine="native", engine_sha256="2" * 64))
    said = text(before, after, "engine")
    assert "version v52.0 → v56.1" in said
    assert "embedded → native" in said
    assert warned(before, side("b", toolchain=before.toolchain)) == {}
    assert warned(before, side("b")) == {}


def device(letter: str, *models: str | None, **facts: Any) -> Report:
    runs = tuple(
        replace(run, device=DeviceFacts(model=model, **facts))
        for run, model in zip(repeats(5, letter), models * (5 if len(models) == 1 else 1), strict=True)
    )
    return side(letter, repeats=runs)


def test_device():
    said = text(device("a", "SM-A515F"), device("b", "Pixel 6a"), "device")
    assert "before ran on SM-A515F, after on Pixel 6a" in said
    assert "Android 13" in text(
        device("a", "Pixel 6a", android="13"), device("b", "Pixel 6a", android="14"), "device"
    )
    assert warned(device("a", "Pixel 6a"), device("b", "Pixel 6a")) == {}
    assert warned(device("a", "Pixel 6a"), device("b", None)) == {}


def test_machines_mixed_inside_a_side():
    mixed = device("b", *["Pixel 6a"] * 4, "SM-A515F")
    said = [one.text for one in warned(device("a", "Pixel 6a"), mixed)["device"]]
    assert any("after mixes runs of different machines (Pixel 6a and SM-A515F)" in one for one in said)


def test_build_is_information():
    before, after = (
        device(a, "Pixel 6a", app_version=v, app_version_code=c)
        for a, v, c in (("a", "1.2", 7), ("b", "1.3", 8))
    )
    said = text(before, after, "build")
    assert "1.2 (7) in before, 1.3 (8) in after" in said
    assert warned(before, after)["build"][0].level == "information"
    again = device("b", "Pixel 6a", app_version="1.2", app_version_code=7)
    assert warned(before, again) == {}
    assert warned(before, device("b", "Pixel 6a")) == {}


def test_health():
    lossy = Health(
        state="lossy",
        issues=(HealthIssue(name="ftrace_cpu_overrun", value=9, severity="data loss", text="…"),),
    )
    runs = tuple(replace(run, health=lossy if run.trace_index == 2 else Health()) for run in repeats(5, "b"))
    said = text(side("a"), side("b", repeats=runs), "health")
    assert "1 of 5 traces of after lost data" in said
    assert "ftrace_cpu_overrun in 1" in said
    assert said.endswith("record again with a larger buffer")


def test_health_of_errors_no_buffer_can_mend():
    wrong = Health(
        state="lossy",
        issues=(HealthIssue(name="json_parser_failure", value=1, severity="error", text="…"),),
    )
    said = text(
        side("a"), side("b", repeats=tuple(replace(r, health=wrong) for r in repeats(5, "b"))), "health"
    )
    assert "5 of 5 traces of after" in said
    assert said.endswith("the report of that side says what each error means")


def test_clipping():
    said = text(side("a", clipped=None), side("b"), "clipping")
    assert "after counts only the part of a slice inside the window, before counts it whole" in said
    assert warned(side("a", clipped=None), side("b", clipped=None)) == {}


class TestDrift:
    def test_a_trend_over_run_order(self):
        drifting = side("b", window=[1000.0, 1040.0, 1090.0, 1130.0, 1180.0])
        said = text(side("a", window=[1100.0, 1010.0, 1080.0, 1030.0, 1060.0]), drifting, "drift")
        assert "the window of after drifted" in said
        assert "+180 ms" in said

    def test_four_runs_cannot_show_one(self):
        drifting = side("b", runs=4, window=[1000.0, 1040.0, 1090.0, 1130.0])
        assert warned(side("a", runs=4, window=[1010.0, 1130.0, 1080.0, 1030.0]), drifting) == {}

    def test_one_too_small_to_matter_is_not_told(self):
        drifting = side("b", window=[1000.0, 1001.0, 1002.0, 1003.0, 1004.0])
        assert warned(side("a", window=[1004.0, 1001.0, 1002.0, 1000.0, 1003.0]), drifting) == {}


class TestSameInput:
    def test_the_same_recordings_on_both_sides(self):
        said = text(side("a"), side("a", detectors=(detector(BLOCK, row("x", [60.0] * 5)),)), "same-input")
        assert "5 of the traces of before and after are the same recording" in said

    def test_the_same_report_of_the_original(self):
        same = old_report(detector(BLOCK, old_row("x", [50.0, 51.0, 52.0, 53.0, 54.0])))
        assert "the report of before and after is the same recording" in text(same, same, "same-input")

    def test_a_recording_twice_in_one_side(self):
        runs = tuple(replace(run, sha256="twin") for run in repeats(5, "b")[:2]) + repeats(5, "b")[2:]
        assert "after holds the same recording more than once (1 too many)" in text(
            side("a"), side("b", repeats=runs), "same-input"
        )


def test_unreadable_runs_are_left_out_by_name():
    after = side(
        "b", runs=4, runs_given=5, unreadable=(Unreadable(path="b/run_iter004", reason="no start found"),)
    )
    found = warned(side("a", runs=4), after)
    assert list(found) == ["unreadable"]
    assert (
        "1 of 5 traces of after gave no measurement (b/run_iter004: no start found)"
        in found["unreadable"][0].text
    )


def test_a_pin_without_a_row():
    assert "no row is called nothing*" in text(side("a"), side("b"), "pinned", pinned=("x", "nothing*"))
    assert warned(side("a"), side("b"), pinned=("x",)) == {}


def test_every_id_there_is_is_planted_here():
    folder = Path(warnings.__file__).parent
    sources = "".join(path.read_text() for path in sorted(folder.glob("warn*.py")))
    ids = set(re.findall(r'\bid="([a-z_-]+)"|_anchors\("([a-z-]+)"', sources))
    here = Path(__file__).read_text()
    missing = {name for pair in ids for name in pair if name and f'"{name}"' not in here}
    assert len(ids) > 20
    assert missing == set()


def test_the_order_is_fixed_and_names_from_traces_are_harmless():
    evil = "\x1b[31m" + "a" * 500
    before = side("a", config=ConfigRef(sha="1", defaults=True), clipped=None)
    after = replace(side("b", runs=2, config=ConfigRef(sha="2")), window=WindowReport(process=evil))
    result = compare_reports(*sides(before, after))
    assert [one.id for one in result.warnings] == ["process", "config", "defaults", "runs", "few", "clipping"]
    assert all("\x1b" not in one.text and len(one.text) < 400 for one in result.warnings)


def test_further_sides_are_warned_about_with_their_names():
    three = (*sides(side("a"), side("b")), sides(side("a"), side("c", runs=4))[1])
    result = compare_sides(three, CompareOptions(names=("main", "tabs", "lists")))
    assert result.warnings == ()
    assert "main has 5 runs, lists 4" in result.others[0].warnings[0].text


def test_one_run_against_many_says_what_the_verdicts_rest_on():
    many, few = (warned(side("a", runs=1), side("b", runs=n))["single"][0].text for n in (39, 5))
    assert "before has a single trace: every verdict rests on that one run" in many
    assert "no row gets a verdict" in few
