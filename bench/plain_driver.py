"""Textual's own driver under another name, so that the app takes it: what painting costs without ours."""

from __future__ import annotations

from textual.drivers.linux_driver import LinuxDriver


class PlainDriver(LinuxDriver):
    """Writes all that Textual paints."""
