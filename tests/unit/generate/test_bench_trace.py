from __future__ import annotations

from pathlib import Path

import pytest

from echolot_tui.engine.model import EngineChoice
from echolot_tui.engine.open import open_trace
from echolot_tui.generate.bench_trace import SLICES, WORKERS, write_bench_trace


def facts(path: Path) -> dict[str, object]:
    session = open_trace(path, EngineChoice())
    wanted = {
        "slices": "SELECT COUNT(*) FROM slice s JOIN thread_track t ON s.track_id = t.id "
        "JOIN thread USING (utid) WHERE is_main_thread",
        "open": "SELECT COUNT(*) FROM slice WHERE dur < 0",
        "deepest": "SELECT MAX(depth) FROM slice",
        "roots": "SELECT COUNT(*) FROM slice WHERE depth = 0",
        "states": "SELECT COUNT(*) FROM thread_state",
        "threads": "SELECT COUNT(DISTINCT utid) FROM thread_state",
        "span": "SELECT (MAX(ts + dur) - MIN(ts)) / 1000000000 FROM slice",
        "wrong": "SELECT COUNT(*) FROM stats WHERE value != 0 AND severity IN ('error', 'data_loss')",
    }
    found = {name: session.query(sql).scalar() for name, sql in wanted.items()}
    session.close()
    return found


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bench") / "small.perfetto-trace"
    write_bench_trace(path, slices=2_000, seconds=2)
    return path


def test_slices_nest_over_the_whole_length(small: Path):
    found = facts(small)
    assert found["slices"] == 2_000
    assert found["roots"] == 50
    assert found["deepest"] == 6
    assert found["open"] == 0
    assert found["threads"] == WORKERS + 1
    assert found["span"] == 1
    assert found["wrong"] == 0


def test_scheduling_does_not_depend_on_the_slices(small: Path, tmp_path: Path):
    more = tmp_path / "more.perfetto-trace"
    write_bench_trace(more, slices=4_000, seconds=2)
    assert facts(more)["slices"] == 4_000
    assert facts(more)["states"] == facts(small)["states"]


def test_same_bytes_twice(small: Path, tmp_path: Path):
    write_bench_trace(tmp_path / "again", slices=2_000, seconds=2)
    assert (tmp_path / "again").read_bytes() == small.read_bytes()


@pytest.mark.slow
def test_the_full_size(tmp_path: Path):
    path = tmp_path / "full.perfetto-trace"
    write_bench_trace(path)
    assert 50e6 < path.stat().st_size < 52e6
    assert facts(path)["slices"] == SLICES == 600_000
