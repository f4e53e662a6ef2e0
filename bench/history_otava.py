"""Apache Otava with its defaults, in an environment of its own, on series this benchmark made."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

PACKAGE = "apache-otava"

RUNNER = """
import json, sys
from otava.analysis import compute_change_points
from otava.series import AnalysisOptions

options = AnalysisOptions()
found = []
for values in json.load(sys.stdin):
    points, _ = compute_change_points(
        values,
        window_len=options.window_len,
        max_pvalue=options.max_pvalue,
        min_magnitude=options.min_magnitude,
    )
    found.append([int(point.index) for point in points])
json.dump(found, sys.stdout)
"""


class Otava:
    """The other tool; ``version`` is ``None`` when it could not be installed."""

    def __init__(self, folder: Path) -> None:
        self.python = folder / "otava" / "bin" / "python"
        self.version: str | None = None
        self.reason = ""
        subprocess.run([sys.executable, "-m", "venv", str(folder / "otava")], check=True)
        install = [self.python, "-m", "pip", "install", "--quiet", PACKAGE]
        done = subprocess.run(install, capture_output=True, text=True, check=False)
        if done.returncode:
            self.reason = (done.stderr.strip().splitlines() or ["pip failed"])[-1]
            return
        shown = f"from importlib.metadata import version; print(version({PACKAGE!r}))"
        self.version = subprocess.run(
            [self.python, "-c", shown], capture_output=True, text=True, check=True
        ).stdout.strip()

    @property
    def name(self) -> str:
        """With its version."""
        return f"Otava {self.version}" if self.version else "Otava (not installed)"

    def change_points(self, series: Sequence[NDArray[np.float64]]) -> list[list[int]] | None:
        """Where each series changes; ``None`` without the tool."""
        if self.version is None:
            return None
        text = json.dumps([values.tolist() for values in series])
        run = [self.python, "-W", "ignore", "-c", RUNNER]
        done = subprocess.run(run, input=text, capture_output=True, text=True, check=True)
        found: list[list[int]] = json.loads(done.stdout)
        return found

    def share(self, series: Sequence[NDArray[np.float64]]) -> str:
        """Share of the series with any change point."""
        found = self.change_points(series)
        return "–" if found is None else percent(sum(map(bool, found)), len(found))


def percent(part: float, whole: int) -> str:
    return f"{100 * part / whole:.1f}"
