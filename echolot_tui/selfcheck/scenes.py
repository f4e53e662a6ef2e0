"""The self-check's own traces, measured the way every trace is: what was planted beside what was read."""

from __future__ import annotations

from pathlib import Path
from typing import Final, NamedTuple

from echolot_tui.engine.model import EngineChoice
from echolot_tui.errors import EcholotError
from echolot_tui.generate.planted import Planted
from echolot_tui.generate.scene import Scene, cold_start
from echolot_tui.generate.stall import stall
from echolot_tui.generate.world import Options
from echolot_tui.measure.catalogue import load_catalogue
from echolot_tui.measure.measure_set import Progress, measure_set
from echolot_tui.measure.model import Measurement
from echolot_tui.measure.plan import Plan, plan
from echolot_tui.measure.spec import MeasureSpec
from echolot_tui.selfcheck.ports import Say

REPEATS: Final = 3
STALL: Final = "stall"
"""The recording for what a cold start is too short for."""

VARIANTS: Final[dict[str, Options]] = {
    "whole": Options(),
    "bare": Options(frames=False, sched=False, platform=False, compose_names=False),
    "sampled": Options(sampling="arrived"),
    "twice": Options(occurrences=2),
    "lossy": Options(lossy=True, damaged=True),
    **{f"repeat {run}": Options(run=run, spread=0.05, seed="doctor") for run in range(REPEATS)},
}


class Seen(NamedTuple):
    """One recording: what is in it, and what was measured."""

    scene: Scene
    measurement: Measurement

    @property
    def planted(self) -> Planted:
        """What its first occurrence holds."""
        return self.scene.planted


class Scenes(NamedTuple):
    """Every variant by name, and the plan they were measured with: everything as shipped."""

    plan: Plan
    seen: dict[str, Seen]

    @property
    def repeats(self) -> tuple[Seen, ...]:
        """The runs of one set."""
        return tuple(self.seen[f"repeat {run}"] for run in range(REPEATS))


def first_trace(folder: Path) -> Path:
    """Write the trace the engine is tried with."""
    return _write(folder, "whole", cold_start(VARIANTS["whole"]))


def measured_scenes(folder: Path, choice: EngineChoice, *, jobs: int, say: Say) -> Scenes:
    """Write the variants and measure them, nothing kept.

    Raises:
        EcholotError: One of them could not be measured, which a sound machine can.
    """
    shipped = plan(load_catalogue())
    scenes = {name: cold_start(options) for name, options in VARIANTS.items()} | {STALL: stall()}
    paths = [_write(folder, name, scene) for name, scene in scenes.items()]
    whole = scenes["whole"].planted
    spec = MeasureSpec(
        process=whole.process,
        start=whole.start_glob,
        end=whole.end_glob,
        window="each",
        package=whole.package,
        detectors=shipped.detectors,
        claimed_globs=shipped.claimed_globs,
    )
    measured = measure_set(
        paths, spec, choice, jobs=jobs, cache=None, on_event=lambda event: _tell(event, say)
    )
    if measured.unreadable:
        first = measured.unreadable[0]
        raise EcholotError(first.reason, where=Path(first.path).stem)
    pairs = zip(scenes.items(), measured.measurements, strict=True)
    return Scenes(shipped, {name: Seen(scene, measurement) for (name, scene), measurement in pairs})


def _tell(event: Progress, say: Say) -> None:
    if event.kind == "note":
        say(event.text)
    elif event.kind == "measured":
        say(f"checking {event.done}/{event.given} generated traces")


def _write(folder: Path, name: str, scene: Scene) -> Path:
    path = folder / f"{name.replace(' ', '-')}.perfetto-trace"
    path.write_bytes(scene.trace)
    return path
