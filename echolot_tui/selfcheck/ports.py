"""How the self-check talks to whoever runs it."""

from __future__ import annotations

from collections.abc import Callable

Say = Callable[[str], None]
"""Told, in one line, what is being done."""
