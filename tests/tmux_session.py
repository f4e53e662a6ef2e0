"""A program in a tmux window of its own: keys go in, the screen a person would read comes out."""

from __future__ import annotations

import os
import re
import subprocess
import time
from pathlib import Path


class Tmux:
    """A tmux server of its own with one window."""

    def __init__(self, folder: Path, socket: Path) -> None:
        self.socket = socket
        dropped = ("TMUX", "SSH", "STY", "CI", "NO_COLOR", "TEXTUAL", "ECHOLOT_", "COLUMNS", "LINES")
        env = {key: value for key, value in os.environ.items() if not key.startswith(dropped)}
        self.env = env | {"LC_ALL": "C.UTF-8", "TERM": "xterm-256color"}
        self.folder = folder
        self.pressed = 0

    def run(self, *command: str) -> str:
        """Talk to the server."""
        done = subprocess.run(
            ["tmux", "-S", str(self.socket), "-f", "/dev/null", *command],
            env=self.env,
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout

    def start(self, *command: str, size: tuple[int, int] = (120, 40)) -> None:
        """Open the window with a command in it."""
        self.run("new-session", "-d", "-x", str(size[0]), "-y", str(size[1]), *command)

    @property
    def screen(self) -> str:
        """What a person would read."""
        return self.run("capture-pane", "-p")

    def press(self, *keys: str) -> None:
        """Press keys one by one, waiting for the screen to come to rest after each."""
        for key in keys:
            self.run("send-keys", key)
            self.pressed += 1
            self.settle()

    def settle(self) -> None:
        """Wait until the screen stays as it is."""
        before = ""
        for _ in range(100):
            time.sleep(0.15)
            if (now := self.screen) == before:
                return
            before = now
        raise AssertionError("the screen does not come to rest")

    def wait_for(self, pattern: str, seconds: float = 60) -> None:
        """Wait for a text."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if re.search(pattern, self.screen):
                return
            time.sleep(0.1)
        raise AssertionError(f"{pattern!r} is not on the screen:\n{self.screen}")

    def wait_end(self, seconds: float = 10) -> None:
        """Wait until the program has left, and with it the server."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            listed = subprocess.run(
                ["tmux", "-S", str(self.socket), "list-sessions"], capture_output=True, check=False
            )
            if listed.returncode != 0:
                return
            time.sleep(0.05)
        raise AssertionError(f"it did not leave:\n{self.screen}")
