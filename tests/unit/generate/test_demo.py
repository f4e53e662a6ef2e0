from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from echolot_tui.engine.model import EngineChoice
from echolot_tui.engine.open import open_trace
from echolot_tui.errors import EcholotError
from echolot_tui.generate import demo_app
from echolot_tui.generate.demo import (
    CHANGED_ROWS,
    HELD_AFTER_MS,
    HELD_BEFORE_MS,
    SCENARIO,
    DemoProject,
    demo_trace,
    write_demo,
)
from echolot_tui.text import without_ids

NAMED_LINES = {
    "feed/FeedStore.kt": (64, "items.toList()"),
    "sync/SyncEngine.kt": (118, "store.write(it)"),
    "ui/FeedHeader.kt": (31, "fun FeedHeader()"),
}


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> DemoProject:
    return write_demo(tmp_path_factory.mktemp("demo") / "project")


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_the_projects_files(demo: DemoProject):
    rounds = [
        f"{side}/{SCENARIO}_iter00{run}.perfetto-trace" for side in ("after", "before") for run in range(5)
    ]
    sources = [f"app/src/main/kotlin/com/example/app/{path}" for path in NAMED_LINES]
    assert list(contents(demo.root)) == sorted([*rounds, *sources, "echolot.yml"])
    assert [str(path.relative_to(demo.root)) for path in (*demo.after_traces, *demo.before_traces)] == rounds
    config = yaml.safe_load(demo.config.read_text(encoding="utf-8"))
    assert config["project"]["package"] == "com.example.app"
    assert config["scenario"]["name"] == SCENARIO
    assert all(config["scenario"][end]["_evidence"] for end in ("start", "end"))


@pytest.mark.parametrize("path", NAMED_LINES)
def test_the_sources_have_what_the_traces_name_at_its_line(demo: DemoProject, path: str):
    line, text = NAMED_LINES[path]
    source = (demo.root / "app/src/main/kotlin/com/example/app" / path).read_text(encoding="utf-8")
    assert text in source.splitlines()[line - 1]
    assert f"{path.rpartition('/')[2]}:{line})" in f"{demo_app.HELD_OUTER} (FeedHeader.kt:31)"


def test_again_in_the_same_folder_changes_nothing(demo: DemoProject):
    first = contents(demo.root)
    assert write_demo(demo.root) == demo
    assert contents(demo.root) == first


def test_what_else_lies_in_a_demo_folder_stays(tmp_path: Path):
    write_demo(tmp_path / "d", runs=3)
    (tmp_path / "d" / ".echolot").mkdir()
    (tmp_path / "d" / ".echolot" / "kept").write_text("x", encoding="utf-8")
    demo = write_demo(tmp_path / "d", runs=2)
    assert (tmp_path / "d" / ".echolot" / "kept").exists()
    assert sorted(demo.before.iterdir()) == list(demo.before_traces)


@pytest.mark.parametrize("name", ["echolot.yml", "notes.txt"])
def test_a_folder_of_something_else_is_refused_untouched(tmp_path: Path, name: str):
    (tmp_path / name).write_text("project: {package: mine}\n", encoding="utf-8")
    before = contents(tmp_path)
    with pytest.raises(EcholotError, match="holds no demo"):
        write_demo(tmp_path)
    assert contents(tmp_path) == before


def test_a_file_in_its_place_is_refused(tmp_path: Path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(EcholotError, match="cannot be read"):
        write_demo(tmp_path / "file")


def test_an_empty_folder_will_do(tmp_path: Path):
    assert write_demo(tmp_path, runs=1).config.exists()


def test_other_luck_other_bytes():
    assert demo_trace("before", 0) == demo_trace("before", 0)
    assert demo_trace("before", 0, seed=1) != demo_trace("before", 0, seed=2)
    assert demo_trace("before", 0) != demo_trace("after", 0)


def sums(path: Path) -> dict[str, float]:
    """Milliseconds by name of the app's slices and of its threads' running, and of the window."""
    session = open_trace(path, EngineChoice())
    slices = session.query("""
        SELECT t.name || '/' || s.name AS name, SUM(s.dur) / 1e6 AS ms
        FROM slice s JOIN thread_track tt ON s.track_id = tt.id JOIN thread t USING (utid)
        JOIN process p USING (upid) WHERE p.name = 'com.example.app' GROUP BY 1
        UNION ALL
        SELECT 'running/' || t.name, SUM(s.dur) / 1e6 FROM thread_state s JOIN thread t USING (utid)
        JOIN process p USING (upid) WHERE p.name = 'com.example.app' AND s.state = 'Running' GROUP BY 1""")
    window = session.query(f"""
        SELECT MAX(IIF(name GLOB '{demo_app.END_GLOB}', ts + dur, 0))
          - MAX(IIF(name GLOB '{demo_app.START_GLOB}', ts, 0)) FROM slice""").scalar()
    session.close()
    assert isinstance(window, int)
    return {"window": window / 1e6} | dict(slices.tuples())  # type: ignore[arg-type]


def middle(values: list[float]) -> float:
    return sorted(values)[len(values) // 2]


def test_only_the_lock_moves(demo: DemoProject):
    before = [sums(path) for path in demo.before_traces]
    after = [sums(path) for path in demo.after_traces]
    lock = f"com.example.app/{demo_app.HELD}"
    assert ("main_thread_block", without_ids(demo_app.HELD)) in CHANGED_ROWS
    held = [run[lock] for run in before], [run[lock] for run in after]
    assert max(held[0]) < min(held[1])
    assert middle(held[0]) == pytest.approx(HELD_BEFORE_MS, rel=0.06)
    assert middle(held[1]) == pytest.approx(HELD_AFTER_MS, rel=0.06)
    holders = {lock, f"com.example.app/{demo_app.HELD_OUTER}"}
    outer = {"activityStart", "activityResume", "FeedRepository.refresh", "FeedStore.open"}
    outer |= {"performCreate:com.example.app.MainActivity"}
    for name in before[0].keys() - holders - {f"com.example.app/{one}" for one in outer}:
        assert middle([run[name] for run in after]) == pytest.approx(
            middle([run[name] for run in before]), rel=0.07
        )
    assert all(900 < run["window"] < 1_200 for run in (*before, *after))


def test_runs_differ_as_runs_do(demo: DemoProject):
    windows = [sums(path)["window"] for path in demo.before_traces]
    assert len(set(windows)) == 5
    assert 1.02 < max(windows) / min(windows) < 1.2
