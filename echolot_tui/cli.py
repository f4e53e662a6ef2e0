"""The entry point: decides between the screens and the printed view."""

from __future__ import annotations


def main() -> None:
    """Run the command line."""
    from echolot_tui.headless.main import run  # noqa: PLC0415 - only the chosen half is imported

    run()
