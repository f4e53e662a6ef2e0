"""Textual's driver still has the private names the mouse switch uses."""

from __future__ import annotations

import inspect

from textual.drivers.linux_driver import LinuxDriver


def test_the_driver_switches_the_mouse_by_these_names() -> None:
    assert "self._mouse" in inspect.getsource(LinuxDriver._enable_mouse_support)
    assert "self._mouse" in inspect.getsource(LinuxDriver._disable_mouse_support)
