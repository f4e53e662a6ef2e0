"""Fixtures of the investigation tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from echolot_tui.investigate.store import Store
from unit.investigate.project import Clock, store_in


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(tmp_path: Path, clock: Clock) -> Iterator[Store]:
    with store_in(tmp_path, clock) as opened:
        yield opened
