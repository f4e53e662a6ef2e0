"""How runs of one build differ: a factor for the whole run, and one for each piece of work in it."""

from __future__ import annotations

import math
import random


class Pace:
    """Stretches durations the way one run of a device does; the same arguments give the same durations.

    A run is slow or fast as a whole (thermal state, clock), and each piece of work strays on its own,
    log-normally, by the same factor wherever it occurs in the run.
    """

    def __init__(self, *, run_factor: float = 1.0, spread: float = 0.0, seed: str = "") -> None:
        """Describe one run.

        Args:
            run_factor: What the whole run is multiplied with.
            spread: Standard deviation of the logarithm of a piece's own factor; 0 keeps durations exact.
            seed: Names the run; other seeds give other pieces of luck.
        """
        self.run_factor = run_factor
        self.spread = spread
        self._seed = seed

    def ns(self, work: str, ms: float) -> int:
        """``ms`` milliseconds of ``work`` in this run, as nanoseconds, at least 1."""
        return max(1, round(ms * 1_000_000 * self.run_factor * self._own_factor(work)))

    def _own_factor(self, work: str) -> float:
        if not self.spread:
            return 1.0
        luck = random.Random(f"{self._seed}/{work}")  # noqa: S311 -- reproducible noise, not a secret
        return math.exp(luck.gauss(0.0, self.spread))
