"""Which screen to open and with what: a verb's way of handing over to the app."""

from __future__ import annotations

from typing import Literal

from echolot_tui.compare.view import ViewOptions
from echolot_tui.frozen import Frozen


class Opening(Frozen, frozen=True, kw_only=True):
    """What the app shows first."""

    screen: Literal["home", "comparison", "report", "detectors", "watch", "profile"] = "home"
    sides: tuple[str, ...] = ()
    """Of a comparison, or of two profiles."""
    names: tuple[str, ...] = ()
    view: ViewOptions = ViewOptions()
    report: str = ""
    """File or folder."""
    folder: str | None = None
    """Where an export goes."""
    hunt: int | None = None
    """Whose rounds Home shows first."""
    watched: str = ""
    """Folder that another tool fills."""
    flags: tuple[str, ...] = ()
    """Flags of ``compare``, ``profile`` or ``watch`` to repeat when it is run for the screen."""
    first_flags: tuple[str, ...] = ()
    """Flags of its first run only, such as the hunt whose rounds are compared."""
    config_flags: tuple[str, ...] = ()
    """Flags that name config and scenario, for every other verb that is run."""
    root_flags: tuple[str, ...] = ()
    """Flags in front of the verb."""
