"""Every sentence above the rows: said when its condition holds, and not said when it does not."""

from __future__ import annotations

from typing import Any

import pytest

from echolot_tui.measure.model import AppNames, DeviceFacts, Health, HealthIssue, MainThread, ProcessChoice
from echolot_tui.present.report_facts import header_statements
from echolot_tui.present.spans import plain
from echolot_tui.present.statement import markdown_statements
from echolot_tui.report.code_model import RemovedMarkers, UnbuiltMarkers
from echolot_tui.report.model import (
    AnchorReport,
    BudgetReport,
    ComposeNamesReport,
    ConfigRef,
    CpuReport,
    DetectorReport,
    EnvironmentReport,
    MappingFile,
    MarkersReport,
    MemoryReport,
    OpenedInsideReport,
    Repeat,
    Report,
    Retrace,
    SamplingReport,
    StartupReport,
    ThermalReport,
    Toolchain,
    WindowReport,
)


def said(**fields: Any) -> list[str]:
    """Every statement as text; warnings begin with ``!``."""
    report = Report(detectors=(), **fields)
    return [
        f"! {plain(one.spans)}" if one.warning else f"{one.label}: {plain(one.spans)}"
        for one in header_statements(report)
    ]


def window(**fields: Any) -> list[str]:
    return said(window=WindowReport(**fields))


def environment(**fields: Any) -> list[str]:
    return said(environment=EnvironmentReport(**fields))


def repeats(*devices: DeviceFacts, health: dict[int, Health] | None = None) -> tuple[Repeat, ...]:
    return tuple(
        Repeat(
            label=f"{at + 1}",
            trace=f"{at}",
            trace_index=at,
            device=device,
            health=(health or {}).get(at, Health()),
        )
        for at, device in enumerate(devices)
    )


def has(statements: list[str], expected: str) -> bool:
    return any(expected in one for one in statements)


def test_a_report_that_knows_nothing_says_only_what_it_counts() -> None:
    assert said() == ["Detectors fired: 0 of 0; times are in ms", "Config: none · thresholds: as shipped"]


def test_the_set() -> None:
    names = tuple(f"traces/run_{at}.pftrace" for at in range(10))
    assert said(traces=names, runs=10, runs_given=10)[:2] == [
        "Runs: 10; figures are medians over the runs",
        f"Traces: {', '.join(f'run_{at}.pftrace' for at in range(8))} and 2 more",
    ]
    each = tuple(Repeat(label=f"1.{at}", trace="a", trace_index=0, occurrence=at) for at in (1, 2, 3))
    assert has(said(runs=2, runs_given=2, repeats=each), "Runs: 2, 3 occurrences of the scenario;")


def test_the_process_and_why() -> None:
    assert window(process="app", pid=7)[0] == "Process: app (pid 7)"
    assert window(process="pid 7", pid=7)[0] == "Process: pid 7"
    assert "most main-thread work" in window(process="app", process_chosen_by="most main-thread work")[0]
    others = tuple(ProcessChoice(name=f"app:{at}", slices=at + 1) for at in range(2))
    assert window(process="app", process_alternatives=others, process_alternatives_total=6)[1] == (
        "! The process mask also matches app:0 (1 slice), app:1 (2 slices) and 4 more; "
        "narrow it if this is the wrong one"
    )
    earlier = (ProcessChoice(name="app", pid=4, slices=2),)
    assert window(process="app", process_alternatives=earlier)[1] == (
        "! The process mask also matches app (pid:4, 2 slices); narrow it if this is the wrong one"
    )
    assert len(window(process="app", process_alternatives=others, process_chosen_by="only process")) == 3
    assert has(window(process="a", processes=("a", "b")), "! The runs measure different processes: a, b")
    assert not has(window(process="a", processes=("a",)), "different")
    assert has(window(process="a", restarts=1), "! 1 other process of the same name")
    assert has(window(process="a", restarts=2), "! 2 other processes of the same name")
    assert not has(window(process="a", restarts=0), "of the same name")


@pytest.mark.parametrize("rule", ["named like the pid", "known name", "most slice time", "only thread"])
def test_an_unusual_main_thread_names_its_rule(rule: Any) -> None:
    assert has(
        window(process="a", main=MainThread(name="Main", tid=1, utid=1, rule=rule)),
        f"Main, taken by the rule “{rule}”",
    )


def test_the_usual_main_thread_goes_without_saying() -> None:
    assert not has(
        window(process="a", main=MainThread(name="Main", tid=1, utid=1, rule="tid == pid")), "rule"
    )


def test_the_window_and_its_spread() -> None:
    assert window(duration_ms=100.0)[0] == "Scenario window: 100.00 ms"
    assert window(duration_ms=100.0, duration_ms_min=60.0, duration_ms_max=120.0, resolves_ms=30.0)[0] == (
        "Scenario window: 100.00 ms (from 60.00 to 120.00); as many runs again would show a move of 30.00 ms"
    )
    assert not has(window(duration_ms=1.0, duration_ms_min=60.0, duration_ms_max=120.0), "twice the shortest")
    assert has(window(duration_ms=1.0, duration_ms_min=60.0, duration_ms_max=120.01), "twice the shortest")


def test_further_occurrences_are_pointed_out_only_when_not_measured() -> None:
    first = (Repeat(label="1", trace="a", trace_index=0),)
    both = (
        Repeat(label="1.1", trace="a", trace_index=0),
        Repeat(label="1.2", trace="a", trace_index=0, occurrence=2),
    )
    assert has(
        said(window=WindowReport(occurrences_total=2), repeats=first), "Occurrences: up to 2 in a trace"
    )
    assert not has(said(window=WindowReport(occurrences_total=2), repeats=both), "Occurrences")


def test_the_budget() -> None:
    budget = BudgetReport(
        on_cpu=40.0, waiting_for_cpu=0.9, sleeping=50.0, other=1.0, window_ms=100.0, accounted_pct=95.0
    )
    statements = window(main_thread=budget)
    assert statements[0] == "Main thread: 40% on a CPU · 50% asleep · 1% in other states"
    assert not has(statements, "!")
    assert has(
        window(main_thread=BudgetReport(window_ms=100.0, accounted_pct=94.9)),
        "! Only 94.9% of the main thread's time",
    )
    covered = BudgetReport(window_ms=100.0, in_rows_pct=41.6, in_rows_uncounted=("anr",))
    assert window(main_thread=covered)[0] == (
        "Covered by the rows below: 42% of the main thread's time; rows of anr could not be located"
    )


def test_startup_and_how_it_sits_against_the_window() -> None:
    startup = StartupReport(
        type="cold", dur_ms=500.0, reasons={"gc": 20.0}, from_window_start_ms=-0.99, from_window_end_ms=0.99
    )
    assert window(startup=startup)[0] == "Startup: cold 500.00 ms (gc 20.00 ms)"
    shifted = StartupReport(
        type="warm", dur_ms=1.0, from_window_start_ms=1.0, from_window_end_ms=-1.0, startups=2, runs="3/5"
    )
    assert window(startup=shifted)[0] == (
        "Startup: warm 1.00 ms, one of 2 startups, in 3/5 runs; begins 1.00 ms after the window opens; "
        "ends 1.00 ms before the window closes"
    )


def test_anchors() -> None:
    def anchor(**fields: Any) -> AnchorReport:
        return AnchorReport(glob="go*", **fields)

    assert len(window(start=anchor(matches=1), end=anchor(matches=3))) == 2
    assert has(
        window(start=anchor(matches=0)),
        "! No slice matches the start anchor go* in the trace; the window begins",
    )
    assert has(
        window(end=anchor(matches=0, missed="2/5")),
        "! No slice matches the end anchor go* in 2/5 runs; the window ends",
    )
    assert has(
        window(end=anchor(matches=0, missed="5/5", before_start=4)),
        "go* in the trace, only before the window's start",
    )
    assert has(window(end=anchor(matches=1, unfinished=True)), "end anchor go* never closed")
    both = window(end=anchor(matches=0, missed="2/5", unfinished=True))
    assert has(both, "anchor go* in 2/5 runs")
    assert has(both, "anchor go* never closed")


def test_a_window_without_length() -> None:
    assert has(
        window(empty="5/5"), "! The window ends at the moment it starts, so nothing lies in it; choose"
    )
    assert has(window(empty="1/5"), "! The window ends at the moment it starts in 1/5 runs, so nothing")


def test_a_window_that_opened_blocked() -> None:
    def opened(**fields: Any) -> list[str]:
        given = {"thread_name": "m", "before_ms": 9.0, "total_ms": 12.0, "inside_ms": 3.0, "material": True}
        return window(opened_inside=OpenedInsideReport(**(given | fields)))

    assert has(
        opened(state="S", runs="2/5"),
        "opened in 2/5 runs, the main thread had been asleep for 9.00 ms of 12.00 ms",
    )
    assert has(opened(state="DK", runs="5/5"), "opened, the main thread had been blocked in the kernel")
    assert has(opened(state="X"), "had been in state X")
    assert not has(opened(state="S", material=False), "opened")


def test_the_device_state() -> None:
    cpu = CpuReport(
        mean_mhz=1478.4,
        mean_mhz_min=1400.0,
        mean_mhz_max=1500.4,
        on_cpu_ms=100.0,
        measured_ms=94.0,
        runs="4/5",
    )
    thermal = ThermalReport(max_celsius=54.44, hottest_zone="big", throttled=False, runs="5/5")
    memory = MemoryReport(available_mb_min=1513.5, major_faults=3.5)
    assert environment(cpu=cpu, thermal=thermal, memory=memory)[0] == (
        "Device state: clock 1478 MHz (1400..1500) in 4 of 5 runs, known for 94% of its time on a CPU · "
        "peak 54.4 °C (big) · 1514 MB free at the low point · 3.5 major faults"
    )
    assert not has(environment(cpu=CpuReport(mean_mhz=1.0, on_cpu_ms=100.0, measured_ms=95.0)), "known for")
    hot = ThermalReport(throttled=True, throttle_device="cpufreq-0", throttled_runs="1/5")
    assert has(environment(thermal=hot), "! The device throttled (cpufreq-0) in 1/5 runs")
    assert not has(environment(thermal=thermal), "throttled")
    assert has(environment(missing=("cpu", "memory")), "Device state not recorded: CPU clock, memory")


def test_the_sampler() -> None:
    assert has(
        environment(sampling=SamplingReport(hz=100, asked=True)),
        "! A call-stack sampler at 100 Hz was asked for",
    )
    ran = SamplingReport(hz=100, asked=True, started=True, samples=130, with_stack=20.5, runs="4/5")
    assert has(
        environment(sampling=ran),
        "sampled at 100 Hz in 4 of 5 runs: 130 samples of this process in the window, 20.5 with a stack",
    )
    assert has(
        environment(sampling=SamplingReport(started=True, samples=3)),
        "! No sample of this process carries a stack",
    )
    assert not has(environment(sampling=ran), "!")
    assert not has(environment(sampling=None), "sample")


@pytest.mark.parametrize(("minified", "warned"), [(9, False), (10, True)])
def test_minified_names_matter_from_a_tenth(minified: int, warned: bool) -> None:
    names = AppNames(methods=100, minified=minified, renamed=5)
    statements = environment(sampling=SamplingReport(started=True, samples=9, with_stack=9, names=names))
    assert has(statements, f"{minified} of 100 sampled app methods") == warned
    assert has(statements, "Retraced: 5 method names")


def test_composable_names() -> None:
    assert has(
        environment(compose_names=ComposeNamesReport(asked=True, calls=4, runs="1/2")),
        "Composable names: 4 calls carry one in 1 of 2 runs",
    )
    assert has(environment(compose_names=ComposeNamesReport(asked=True)), "! Composable names were asked for")
    assert not has(environment(compose_names=ComposeNamesReport()), "omposable")


def test_the_device_and_its_change() -> None:
    pixel = DeviceFacts(manufacturer="Google", model="Pixel 6", android="14", app_version="1.2", cpus=8)
    other = DeviceFacts(manufacturer="samsung", model="Samsung S23")
    linux = DeviceFacts(kernel="6.1", machine="x86_64")
    assert said(repeats=repeats(pixel, pixel))[0] == "Device: Google Pixel 6 · Android 14 · 8 CPUs · app 1.2"
    assert said(repeats=repeats(other))[0] == "Device: Samsung S23"
    assert said(repeats=repeats(linux))[0] == "Device: kernel 6.1 · x86_64"
    assert said(repeats=repeats(pixel, other))[0].startswith(
        "! The runs come from different devices or builds: Google"
    )
    assert not has(said(repeats=repeats(DeviceFacts())), "Device")
    coded = DeviceFacts(model="Pixel 6", app_version_code=412)
    assert said(repeats=repeats(coded))[0] == "Device: Pixel 6 · app version code 412"


def test_health_names_the_runs_it_concerns() -> None:
    issue = HealthIssue(name="lost", value=1, severity="data loss", text="events are missing")
    lossy = Health(state="lossy", issues=(issue,))
    nothing = DeviceFacts()
    assert has(
        said(repeats=repeats(nothing, nothing, nothing, health={1: lossy})),
        "! Run 2: lost: events are missing",
    )
    assert has(
        said(repeats=repeats(nothing, nothing, nothing, health={0: lossy, 2: lossy})), "! Runs 1, 3: lost:"
    )
    assert has(said(repeats=repeats(nothing, nothing, health={0: lossy, 1: lossy})), "! Every run: lost:")
    assert has(said(repeats=repeats(nothing, health={0: lossy})), "! lost: events are missing")


def test_config_and_engine() -> None:
    config = ConfigRef(
        path="echolot.yml",
        sha="abc",
        local="local.yml",
        defaults=True,
        mapping=MappingFile(path="m.txt", found=False),
    )
    statements = said(
        config=config,
        toolchain=Toolchain(engine="native", trace_processor="v56", binary="/opt/tp"),
        notes=("a note",),
    )
    assert statements == [
        "! The R8 mapping m.txt is not there; minified names stay as they are",
        "Detectors fired: 0 of 0; times are in ms",
        "Config: echolot.yml (abc) · local local.yml · thresholds: as shipped · run with --defaults",
        "Engine: native v56, /opt/tp",
        "Note: a note",
    ]


@pytest.mark.parametrize(
    ("retrace", "statement"),
    [
        (Retrace(frames=3, map_id="7cb"), "Retraced: 3 frames of lock waits (7cb)"),
        (Retrace(frames=1, outside=2), "Retraced: 1 frame of lock waits, 2 not in the mapping"),
        (Retrace(map_id="7cb"), None),
        (
            Retrace(outside=2, map_id="7cb", other_map_ids=("aaa", "bbb")),
            "! The R8 mapping m.txt (7cb) is another build's: frames name aaa, bbb",
        ),
    ],
)
def test_what_the_mapping_did(retrace: Retrace, statement: str | None) -> None:
    config = ConfigRef(path="echolot.yml", sha="abc", mapping=MappingFile(path="m.txt", found=True))
    statements = said(config=config, retrace=retrace)
    assert [one for one in statements if "etrace" in one or "mapping" in one] == [statement] * bool(statement)


@pytest.mark.parametrize(
    ("retrace", "advice"),
    [
        (None, "minified names; name the build's R8 mapping in project.mapping"),
        (Retrace(), "minified names, and the R8 mapping does not have them: is it this build's?"),
    ],
)
def test_minified_names_ask_for_the_mapping_or_for_the_right_one(
    retrace: Retrace | None, advice: str
) -> None:
    names = AppNames(methods=10, minified=1)
    sampling = SamplingReport(started=True, samples=5, with_stack=5, names=names)
    statements = said(retrace=retrace, environment=EnvironmentReport(sampling=sampling))
    assert has(statements, f"! 1 of 10 sampled app methods have {advice}")


def test_a_scenarios_own_thresholds_are_counted() -> None:
    detectors = tuple(
        DetectorReport(id=name, params_source=source)
        for name, source in (("a", "scenario"), ("b", "config+scenario"), ("c", "config"), ("d", "default"))
    )
    assert plain(header_statements(Report(detectors=detectors, scenario="cold_start"))[-1].spans) == (
        "none · thresholds: own for a, b, c, shipped for the rest"
        " · scenario cold_start's own for 2 of 4 detectors"
    )


def test_warnings_part_the_list_in_markdown() -> None:
    report = Report(detectors=(), window=WindowReport(process="a|b", restarts=1))
    assert markdown_statements(header_statements(report))[:4] == [
        "- Process: a\\|b",
        "",
        "> ⚠️ 1 other process of the same name ran in the trace; only one is measured",
        "",
    ]


def warnings(**fields: Any) -> list[str]:
    return [text for text in said(markers=MarkersReport(**fields)) if text.startswith("!")]


def test_markers_that_were_not_built_or_were_removed() -> None:
    files = ("a/A.kt", "b/B.kt", "c/C.kt", "d/D.kt")
    tasks = (":app:installBenchmark",)
    unbuilt = UnbuiltMarkers(names=("T_a", "T_b"), files=files, mode="launch", install=tasks)
    (text,) = warnings(unbuilt=unbuilt)
    assert "temporary markers: T_a, T_b, in a/A.kt, b/B.kt, c/C.kt and 1 more; this build does" in text
    assert text.endswith(": install it with :app:installBenchmark, then record again")
    (text,) = warnings(removed=RemovedMarkers(names=("T_old\n",), mode="launch"))
    assert "of the traces: T_old\\n; the build is older than the sources" in text
    assert text.endswith(": build and install it, then record again")
    assert warnings(in_trace=("T_a",)) == []
