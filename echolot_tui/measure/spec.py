"""What is asked of a trace, complete and picklable, and the key its answer is stored under."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import Final, Literal

import msgspec

from echolot_tui.frozen import Frozen

_ANSWERING: Final = (
    "engine/deobfuscation.py",
    "project/r8_mapping.py",
    "project/retrace.py",
    "checkout/*.py",
    "measure/*.py",
    "measure/sql/*.sql",
    "text.py",
    "units.py",
)
"""The code that answers a spec: a change in it retires every stored measurement."""

WindowMode = Literal["first", "each"]


class PlannedDetector(Frozen, frozen=True, kw_only=True):
    """One detector as it will be asked: its SQL after substitution and how its rows are read."""

    id: str
    sql: str
    covers_sql: str | None = None
    needs: tuple[str, ...] = ()
    """Sources the trace must have; a missing one makes the detector ``no data``."""
    record: str = ""
    """How to record a missing source, in one sentence."""
    modules: tuple[str, ...] = ()
    """Stdlib modules to include, only when ``needs`` is met."""
    identity: tuple[str, ...] = ("location",)
    rank: str = "total_ms"


class MeasureSpec(Frozen, frozen=True, kw_only=True):
    """Everything that decides a measurement besides the trace and the engine.

    Gate parameters are not here: they are applied to stored rows.
    """

    process: str | None = None
    """GLOB over process names, or ``pid:N``; ``None`` lets the trace decide."""
    start: str | None = None
    """GLOB of the slice the window starts with."""
    end: str | None = None
    """GLOB of the slice whose end closes the window."""
    window: WindowMode = "first"
    package: str | None = None
    """Application id; tells the app's own frames, composables and startup."""
    detectors: tuple[PlannedDetector, ...] = ()
    claimed_globs: tuple[str, ...] = ()
    """Slice names some shipped detector's ``*name_glob*`` parameter claims, also of disabled ones."""
    marker_prefix: str = "AGENTTMP_"
    domain_globs: tuple[str, ...] = ()
    """Slices the markers table always has."""
    names: str | None = None
    """What the engine is told of minified names: a hash of the mapping and the package."""


def spec_key(spec: MeasureSpec, engine: str) -> str:
    """SHA-256 in hex of what was asked and who answers: the engine, and the code around it.

    Args:
        spec: What is asked.
        engine: Identity of the engine: its binary's hash.
    """
    asked = msgspec.json.encode([code_hash(Path(__file__).parents[1]), engine, spec])
    return hashlib.sha256(asked).hexdigest()


@cache
def code_hash(package: Path) -> str:
    """SHA-256 in hex of the code that turns a spec into a measurement.

    Args:
        package: Folder of the package ``echolot_tui``.
    """
    digest = hashlib.sha256()
    for pattern in _ANSWERING:
        for path in sorted(package.glob(pattern)):
            content = path.read_bytes()
            digest.update(f"{path.name} {len(content)} ".encode() + content)
    return digest.hexdigest()
