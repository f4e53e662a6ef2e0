"""From what was found wrong to a check: nothing wrong is a pass."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from echolot_tui.selfcheck.model import Check

_TODO: Final = (
    "install echolot into a new environment, with the versions of its constraints.txt; if it stays, "
    "report it with what echolot doctor --json prints"
)
_SHOWN: Final = 3


def check(name: str, wrong: Sequence[str], right: str) -> Check:
    """A check of the self-check group: failed with the first things wrong, else passed.

    Args:
        name: Its id.
        wrong: What differs from what is known, each in words.
        right: What to say when nothing does.
    """
    if not wrong:
        return Check(id=name, group="self-check", state="ok", text=right)
    more = f" · and {len(wrong) - _SHOWN} more" if len(wrong) > _SHOWN else ""
    return Check(
        id=name, group="self-check", state="failed", text=" · ".join(wrong[:_SHOWN]) + more, todo=_TODO
    )


def differences(expected: dict[str, object], read: dict[str, object]) -> list[str]:
    """What was read otherwise than expected, in words."""
    return [
        f"{name} is {read.get(name)} instead of {value}"
        for name, value in expected.items()
        if read.get(name) != value
    ]
