"""Textual's driver, writing only what is not on the terminal already."""

from __future__ import annotations

import shutil
from threading import RLock
from typing import TYPE_CHECKING, Any

from textual.drivers.linux_driver import LinuxDriver

from echolot_tui.tui.painted import Painted

if TYPE_CHECKING:
    from textual.app import App


class ThinDriver(LinuxDriver):
    """A row further on the comparison takes half of the bytes, another screen a sixth."""

    def __init__(
        self,
        app: App[Any],
        *,
        debug: bool = False,
        mouse: bool = True,
        size: tuple[int, int] | None = None,
    ) -> None:
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        self._painted = Painted()
        self._one_at_a_time = RLock()
        """The thread that reads keys writes too, and the handler of a signal in the middle of a write."""

    def write(self, data: str) -> None:
        """Write to the terminal what of ``data`` differs from what is there."""
        with self._one_at_a_time:
            super().write(self._painted.difference(data, shutil.get_terminal_size()))

    def forget(self) -> None:
        """What is painted next is written in full: something else may have written on the terminal."""
        with self._one_at_a_time:
            self._painted.forget()
