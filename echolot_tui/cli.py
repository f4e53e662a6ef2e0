"""The entry point: the command line, and the full-screen app where a verb or a bare call asks for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from echolot_tui.present.opening import Opening


class _Screens:
    """The app, imported only when somebody asks for it."""

    def refusal(self) -> str | None:
        """Why it cannot run on this terminal."""
        from echolot_tui.tui.terminal import detect  # noqa: PLC0415 - not for a printed view

        return detect().refusal

    def terminal(self) -> str:
        """What this terminal can do and what follows from it, in one line."""
        from echolot_tui.tui.terminal import detect, policy  # noqa: PLC0415 - not for a printed view

        return policy(detect())

    def open(self, opening: Opening) -> int:
        """Run it."""
        from echolot_tui.tui.start import start  # noqa: PLC0415 - not for a printed view
        from echolot_tui.tui.terminal import detect  # noqa: PLC0415

        return start(opening, detect())


def main() -> None:
    """Run the command line."""
    from echolot_tui.headless.main import run  # noqa: PLC0415 - cheap to import, heavy to run

    run(screens=_Screens())
