"""The gates of one evaluation, in the order they were met: what each demanded, what it saw, what it said."""

from __future__ import annotations

from typing import Literal

from echolot_tui.frozen import Frozen, always

Stage = Literal["step", "drift", "model", "chance", "family", "base", "branch"]
GateVerdict = Literal["passed", "declined", "skipped", "not run"]


class Gate(Frozen, frozen=True, kw_only=True):
    """One gate."""

    stage: Stage
    gate: str
    demand: float | None = always(None)
    """What it asked for; a text where no number says it."""
    computed: float | None = always(None)
    verdict: GateVerdict
    note: str = ""


class Ladder:
    """Collects gates; the first that declines ends its stage."""

    def __init__(self) -> None:
        self.gates: list[Gate] = []

    def check(
        self,
        stage: Stage,
        gate: str,
        *,
        passed: bool,
        demand: float | None = None,
        computed: float | None = None,
        note: str = "",
    ) -> bool:
        """Record a gate and return whether it let the candidate through."""
        self.gates.append(
            Gate(
                stage=stage,
                gate=gate,
                demand=_unsigned_zero(demand),
                computed=_unsigned_zero(computed),
                verdict="passed" if passed else "declined",
                note=note,
            )
        )
        return passed

    def skip(self, stage: Stage, gate: str, note: str) -> None:
        """Record a gate that has nothing to look at."""
        self.gates.append(Gate(stage=stage, gate=gate, verdict="skipped", note=note))

    def rest(self, stage: Stage, order: tuple[str, ...]) -> None:
        """Record the gates of ``order`` that were not met as not run."""
        met = {gate.gate for gate in self.gates if gate.stage == stage}
        self.gates += [Gate(stage=stage, gate=name, verdict="not run") for name in order if name not in met]


def _unsigned_zero(value: float | None) -> float | None:
    return None if value is None else value + 0.0
