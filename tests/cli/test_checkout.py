"""The checkout beside the config, in what ``analyze`` writes and prints."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from checkouts import KOTLIN, checkout
from echolot_tui.checkout import sources
from echolot_tui.generate.cast import HELD
from echolot_tui.headless.checkout import read_checkout
from echolot_tui.headless.setup import Flags, Project, open_project
from echolot_tui.present.report_markdown import report_markdown
from echolot_tui.report.model import AllRows, DetectorReport, MarkersReport, Report, Row

CACHE = f"{KOTLIN}/Cache.kt"
SECTION = DetectorReport(id="monitor_contention", rows=(Row(location="main", total_ms=3.0, detail=HELD),))
REPORT = Report(detectors=(SECTION,), markers=MarkersReport(in_trace=("AGENTTMP_old",)))
ROWS = AllRows(report_sha256="", detectors=(SECTION,))


def project(root: Path, config: str = "project: {package: com.example.app}\n") -> Project:
    code = "package com.example.app\n" + "\n" * 100 + 'fun a() = trace("AGENTTMP_new") {}\n'
    checkout(root, {"echolot.yml": config, CACHE: code})
    return open_project(Flags(config=str(root / "echolot.yml")))


def test_rows_and_markers_point_from_the_config_s_folder(tmp_path: Path) -> None:
    report, rows = read_checkout(REPORT, ROWS, project(tmp_path))
    (row,) = report.detectors[0].rows
    assert [(place.file, place.line, place.exact) for place in row.places or ()] == [
        (CACHE, 88, True),
        (CACHE, 41, True),
    ]
    assert rows.detectors == report.detectors
    assert report.markers.unbuilt is not None
    assert (report.markers.unbuilt.names, report.markers.unbuilt.files) == (("AGENTTMP_new",), (CACHE,))
    assert report.markers.removed is not None
    assert report.markers.removed.names == ("AGENTTMP_old",)
    text = report_markdown(report)
    assert "| In the code |" in text
    assert "owner at Cache.kt:88 · blocked at Cache.kt:41" in text
    assert text.count("> ⚠️") == 2


def test_the_prefix_and_the_mode_are_the_config_s(tmp_path: Path) -> None:
    config = "instrumentation: {temp_prefix: MINE_}\nrunner: {mode: command, command: x}\n"
    report, _ = read_checkout(
        replace(REPORT, markers=MarkersReport(in_trace=("MINE_a",))), ROWS, project(tmp_path, config)
    )
    assert report.markers.unbuilt is None
    assert report.markers.removed is not None
    assert report.markers.removed.mode == "command"


@pytest.mark.parametrize(
    ("runner", "script", "tasks"),
    [
        ("{}", "app/build.gradle", (":app:installRelease", ":app:installDebug")),
        ("{project_root: android}", "android/app/build.gradle", (":app:installRelease", ":app:installDebug")),
        ("{project_root: ../elsewhere}", "app/build.gradle", ()),
        (
            "{mode: gradle, gradle_task: ':bench:connectedDebugAndroidTest'}",
            "app/build.gradle",
            (":app:installDebug",),
        ),
    ],
)
def test_the_warning_says_how_to_install(
    tmp_path: Path, runner: str, script: str, tasks: tuple[str, ...]
) -> None:
    checkout(tmp_path, {script: "plugins { id 'com.android.application' }\nnamespace 'com.example.app'"})
    config = f"project: {{package: com.example.app}}\nrunner: {runner}\n"
    report, _ = read_checkout(REPORT, ROWS, project(tmp_path, config))
    assert report.markers.unbuilt is not None
    assert report.markers.removed is not None
    assert report.markers.unbuilt.install == report.markers.removed.install == tasks
    assert ("install it with :app:" in report_markdown(report)) == bool(tasks)


def test_without_a_config_there_is_no_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checkout(tmp_path, {CACHE: "package com.example.app\n"})
    monkeypatch.chdir(tmp_path)
    assert read_checkout(REPORT, ROWS, open_project(Flags())) == (REPORT, ROWS)


def test_a_checkout_past_the_bound_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = project(tmp_path)
    monkeypatch.setattr(sources, "FOLDERS_LISTED", 2)
    report, _ = read_checkout(REPORT, ROWS, opened)
    assert len(report.notes) == 1
    assert "folders beside the config were looked at" in report.notes[0]
