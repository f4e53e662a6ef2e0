"""Fixtures every test may use: generated traces with their planted facts, and the real recordings.

The generator and the engine are imported where they are used: most tests need neither.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from echolot_tui.engine.model import TraceSession
    from echolot_tui.generate.scene import Scene
    from echolot_tui.generate.world import Options

    SceneFile = Callable[[Options], tuple[Path, Scene]]

SHARED = Path(__file__).resolve().parents[2] / "shared" / "traces"


@pytest.fixture(scope="session")
def scene_file(tmp_path_factory: pytest.TempPathFactory) -> SceneFile:
    """Write a variant of the cold start once a session: ``scene_file(Options(…))`` is its path and scene."""
    from echolot_tui.generate.scene import cold_start

    folder = tmp_path_factory.mktemp("scenes")
    written: dict[Options, tuple[Path, Scene]] = {}

    def write(options: Options) -> tuple[Path, Scene]:
        if options not in written:
            scene = cold_start(options)
            path = folder / f"variant{len(written):03d}.perfetto-trace"
            path.write_bytes(scene.trace)
            written[options] = path, scene
        return written[options]

    return write


@pytest.fixture(scope="session")
def cold_start_scene(scene_file: SceneFile) -> Scene:
    """The cold start with everything in it: ``.trace`` bytes, ``.planted`` facts."""
    from echolot_tui.generate.world import Options

    return scene_file(Options())[1]


@pytest.fixture(scope="session")
def cold_start_trace(scene_file: SceneFile) -> Path:
    """Path of the cold start's trace."""
    from echolot_tui.generate.world import Options

    return scene_file(Options())[0]


@pytest.fixture(scope="session")
def cold_start_session(cold_start_trace: Path) -> Iterator[TraceSession]:
    """The cold start, loaded in the embedded engine. Shared: create no tables in it."""
    from echolot_tui.engine.model import EngineChoice
    from echolot_tui.engine.open import open_trace

    session = open_trace(cold_start_trace, EngineChoice())
    yield session
    session.close()


@pytest.fixture(scope="session")
def shared_traces() -> Path:
    """Folder of the real recordings; skips where they are absent."""
    folder = Path(os.environ.get("ECHOLOT_TRACES", SHARED))
    if not folder.is_dir():
        pytest.skip("no real recordings beside the checkout; ECHOLOT_TRACES names their folder")
    return folder
