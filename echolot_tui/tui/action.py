"""What an action is, and which screens there are."""

from __future__ import annotations

from typing import Final, Literal

from echolot_tui.frozen import Frozen

Where = Literal[
    "home",
    "setup",
    "collect",
    "comparison",
    "spread",
    "report",
    "detectors",
    "calibration",
    "history",
    "profile",
    "doctor",
]

TITLES: Final[dict[Where, str]] = {
    "home": "Home",
    "setup": "First config",
    "collect": "Collect",
    "comparison": "Comparison",
    "spread": "Spread of one row",
    "report": "Report",
    "detectors": "Detectors",
    "calibration": "Calibration",
    "history": "History",
    "profile": "Profile diff",
    "doctor": "Doctor",
}
EVERYWHERE: Final = tuple(TITLES)


class Action(Frozen, frozen=True, kw_only=True):
    """One thing a person can do."""

    id: str
    keys: tuple[str, ...]
    """As Textual names them; the first is the one that is shown."""
    words: str
    """For the footer: a word or two."""
    help: str
    """A sentence without its full stop."""
    where: tuple[Where, ...]
    footer: bool = True


class On:
    """Some screens; called, it makes an action that works on them."""

    def __init__(self, *where: Where) -> None:
        self._where = where

    def __call__(
        self, action_id: str, keys: str, words: str, sentence: str, *, footer: bool = True
    ) -> Action:
        """An action; its keys are separated by spaces."""
        return Action(
            id=action_id,
            keys=tuple(keys.split()),
            words=words,
            help=sentence,
            where=self._where,
            footer=footer,
        )
