"""The section to paste reads back as what was proposed, the patch leads there too, the table says why."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from calibrations_by_hand import BLOCK, EITHER, FRAMES, block, calibrated, catalogue, plan_for, runs
from echolot_tui.calibrate.model import Calibration
from echolot_tui.measure.plan import plan
from echolot_tui.present.calibration_text import calibration_lines
from echolot_tui.present.calibration_yaml import patch_yaml, section_yaml
from echolot_tui.present.spans import columns, plain
from echolot_tui.project.load import load_config
from echolot_tui.project.scenario import Scenario, resolve_scenario
from hand_built import answer, measurement, occurrence

TEN = [float(value) for value in range(30, 20, -1)]


def both(*values: float) -> Any:
    """One trace with rows of two detectors."""
    either = {"location": "a", "callers": 1, "max_ms": 5.0, "total_ms": 9.0}
    return measurement(occurrence(block(*values), answer("either", either)))


def test_the_section_of_a_config_without_scenarios() -> None:
    scenario = Scenario(
        name="run",
        detectors={
            "block": {"skip_glob": '*Bin"der: #*', "min_ms": 20},
            "frames": False,
            "either": {"max_callers": 2},
        },
    )
    made = calibrated([both(*TEN)], BLOCK, EITHER, FRAMES, scenario=scenario)
    assert section_yaml(made) == (
        "# calibrated on 1 run of run, window 1000.00 ms\n"
        "detectors:\n"
        "  block:\n"
        "    min_ms: 31.5    # top10(self_ms)=21 × 1.5, median of 1 run, sample 10 per run\n"
        '    skip_glob: "*Bin\\"der: #*"    # from the config\n'
        "  either:\n"
        "    max_callers: 2    # from the config\n"
        "    # min_txn_ms: 10    # as shipped: sample 1 per run at most, needs at least 10\n"
        "    # max_total_ms: 50    # as shipped: sample 1 per run at most, needs at least 10\n"
        "  frames: false\n"
        "# 2 of 3 thresholds got no number and stay as they are\n"
    )


def test_the_section_of_a_scenario() -> None:
    scenario = Scenario(
        name="cold_start",
        several=True,
        detectors={"either": {"min_txn_ms": 2.8, "max_callers": 1}, "frames": False},
        own_detectors={"block": {"min_ms": 7}, "either": {"max_total_ms": 60}},
    )
    made = calibrated([both(*TEN[:3])], BLOCK, EITHER, FRAMES, scenario=scenario)
    assert section_yaml(made) == (
        "# calibrated on 1 run of cold_start, window 1000.00 ms\n"
        "scenarios:\n"
        "  cold_start:\n"
        "    detectors:\n"
        "      block:\n"
        "        min_ms: 7    # kept: sample 3 per run at most, needs at least 10\n"
        "      either:\n"
        "        min_txn_ms: 10    # the default, over the 2.8 of the top-level detectors: "
        "sample 1 per run at most, needs at least 10\n"
        "        max_total_ms: 60    # kept: sample 1 per run at most, needs at least 10\n"
        "# 3 of 3 thresholds got no number and stay as they are\n"
    )


def test_failures_and_warnings_are_said_where_the_section_is_read() -> None:
    broken = answer("block", state="failed", reason="no such\ncolumn")
    made = calibrated(
        [
            measurement(occurrence(broken), path="a"),
            measurement(occurrence(block(*TEN), duration_ms=3000.0), path="b"),
        ],
        BLOCK,
    )
    text = section_yaml(made)
    assert "# WARNING: the longest window is over twice the shortest (3000.00 and 1000.00 ms)" in text
    assert "median of 1 run, sample 10 per run; it failed on 1/2 runs\n" in text
    assert "# failed on some runs: block (1/2)\n" in text
    everywhere = section_yaml(calibrated([measurement(occurrence(broken))], BLOCK))
    assert "  #   min_ms: 16    # as shipped: it failed on every run\n" in everywhere
    assert "# failed on every run: block\n" in everywhere
    assert yaml.safe_load(everywhere) == {"detectors": None}


def test_by_report_size_the_line_says_how_it_held_and_what_few_runs_vouch_for() -> None:
    made = calibrated(runs(TEN, TEN, TEN), BLOCK, report_size=3)
    text = section_yaml(made)
    assert "at most 3 rows a run\n" in text.splitlines(keepends=True)[0]
    line = "    min_ms: 27.1    # top4(self_ms)=27 × 1, over 3 runs, sample 10 per run; 3/3 traces hold"
    assert line in text
    assert (
        "# 3 traces alone vouch for 75 % of runs to come, 19 for 95 %; for the rest stands the factor\n"
        in text
    )


SETTINGS = st.one_of(
    st.none(),
    st.just(value=False),
    st.fixed_dictionaries(
        {},
        optional={
            "min_ms": st.one_of(st.integers(0, 99), st.floats(0, 99).map(lambda n: round(n, 3))),
            "skip_glob": st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
        },
    ),
)
SECTIONS = st.fixed_dictionaries({}, optional={"block": SETTINGS})
SETS = st.lists(st.lists(st.integers(0, 9000).map(lambda n: n / 100), max_size=14), min_size=1, max_size=4)


def read_back(text: str, folder: Path, scenario: Scenario, made: Calibration) -> dict[str, Any]:
    """Parameters of ``block`` once ``text`` has replaced the present section."""
    pasted = yaml.safe_load(text)
    config: dict[str, Any] = {"detectors": scenario.detectors, **pasted}
    path = folder / "echolot.yml"
    path.write_text(yaml.safe_dump(config), encoding="utf-8")
    again = resolve_scenario(load_config(path), made.scenario if made.several else None)
    return params(again)


def params(scenario: Scenario) -> dict[str, Any]:
    found = plan(
        catalogue(BLOCK, FRAMES), config=dict(scenario.detectors), scenario=dict(scenario.own_detectors)
    )  # type: ignore[arg-type]
    decision = found.decision("block")
    assert decision is not None
    return {**decision.params, "on": decision.on}


@given(SECTIONS, SECTIONS, SETS, st.booleans(), st.sampled_from([None, 1, 3]))
@settings(max_examples=150, deadline=None)
def test_pasted_the_section_gives_what_was_proposed(
    tmp_path_factory: pytest.TempPathFactory,
    top: dict[str, Any],
    own: dict[str, Any],
    sets: list[list[float]],
    several: bool,
    size: int | None,
) -> None:
    scenario = Scenario(
        name="cold" if several else "run",
        several=several,
        detectors=top,
        own_detectors=own if several else {},
    )
    made = calibrated(runs(*sets), BLOCK, FRAMES, scenario=scenario, report_size=size)
    folder = tmp_path_factory.mktemp("pasted")
    expected = params(scenario)
    for detector in made.detectors:
        if detector.id == "block":
            expected |= {one.param: one.after for one in detector.thresholds}
    assert read_back(section_yaml(made), folder, scenario, made) == expected
    patch = yaml.safe_load(patch_yaml(made)) or {}
    assert params(merged(scenario, patch)) == expected


def merged(scenario: Scenario, patch: dict[str, Any]) -> Scenario:
    """The patch laid over the scenario's section, as ``local.yml`` would be."""
    if scenario.several:
        section = patch.get("scenarios", {}).get(scenario.name, {}).get("detectors", {})
        return Scenario(
            name=scenario.name,
            several=True,
            detectors=scenario.detectors,
            own_detectors=over(scenario.own_detectors, section),
        )
    return Scenario(name=scenario.name, detectors=over(scenario.detectors, patch.get("detectors", {})))


def over(base: dict[str, Any], patch: dict[str, Any]) -> dict[str, Any]:
    return {**base, **{name: {**(base.get(name) or {}), **setting} for name, setting in patch.items()}}


@pytest.mark.parametrize(
    "glob", ["Größe*", "a\x85b", "\u2028", "\x07\x1b[0m", "\ufeff*", "#: {x", "🙂", "\\", "'\"", " "]
)
def test_a_mask_reads_back_as_itself(glob: str) -> None:
    scenario = Scenario(name="run", detectors={"block": {"skip_glob": glob}})
    text = section_yaml(calibrated(runs(TEN), BLOCK, scenario=scenario))
    assert yaml.safe_load(text)["detectors"]["block"]["skip_glob"] == glob
    assert "\x1b" not in text


def test_a_patch_without_changes_says_so() -> None:
    assert patch_yaml(calibrated(runs(TEN[:2]), BLOCK)) == "# nothing changes\n"
    assert patch_yaml(calibrated(runs(TEN), BLOCK)) == (
        "detectors:\n  block:\n"
        "    min_ms: 31.5    # 16 today; top10(self_ms)=21 × 1.5, median of 1 run, sample 10 per run\n"
    )


@pytest.mark.parametrize("name", ["on", "null", "1e3", "007", "cold-start", "a.b", "Ünïcode"])
def test_a_scenarios_name_reads_back_as_itself(name: str) -> None:
    made = calibrated(runs(TEN), BLOCK, scenario=Scenario(name=name, several=True))
    assert list(yaml.safe_load(section_yaml(made))["scenarios"]) == [name]


@pytest.mark.parametrize("width", [60, 100, 200])
def test_the_table_fits_and_says_what_happens(width: int) -> None:
    scenario = Scenario(name="run", detectors={"block": {"min_ms": 25}})
    made = calibrated([both(*TEN)], BLOCK, EITHER, scenario=scenario)
    lines = [plain(line) for line in calibration_lines(made, width)]
    assert max(map(columns, lines)) <= width
    (row,) = [text for text in lines if text.startswith("block.min_ms")]
    assert "25 (config)" in row
    assert "31.5" in row
    if width >= 100:
        assert "6 → 0" in row
        assert any("counted on these runs, 1 run" in text for text in lines)


def test_the_plan_helper_agrees_with_the_config(tmp_path: Path) -> None:
    """The layers the tests hand to ``plan`` are those a config file gives."""
    path = tmp_path / "echolot.yml"
    path.write_text("detectors: {block: {min_ms: 4}}\n")
    scenario = resolve_scenario(load_config(path))
    assert plan_for(scenario, BLOCK).decisions[0].params["min_ms"] == 4
