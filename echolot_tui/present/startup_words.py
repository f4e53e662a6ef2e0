"""What an app start was held up by, in words: the engine writes states of the thread as letters."""

from __future__ import annotations

from typing import Final

_STATES: Final = {
    "Running": "on a CPU, in no section",
    "S": "sleeping, in no section",
    "R": "waiting for a CPU",
    "R+": "waiting for a CPU, preempted",
    "D": "in the kernel",
    "DK": "in the kernel",
    "I": "idle",
    "irq": "interrupts",
    "io": "waiting for storage",
}


def held_up_by(reason: str) -> str:
    """A reason of the model; the platform's sections keep their names."""
    return _STATES.get(reason, reason)
