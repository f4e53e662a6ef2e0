"""How this project compares."""

from __future__ import annotations

from echolot_tui.compare.inputs import CompareOptions
from echolot_tui.headless.setup import Project
from echolot_tui.project.model import CompareBlock, Instrumentation
from echolot_tui.stats.labels import ALPHA


def options_of(project: Project, *, generated_at: str, level: float = ALPHA) -> CompareOptions:
    """The config's floor, pinned rows and marker prefix; its defaults without a config."""
    config = project.loaded.config if project.loaded else None
    block = config.compare if config else CompareBlock()
    return CompareOptions(
        floor_ms=block.floor_ms,
        floor_pct=block.floor_pct,
        pinned=block.pinned,
        temp_prefix=(config.instrumentation if config else Instrumentation()).temp_prefix,
        level=level,
        generated_at=generated_at,
    )
