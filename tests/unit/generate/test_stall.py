from __future__ import annotations

from pathlib import Path

import pytest

from echolot_tui.engine.model import EngineChoice
from echolot_tui.engine.open import open_trace
from echolot_tui.generate.planted import PlantedRow
from echolot_tui.generate.scene import Scene
from echolot_tui.generate.stall import UNNAMED, stall
from echolot_tui.generate.world import APP, MS


@pytest.fixture(scope="module")
def scene() -> Scene:
    return stall()


def test_lengths_are_the_ones_written_in_the_story(scene: Scene):
    assert {row.location: row.total_ms for row in scene.planted.rows["anr_risk"]} == {
        "rebuildIndex": 5201.92,
        "awaitServer": 5102.04,
        UNNAMED: 5100.02,
    }
    assert {row.location: row.total_ms for row in scene.planted.below["anr_risk"]} == {
        "syncAll": 3000.02,
        "syncRest": 2500.02,
        UNNAMED: 4999.02,
    }


def islands(path: Path, gap_ns: int) -> list[float]:
    """Busy stretches by brute force: states but sleep, and slices inside another, joined over gaps."""
    session = open_trace(path, EngineChoice())
    busy = session.query(f"""
        SELECT s.ts AS ts, s.ts + s.dur AS until FROM thread_state s JOIN thread t USING (utid)
        WHERE t.tid = {APP} AND s.state != 'S' AND s.dur > 0
        UNION ALL
        SELECT s.ts, s.ts + s.dur FROM slice s
        JOIN thread_track tt ON s.track_id = tt.id JOIN thread t USING (utid)
        WHERE t.tid = {APP} AND s.depth >= 1
        ORDER BY 1""")
    found: list[list[int]] = []
    for ts, until in busy.tuples():
        assert isinstance(ts, int)
        assert isinstance(until, int)
        if found and ts <= found[-1][1] + gap_ns:
            found[-1][1] = max(found[-1][1], until)
        else:
            found.append([ts, until])
    session.close()
    return [round((until - ts) / MS, 2) for ts, until in found]


def test_stretches_in_the_trace(scene: Scene, tmp_path: Path):
    path = tmp_path / "stall.perfetto-trace"
    path.write_bytes(scene.trace)
    # The recording opens with 50 ms before the window, the last stretch ends outside it.
    first, *middle, _ = islands(path, 2 * MS)
    expected: list[PlantedRow] = [*scene.planted.rows["anr_risk"], *scene.planted.below["anr_risk"]]
    assert sorted([round(first - 50, 2), *middle]) == sorted(row.total_ms for row in expected)
    assert (
        sum(length >= 5_000 for length in islands(path, 3 * MS)) == 4
    )  # the nap of 2.1 ms no longer divides
