"""``echolot calibrate`` as a program: what it prints, what it keeps, what it never touches."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from echolot_tui.generate.demo import CHANGED_ROWS, write_demo

BROKEN = """
-- @id: broken_one
-- @title: Broken
-- @param: min_ms = 5
-- @gate: total_ms >= min_ms
-- @calibrate: min_ms = top10(total_ms) * 1.5
-- @rank: total_ms
SELECT name AS location, SUM(durr) AS total_ms FROM window_slice GROUP BY name
"""

HELD = CHANGED_ROWS[0][1]


def echolot(*arguments: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    surroundings = {key: value for key, value in os.environ.items() if key not in {"COLUMNS", "LINES"}}
    return subprocess.run(
        [sys.executable, "-m", "echolot_tui", "--headless", *map(str, arguments)],
        cwd=cwd,
        env=surroundings,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=300,
    )


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A demo project whose traces are all in the cache."""
    folder = tmp_path_factory.mktemp("calibrate") / "project"
    write_demo(folder)
    done = echolot("analyze", "before", "after", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def project(measured: Path, tmp_path: Path) -> Path:
    """A copy of it, to change."""
    return Path(shutil.copytree(measured, tmp_path / "project"))


def paste(project: Path, section: str) -> None:
    config = project / "echolot.yml"
    config.write_text(f"{config.read_text(encoding='utf-8')}\n{section}", encoding="utf-8")


def analyzed(project: Path, folder: str) -> dict[str, Any]:
    done = echolot("analyze", folder, "--json", cwd=project)
    assert done.returncode == 0, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def rows_listed(report: dict[str, Any]) -> dict[str, list[str]]:
    return {one["id"]: [row["location"] for row in one["rows"]] for one in report["detectors"]}


def rows_per_run(project: Path, detector: str) -> list[int]:
    """Rows each run of the latest report lists with the config's thresholds."""
    made = json.loads(echolot("calibrate", "before", "--json", cwd=project).stdout)
    assert made["effect_on"]["what"] == "the latest report"
    (counts,) = [one["before"] for one in made["detectors"] if one["id"] == detector]
    return list(counts)


@pytest.mark.slow
def test_stdout_holds_the_section_alone_and_the_config_stays_as_it_is(project: Path) -> None:
    before = (project / "echolot.yml").read_bytes()
    done = echolot("calibrate", "before", cwd=project)
    assert done.returncode == 0, done.stderr
    section = yaml.safe_load(done.stdout)
    assert list(section) == ["detectors"]
    assert list(section["detectors"]) == ["main_thread_block"]
    assert done.stdout.startswith("# calibrated on 5 runs of cold-start, window 1031.01–1063.78 ms")
    assert "[i] 15 of 16 thresholds got no number and stay as they are" in done.stderr
    assert (project / "echolot.yml").read_bytes() == before


@pytest.mark.slow
@pytest.mark.parametrize(("by", "most"), [((), 10), (("--by", "report-size", "3"), 3)])
def test_pasted_a_healthy_run_is_short_and_the_planted_regression_still_fires(
    by: tuple[str, ...], most: int, project: Path
) -> None:
    made = echolot("calibrate", "before", *by, cwd=project)
    paste(project, made.stdout)
    calibrated = list(yaml.safe_load(made.stdout)["detectors"])
    assert "main_thread_block" in calibrated
    healthy = analyzed(project, "before")
    assert all(0 < count <= most for detector in calibrated for count in rows_per_run(project, detector))
    if not by:  # with the factor, the merged report is that short as well
        assert len(rows_listed(healthy)["main_thread_block"]) <= most
    ill = rows_listed(analyzed(project, "after"))
    assert HELD in ill["main_thread_block"]
    assert ill["monitor_contention"]
    compared = json.loads(echolot("compare", "before", "after", "--json", cwd=project).stdout)
    slower = {
        row["location"]: row["verdict"] for row in compared["rows"] if row["detector"] == "main_thread_block"
    }
    assert slower[HELD] == "slower"


def test_the_report_says_which_calibration_it_runs_on(project: Path) -> None:
    paste(project, echolot("calibrate", "before", cwd=project).stdout)
    (note,) = [note for note in analyzed(project, "before")["notes"] if "calibration" in note]
    assert note.startswith("1 threshold from the calibration of 20")
    assert "on 5 runs (cold-start_iter000.perfetto-trace and 4 more)" in note
    shown = echolot("report", cwd=project).stdout
    assert "1 threshold from the calibration of 20" in shown
    shipped = json.loads(echolot("analyze", "before", "--json", "--defaults", cwd=project).stdout)
    assert not [note for note in shipped.get("notes", ()) if "calibration" in note]


@pytest.mark.slow
def test_runs_that_hold_a_regression_are_warned_about(project: Path) -> None:
    assert "slower" not in echolot("calibrate", "before", cwd=project).stderr
    ill = echolot("calibrate", "after", cwd=project)
    assert ill.returncode == 0
    (warning,) = [text for text in ill.stderr.splitlines() if "these runs are slower than" in text]
    assert warning.startswith("[!] ")
    assert f"main_thread_block {HELD}" in warning
    assert "say --healthy" in warning
    trusted = echolot("calibrate", "after", "--healthy", cwd=project)
    (note,) = [text for text in trusted.stderr.splitlines() if "these runs are slower than" in text]
    assert note.startswith("[i] ")
    back = echolot("calibrate", "before", cwd=project)
    assert "slower" not in back.stderr  # held against after, now trusted: faster is no suspicion


@pytest.mark.slow
def test_the_diff_counts_on_the_latest_report(project: Path) -> None:
    shown = echolot("calibrate", "before", "--diff", cwd=project).stdout
    assert "counted on the latest report" in shown
    assert "10 runs" in shown
    (row,) = [text for text in shown.splitlines() if text.startswith("main_thread_block.min_slice_ms")]
    assert "→" in row
    shutil.rmtree(project / ".echolot" / "cache")
    from_file = echolot("calibrate", "before", "--diff", cwd=project).stdout
    (same,) = [text for text in from_file.splitlines() if text.startswith("main_thread_block.min_slice_ms")]
    assert same == row
    shutil.rmtree(project / ".echolot" / "out")
    assert "counted on these runs, 5 runs" in echolot("calibrate", "before", "--diff", cwd=project).stdout


def test_json_follows_its_schema(project: Path) -> None:
    schema = json.loads(echolot("schema", "calibration", cwd=project).stdout)
    jsonschema.Draft202012Validator.check_schema(schema)
    made = json.loads(echolot("calibrate", "before", "--json", cwd=project).stdout)
    jsonschema.validate(made, schema)
    assert made["kind"] == "calibration"
    (block,) = [one for one in made["detectors"] if one["id"] == "main_thread_block"]
    assert len(block["before"]) == len(block["after"]) == 10
    assert all(after < before for before, after in zip(block["before"], block["after"], strict=True))
    assert len(made["runs"]) == 5


def test_the_patch_holds_what_changes_alone(project: Path) -> None:
    patch = yaml.safe_load(echolot("calibrate", "before", "--patch", cwd=project).stdout)
    assert list(patch["detectors"]) == ["main_thread_block"]
    refused = echolot("calibrate", "before", "--patch", "--diff", cwd=project)
    assert (refused.returncode, refused.stdout) == (2, "")


def test_a_scenario_gets_a_section_of_its_own(project: Path) -> None:
    config = yaml.safe_load((project / "echolot.yml").read_text(encoding="utf-8"))
    scenario = config.pop("scenario")
    scenario.pop("name")
    config["scenarios"] = {"cold": scenario, "other": None}
    config["detectors"] = {"io_wait": {"min_io_wait_ms": 7}, "anr": False}
    (project / "echolot.yml").write_text(yaml.safe_dump(config), encoding="utf-8")
    done = echolot("calibrate", "before", "--scenario", "cold", cwd=project)
    section = yaml.safe_load(done.stdout)["scenarios"]["cold"]["detectors"]
    assert sorted(section) == ["io_wait", "main_thread_block"]
    assert section["io_wait"] == {"min_io_wait_ms": 20}
    config["scenarios"]["cold"]["detectors"] = section
    (project / "echolot.yml").write_text(yaml.safe_dump(config), encoding="utf-8")
    status = echolot("status", cwd=project).stdout
    assert "cold (own thresholds): " in status
    assert "other: " in status
    report = json.loads(echolot("analyze", "before", "--scenario", "cold", "--json", cwd=project).stdout)
    sources = {one["id"]: one["params_source"] for one in report["detectors"]}
    assert (sources["main_thread_block"], sources["io_wait"]) == ("scenario", "config+scenario")
    assert "2 thresholds" not in str(report["notes"])  # a default written down is no calibrated number
    assert "1 threshold from the calibration of" in str(report["notes"])


def test_a_detector_that_fails_everywhere_is_exit_1(project: Path) -> None:
    (project / "own").mkdir()
    (project / "own" / "broken_one.sql").write_text(BROKEN)
    paste(project, "detectors_dir: own\n")
    done = echolot("calibrate", "before", cwd=project)
    assert done.returncode == 1
    assert "error: broken_one: " in done.stderr
    assert "durr" in done.stderr
    assert "# failed on every run: broken_one" in done.stdout
    assert yaml.safe_load(done.stdout)["detectors"]["main_thread_block"]


def test_a_wrong_threshold_is_refused_before_a_trace_is_opened(project: Path) -> None:
    paste(project, "detectors: {main_thread_block: {min_slice: 3}}\n")
    done = echolot("calibrate", "before", cwd=project)
    assert (done.returncode, done.stdout) == (2, "")
    assert "did you mean min_slice_ms?" in done.stderr


def test_without_a_config_nothing_is_kept(measured: Path, tmp_path: Path) -> None:
    traces = sorted((measured / "before").glob("*.perfetto-trace"))[:2]
    done = echolot("calibrate", *traces, cwd=tmp_path)
    assert done.returncode == 0
    assert "so the calibration is not kept" in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("absent",), "absent: there is no such file"),
        ((), "Missing argument"),
        (("before", "--min-sample", "0"), "Invalid value for '--min-sample'"),
        (("before", "--by", "size", "3"), "'size' is not 'report-size'"),
        (("before", "--by", "report-size", "0"), "Invalid value for '--by'"),
    ],
)
def test_refusals(arguments: tuple[str, ...], sentence: str, measured: Path) -> None:
    done = echolot("calibrate", *arguments, cwd=measured)
    assert (done.returncode, done.stdout) == (2, "")
    assert sentence in done.stderr


@pytest.mark.slow
def test_a_round_stands_for_its_traces(project: Path) -> None:
    assert echolot("hunt", "why", "slower?", cwd=project).returncode == 0
    for folder, label in (("before", "good"), ("after", "bad")):
        assert echolot("analyze", folder, cwd=project).returncode == 0
        k = "1" if label == "good" else "2"
        assert echolot("round", k, "--label", label, cwd=project).returncode == 0
    by_folder = json.loads(echolot("calibrate", "before", "--json", cwd=project).stdout)
    for name in ("good", "1", "round 1", "1/good"):
        done = echolot("calibrate", name, "--json", cwd=project)
        assert done.returncode == 0, done.stderr
        assert 'round 1 of hunt 1 "good": 5 traces' in done.stderr
        by_round = json.loads(done.stdout)
        assert [run["sha256"] for run in by_round["runs"]] == [run["sha256"] for run in by_folder["runs"]]
        assert by_round["detectors"] == by_folder["detectors"]
    refused = echolot("calibrate", "godo", cwd=project)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert 'there is no file and no round "godo"; there is 1/2 "bad", 1/1 "good"' in refused.stderr
    missing = echolot("calibrate", "before/cold-start_iter000.perfetto-trac", cwd=project)
    assert missing.returncode == 2
    assert "the nearest name there is cold-start_iter000.perfetto-trace" in missing.stderr
    (project / "before" / "cold-start_iter003.perfetto-trace").unlink()
    gone = echolot("calibrate", "good", cwd=project)
    assert gone.returncode == 2
    assert "1 of 5 traces of round 1 of hunt 1 are gone" in gone.stderr


@pytest.mark.slow
def test_the_current_hunts_scenario_is_meant_and_a_round_keeps_to_its_own(project: Path) -> None:
    anchors = 'start: "bindApplication", end: "reportFullyDrawn*"'
    (project / "echolot.yml").write_text(
        f"project: {{package: com.example.app}}\nscenarios:\n  other: {{}}\n  cold: {{{anchors}}}\n"
    )
    assert echolot("hunt", "why", "slower?", "--scenario", "cold", cwd=project).returncode == 0
    assert echolot("analyze", "before", cwd=project).returncode == 0
    for name in ("before", "1"):
        done = echolot("calibrate", name, cwd=project)
        assert list(yaml.safe_load(done.stdout)["scenarios"]) == ["cold"]
    named = echolot("calibrate", "before", "--scenario", "other", cwd=project)
    assert "calibrated on 5 runs of other" in named.stdout
    refused = echolot("calibrate", "1", "--scenario", "other", cwd=project)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert 'the round is of scenario "cold", and this would calibrate "other"' in refused.stderr


def test_a_record_that_cannot_be_used_keeps_nothing_but_the_section_comes(project: Path) -> None:
    record = project / ".echolot" / "echolot.db"
    for part in record.parent.glob("echolot.db*"):
        part.unlink()
    record.write_text("this is no database, it only says so")
    done = echolot("calibrate", "before", cwd=project)
    assert done.returncode == 0
    assert list(yaml.safe_load(done.stdout)["detectors"]) == ["main_thread_block"]
    assert "the calibration is not kept" in done.stderr
    assert record.read_text() == "this is no database, it only says so"


def test_the_record_holds_the_traces_of_a_calibration(project: Path) -> None:
    made = json.loads(echolot("calibrate", "before", "--json", cwd=project).stdout)
    with contextlib.closing(sqlite3.connect(project / ".echolot" / "echolot.db")) as record:
        rows = record.execute("SELECT run, path, sha256 FROM calibration_traces ORDER BY run").fetchall()
    assert rows == [(at, run["trace"], run["sha256"]) for at, run in enumerate(made["runs"])]
