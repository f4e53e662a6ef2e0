"""Where a collect leaves its files inside a project."""

from __future__ import annotations

from pathlib import Path

from echolot_tui.frozen import Frozen
from echolot_tui.project.files import sweep
from echolot_tui.project.layout import STATE, Layout


class CollectFiles(Frozen, frozen=True, kw_only=True):
    """The files of one project's collects."""

    layout: Layout

    @property
    def logs(self) -> Path:
        """One log a collect, and the progress of the last."""
        return self.layout.root / STATE / "log"

    @property
    def progress(self) -> Path:
        """``collect.json``: how far the collect in flight is, or how the last one ended."""
        return self.logs / "collect.json"

    @property
    def request(self) -> Path:
        """What somebody asks of the collect in flight."""
        return self.logs / "collect-request.json"

    @property
    def sets(self) -> Path:
        """The recorder's own memory."""
        return self.logs / "sets"

    @property
    def lock(self) -> Path:
        """Held by the collect in flight."""
        return self.layout.lock("collect")

    def log(self, collect: str) -> Path:
        """Everything the recording process said."""
        return self.logs / f"collect-{collect}.log"

    def sweep(self, *, before: float) -> None:
        """Remove what killed processes left half-written; for whoever holds the lock.

        Args:
            before: Where others write too, only what was last touched before this moment goes.
        """
        for left in (*self.sets.glob(".*.tmp"), *self.logs.glob(f".{self.progress.name}.*.tmp")):
            left.unlink(missing_ok=True)
        for folder in (self.logs, *self.layout.report_folders()):
            sweep(folder, before=before)
