"""Fixtures every test may use: generated traces with their planted facts, and the real recordings."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from echolot_tui.engine.model import EngineChoice, TraceSession
from echolot_tui.engine.open import open_trace
from echolot_tui.generate.scene import Scene, cold_start
from echolot_tui.generate.world import Options

SHARED = Path(__file__).resolve().parents[2] / "shared" / "traces"


@pytest.fixture(scope="session")
def cold_start_scene() -> Scene:
    """The cold start with everything in it: ``.trace`` bytes, ``.planted`` facts."""
    return cold_start()


@pytest.fixture(scope="session")
def scene_file(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Options], tuple[Path, Scene]]:
    """Write a variant once a session: its path and its scene."""
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
def cold_start_trace(scene_file: Callable[[Options], tuple[Path, Scene]]) -> Path:
    """Path of the cold start's trace."""
    return scene_file(Options())[0]


@pytest.fixture(scope="session")
def cold_start_session(cold_start_trace: Path) -> Iterator[TraceSession]:
    """The cold start, loaded in the embedded engine; do not create tables in it."""
    session = open_trace(cold_start_trace, EngineChoice())
    yield session
    session.close()


@pytest.fixture(scope="session")
def shared_traces() -> Path:
    """Folder of the real recordings; skips where they are absent."""
    folder = Path(os.environ.get("ECHOLOT_TRACES", SHARED))
    if not folder.is_dir():
        pytest.skip(f"no real recordings beside the checkout ({folder.name}); name them with ECHOLOT_TRACES")
    return folder
