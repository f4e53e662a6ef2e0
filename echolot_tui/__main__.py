"""Run as ``python -m echolot_tui``."""

from echolot_tui.cli import main

main()
