"""A project's R8 mapping, from the config to the report."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from echolot_tui.engine.model import EngineChoice
from echolot_tui.errors import EcholotError
from echolot_tui.generate.scene import Scene
from echolot_tui.generate.world import Options
from echolot_tui.headless.mapping import with_names
from echolot_tui.headless.pipeline import analyze
from echolot_tui.headless.profiling import read_side
from echolot_tui.headless.setup import Flags, open_project
from echolot_tui.measure.inputs import resolve_traces
from echolot_tui.present.report_markdown import report_markdown
from echolot_tui.profiles.stacks import Selection

SceneFile = Callable[[Options], tuple[Path, Scene]]

MAPPING = """\
# pg_map_id: 7cb1a3e
com.example.app.MainActivity -> a1.b:
# {"id":"sourceFile","fileName":"MainActivity.kt"}
    1:1:void com.example.app.Log.d():5:5 -> c
    1:1:void onStart():20 -> c
com.example.app.Cache -> com.example.app.Cache:
# {"id":"sourceFile","fileName":"Cache.kt"}
    88:88:void com.example.app.Disk.sync():300:300 -> refresh
    88:88:void refresh():188 -> refresh
    40:49:java.lang.Object read():140:149 -> read
com.example.app.feed.FeedParser$Companion -> x0.a$b:
    void parse() -> invoke
com.example.app.sync.Grinder -> com.example.app.sync.Crunch:
    1:9:void grind(int):31:39 -> run
"""
CONFIG = "scenario: {start: bindApplication}\nproject: {package: com.example.app}\n"
MAPPED = CONFIG.replace("app}", "app, mapping: build/mapping.txt}")


class Made:
    """What one analysis gave."""

    def __init__(self, folder: Path, trace: Path) -> None:
        project = open_project(Flags(config=str(folder / "echolot.yml")))
        self.analysis = analyze(resolve_traces((str(trace),)), project, Flags())
        self.text = report_markdown(self.analysis.report)
        self.json: dict[str, Any] = json.loads(self.analysis.data)

    def rows(self, detector: str) -> list[dict[str, Any]]:
        return next(one["rows"] for one in self.json["detectors"] if one["id"] == detector)

    @property
    def names(self) -> dict[str, int]:
        return self.json["environment"]["sampling"]["names"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("project")
    (made / "build").mkdir()
    return made


@pytest.fixture(scope="module")
def trace(scene_file: SceneFile) -> Path:
    return scene_file(Options(sampling="minified"))[0]


@pytest.fixture(scope="module")
def plain(folder: Path, trace: Path) -> Made:
    (folder / "echolot.yml").write_text(CONFIG)
    return Made(folder, trace)


@pytest.fixture(scope="module")
def mapped(folder: Path, trace: Path, plain: Made) -> Made:
    (folder / "echolot.yml").write_text(MAPPED)
    (folder / "build/mapping.txt").write_text(MAPPING)
    return Made(folder, trace)


def test_sampled_methods_have_their_names_back(plain: Made, mapped: Made) -> None:
    assert plain.names == {"methods": 4, "minified": 3}
    assert mapped.names == {"methods": 4, "minified": 1, "renamed": 3}
    assert "3 of 4 sampled app methods have minified names; name the build's R8 mapping" in plain.text
    assert "1 of 4 sampled app methods have minified names, and the R8 mapping does not have" in mapped.text
    assert "Retraced: 3 method names" in mapped.text
    assert sampled(plain) == {"com.example.app.sync.Crunch.run"}
    assert sampled(mapped) == {"com.example.app.sync.Grinder.grind"}


def sampled(made: Made) -> set[str]:
    """The app's methods in the stacks of rows."""
    return {
        entry["frame"]
        for row in made.rows("uninstrumented_cpu")
        for entry in row.get("stacks", {}).get("ours", [])
        if "stack" not in entry
    }


def test_frames_of_lock_waits_are_told_as_the_source_has_them(plain: Made, mapped: Made) -> None:
    (before,) = [row for row in plain.rows("monitor_contention") if "Cache" in row["detail"]]
    (after,) = [row for row in mapped.rows("monitor_contention") if "Cache" in row["detail"]]
    assert "at void com.example.app.Cache.refresh()(Cache.kt:88) waiters=0" in before["detail"]
    assert (
        "at void com.example.app.Disk.sync()(Unknown Source:300), inlined into "
        "void com.example.app.Cache.refresh()(Cache.kt:188) waiters=0 "
        "blocking from java.lang.Object com.example.app.Cache.read()(Cache.kt:141)" in after["detail"]
    )
    assert after["places"] == [
        {
            "role": role,
            "symbol": f"com.example.app.{symbol}",
            "file": None,
            "line": None,
            "exact": False,
            "retraced": True,
        }
        for role, symbol in (("owner", "Disk.sync"), ("blocked", "Cache.read"))
    ]
    told = ("detail", "places")
    assert {key: before[key] for key in before if key not in told} == {
        key: after[key] for key in after if key not in told
    }
    assert mapped.json["retrace"] == {"frames": 2, "outside": 0, "map_id": "7cb1a3e"}
    assert mapped.json["config"]["mapping"] == {"path": "build/mapping.txt", "found": True}
    assert "retrace" not in plain.json
    assert "Retraced: 2 frames of lock waits (7cb1a3e)" in mapped.text


def test_rows_are_the_same_rows_with_and_without(plain: Made, mapped: Made) -> None:
    for before, after in zip(plain.json["detectors"], mapped.json["detectors"], strict=True):
        columns = before["identity"]
        assert [[row.get(one) for one in columns] for row in before["rows"]] == [
            [row.get(one) for one in columns] for row in after["rows"]
        ]


def test_the_mapping_is_read_once_and_its_content_decides_what_is_measured(
    folder: Path, trace: Path, mapped: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(jobs: list[Any], **_more: object) -> list[Any]:
        assert not jobs
        return []

    monkeypatch.setattr("echolot_tui.measure.measure_set.run_jobs", refuse)
    (kept,) = (folder / ".echolot/cache/mappings").iterdir()
    made = kept.stat().st_mtime_ns
    assert Made(folder, trace).json["detectors"] == mapped.json["detectors"]
    assert kept.stat().st_mtime_ns == made
    (folder / "build/mapping.txt").write_text(MAPPING.replace("onStart", "onStop"))
    with pytest.raises(AssertionError):
        Made(folder, trace)
    (folder / "build/mapping.txt").write_text(MAPPING)


def test_a_mapping_that_is_not_there_is_a_warning(
    folder: Path, trace: Path, plain: Made, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "echolot.yml").write_text(MAPPED.replace("mapping.txt", "none.txt"))
    found = Made(folder, trace)
    assert found.json["config"]["mapping"] == {"path": "build/none.txt", "found": False}
    assert "retrace" not in found.json
    assert found.names == plain.names
    assert "build/none.txt is not there; minified names stay as they are" in capsys.readouterr().err
    assert "The R8 mapping build/none.txt is not there" in found.text


@pytest.mark.parametrize(
    ("config", "content", "sentence"),
    [
        (
            MAPPED.replace("package: com.example.app, ", ""),
            MAPPING,
            "line 2, project.mapping: project.mapping needs project.package; name the application id",
        ),
        (MAPPED, MAPPING + "oops\n", "mapping.txt:15: “oops” stands where a class line like original.Name"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_measured(
    tmp_path: Path, trace: Path, config: str, content: str, sentence: str
) -> None:
    (tmp_path / "build").mkdir()
    (tmp_path / "echolot.yml").write_text(config)
    (tmp_path / "build/mapping.txt").write_text(content)
    with pytest.raises(EcholotError) as caught:
        Made(tmp_path, trace)
    assert sentence in caught.value.sentence


def test_packets_of_the_latest_mappings_are_kept(tmp_path: Path) -> None:
    (tmp_path / "echolot.yml").write_text(MAPPED)
    (tmp_path / "build").mkdir()
    project = open_project(Flags(config=str(tmp_path / "echolot.yml")))
    told = []
    for build in range(6):
        (tmp_path / "build/mapping.txt").write_text(MAPPING.replace("onStart", f"on{build}"))
        told.append(with_names(project, EngineChoice()).names)
        os.utime(str(told[-1]), ns=(build, build))
    assert len(set(told)) == 6
    assert {path for path in told if path is not None and path.is_file()} == set(told[2:])


def test_a_profile_of_traces_has_the_names_too(folder: Path, trace: Path, mapped: Made) -> None:
    (folder / "echolot.yml").write_text(MAPPED)
    project = open_project(Flags(config=str(folder / "echolot.yml")))
    selection = Selection(process="com.example.app")
    choice = with_names(project, EngineChoice())
    (recording,) = read_side(str(trace), "a", selection, selection, choice, jobs=1).recordings
    names = {frame.name for frame in recording.frames}
    assert "com.example.app.MainActivity.onStart" in names
    assert "a1.b.c" not in names
