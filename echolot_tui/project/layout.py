"""Where a project keeps its files, and how a verb finds the project."""

from __future__ import annotations

from pathlib import Path

from echolot_tui.frozen import Frozen
from echolot_tui.project.files import is_there
from echolot_tui.project.load import CONFIG_NAME
from echolot_tui.project.scenario import Scenario

STATE = ".echolot"


class Layout(Frozen, frozen=True, kw_only=True):
    """The folders of one project."""

    root: Path

    @property
    def cache(self) -> Path:
        """Cached measurements."""
        return self.root / STATE / "cache"

    @property
    def traces(self) -> Path:
        """The newest set of traces."""
        return self.root / STATE / "traces"

    @property
    def database(self) -> Path:
        """The record of hunts, rounds and calibrations."""
        return self.root / STATE / "echolot.db"

    @property
    def history(self) -> Path:
        """Series of reports over commits."""
        return self.root / STATE / "history.db"

    @property
    def hunts(self) -> Path:
        """One folder a hunt."""
        return self.root / STATE / "hunts"

    def round(self, hunt: int | None, k: int) -> Path:
        """A round's traces, report and comparison; sets outside any hunt lie in a drawer of their own."""
        drawer = self.root / STATE / "loose" if hunt is None else self.hunts / str(hunt)
        return drawer / f"round-{k}"

    def report_folders(self) -> tuple[Path, ...]:
        """Every folder there is in which a report may lie: of each round, and the latest of each scenario."""
        state, out = self.root / STATE, self.root / STATE / "out"
        return tuple(sorted([*state.glob("*/round-*"), *state.glob("hunts/*/round-*"), out, *out.glob("*/")]))

    def lock(self, name: str) -> Path:
        """A file that a process holds locked for as long as it does what the name says."""
        return self.root / STATE / "locks" / f"{name}.lock"

    def relative(self, path: Path) -> str:
        """How a path is written down: from the root when it lies inside, so that a project can move."""
        whole = (Path.cwd() / path).resolve()
        root = self.root.resolve()
        return str(whole.relative_to(root) if whole.is_relative_to(root) else whole)

    def out(self, scenario: Scenario | None) -> Path:
        """Where the latest report lies; one folder a scenario when the config names several."""
        base = self.root / STATE / "out"
        return base / scenario.name if scenario is not None and scenario.several else base


def find_config(start: Path) -> Path | None:
    """``echolot.yml`` in ``start`` or the nearest folder above, not beyond the checkout's root.

    A folder of that name, or a link that leads nowhere, is found as well: loading it says what is wrong.
    """
    for folder in (start, *start.parents):
        candidate = folder / CONFIG_NAME
        if is_there(candidate):
            return candidate
        if (folder / ".git").exists():
            return None
    return None
