"""What a report says of the checkout: places of rows, temporary markers that do not match."""

from __future__ import annotations

from echolot_tui.frozen import Frozen, always


class Place(Frozen, frozen=True, kw_only=True):
    """Where in the checkout a name of a row is."""

    role: str
    """``owner`` and ``blocked`` of a contention, ``class``, ``composable``, or ``sampled``."""
    symbol: str = always("")
    """Qualified, as the trace names it; as the sources do when it was retraced."""
    file: str | None = always(None)
    """Relative to the config's folder; null when the checkout does not have it."""
    line: int | None = always(None)
    exact: bool = always(value=False)
    """Name and package say this file. Otherwise only its name does, or it has fewer lines than that."""
    retraced: bool = False


class UnbuiltMarkers(Frozen, frozen=True, kw_only=True):
    """Temporary markers of the sources, none of which is in any trace."""

    names: tuple[str, ...] = always(())
    files: tuple[str, ...] = always(())
    """Relative to the config's folder."""
    mode: str | None = always(None)
    """How the config records: ``runner.mode``."""
    install: tuple[str, ...] = always(())
    """Gradle tasks that install the measured variant, where the build scripts say it."""


class RemovedMarkers(Frozen, frozen=True, kw_only=True):
    """Temporary markers of the traces that the sources do not have any more."""

    names: tuple[str, ...] = always(())
    mode: str | None = always(None)
    install: tuple[str, ...] = always(())
