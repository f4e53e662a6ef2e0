"""The demo: a small project with two rounds of a cold start, between which one thing changed."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Literal

from echolot_tui.errors import EcholotError
from echolot_tui.frozen import Frozen
from echolot_tui.generate import demo_app
from echolot_tui.generate.demo_app import DemoStart
from echolot_tui.generate.demo_sources import demo_sources
from echolot_tui.generate.world import PACKAGE, Options
from echolot_tui.project.files import write_atomic
from echolot_tui.text import without_ids

SCENARIO = "cold-start"
CONFIG = "echolot.yml"
SEED = 20
RUNS = 5

HELD_FACTOR = 1.5
"""After the change the lock is held this much longer; nothing else differs."""
CHANGED_ROWS = (
    ("main_thread_block", without_ids(demo_app.HELD)),
    ("monitor_contention", PACKAGE),
)
"""Detector and location of every row the change moves; all others only stray."""
HELD_BEFORE_MS = sum(demo_app.HELD_MS)
HELD_AFTER_MS = HELD_BEFORE_MS * HELD_FACTOR

RUN_SPREAD = 0.035
"""How far the fastest and the slowest run of a round lie from the middle one."""
ROW_SPREAD = 0.03
"""Standard deviation of the logarithm of each piece of work's own factor in a run."""

_MARK = "# An echolot demo: generated traces of an app that does not exist."
_CONFIG_TEXT = f"""{_MARK}
# before/ and after/ hold cold starts each; between them one thing changed. Try:
#   echolot compare before after
project:
  package: {PACKAGE}

scenario:
  name: {SCENARIO}
  start:
    name: "{demo_app.START_GLOB}"
    _evidence: once in every trace, the first slice of the app's main thread after its fork
  end:
    name: "{demo_app.END_GLOB}"
    _evidence: the app says itself when its first screen is complete

instrumentation:
  temp_prefix: AGENTTMP_
"""

_AFTER_RUN = 50
"""Number of the second round's first run: other luck, and recorded that many minutes later."""


class DemoProject(Frozen, frozen=True, kw_only=True):
    """The project on disk."""

    root: Path
    config: Path
    before: Path
    """Folder of the first round."""
    after: Path
    before_traces: tuple[Path, ...]
    """In run order."""
    after_traces: tuple[Path, ...]


def write_demo(root: Path, *, runs: int = RUNS, seed: int = SEED) -> DemoProject:
    """Write the demo; the same arguments write the same bytes, also over an earlier demo.

    Args:
        root: A folder that does not exist, is empty, or holds an earlier demo.
        runs: Cold starts a round.
        seed: Luck of the runs. With the shipped one the change is found, and nothing else.

    Raises:
        EcholotError: The folder holds something else, or cannot be written.
    """
    _refuse_foreign(root)
    config = root / CONFIG
    write_atomic(config, _CONFIG_TEXT.encode())
    for path, text in demo_sources().items():
        write_atomic(root / path, text.encode())
    before, after = root / "before", root / "after"
    return DemoProject(
        root=root,
        config=config,
        before=before,
        after=after,
        before_traces=_write_round(before, runs, seed, "before"),
        after_traces=_write_round(after, runs, seed, "after"),
    )


def demo_trace(side: Literal["before", "after"], run: int, *, runs: int = RUNS, seed: int = SEED) -> bytes:
    """One run of a round.

    Args:
        side: The round.
        run: Which run of it, from 0.
        runs: How many the round has.
        seed: Luck of the runs.
    """
    options = Options(
        run=run if side == "before" else _AFTER_RUN + run,
        run_factor=_paces(side, runs, seed)[run],
        spread=ROW_SPREAD,
        seed=str(seed),
    )
    return DemoStart(options, held=1.0 if side == "before" else HELD_FACTOR).record()


def _paces(side: str, runs: int, seed: int) -> list[float]:
    """Factors of whole runs: evenly spread and the same on both sides, each side in an order of its own."""
    middle = (runs - 1) / 2
    paces = [1.0 + RUN_SPREAD * (number - middle) / max(middle, 1.0) for number in range(runs)]
    random.Random(f"{seed}/{side}").shuffle(paces)  # noqa: S311 -- reproducible, not a secret
    return paces


def _refuse_foreign(root: Path) -> None:
    try:
        if not root.exists() or not any(root.iterdir()):
            return
        with (root / CONFIG).open(encoding="utf-8", errors="replace") as config:
            if config.readline().rstrip("\n") == _MARK:
                return
    except FileNotFoundError:
        pass
    except OSError as error:
        raise EcholotError(
            f"cannot be read ({error.strerror or error})", where=str(root), todo="name another folder"
        ) from error
    raise EcholotError(
        "the folder is not empty and holds no demo",
        where=str(root),
        todo="name a new folder, or one that `echolot demo` wrote",
    )


def _write_round(folder: Path, runs: int, seed: int, side: Literal["before", "after"]) -> tuple[Path, ...]:
    paths = tuple(folder / f"{SCENARIO}_iter{run:03d}.perfetto-trace" for run in range(runs))
    for run, path in enumerate(paths):
        write_atomic(path, demo_trace(side, run, runs=runs, seed=seed))
    for stale in sorted(set(folder.glob(f"{SCENARIO}_iter*.perfetto-trace")) - set(paths)):
        stale.unlink()
    return paths
