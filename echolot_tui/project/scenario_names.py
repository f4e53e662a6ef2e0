"""What a scenario may be called."""

from __future__ import annotations

import re

from echolot_tui.errors import ConfigError
from echolot_tui.text import visible

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")


def check(name: str, where: str) -> None:
    """Refuse a name that could not be a file's.

    Raises:
        ConfigError: It does not begin with a letter or digit, or holds more than those and ``_ . -``.
    """
    if not _NAME.fullmatch(name):
        raise ConfigError(
            f'"{visible(name, 40)}" cannot name files',
            where=where,
            todo="begin with a letter or digit, then letters, digits, _ . -",
        )
