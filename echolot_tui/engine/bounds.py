"""The address space a worker may use."""

from __future__ import annotations

import contextlib
import resource
from pathlib import Path
from typing import Final

from echolot_tui.engine.locate import Build
from echolot_tui.engine.module_cache import RESERVED_BYTES

_SLACK: Final = 1 << 30
"""Thread stacks and the allocator's arenas: address space that is reserved, not used."""


class AddressSpace:
    """Limits this process to what it uses now and ``memory_mb`` more. Linux only; elsewhere nothing happens.

    The embedded engine's own memory has its own limit; this one is for what Python makes of its answers,
    and for a native engine, which inherits it.
    """

    def __init__(self) -> None:
        self._used = _used_bytes()

    def limit(self, memory_mb: int, build: Build | None) -> None:
        """Set the limit, on top of what an engine of ``build`` (none: the native one) reserves."""
        if self._used is None:
            return
        wanted = self._used + _SLACK + (memory_mb << 20) + (RESERVED_BYTES[build] if build else 0)
        _, most = resource.getrlimit(resource.RLIMIT_AS)
        if most != resource.RLIM_INFINITY:
            wanted = min(wanted, most)
        resource.setrlimit(resource.RLIMIT_AS, (wanted, most))


def _used_bytes() -> int | None:
    with contextlib.suppress(OSError):
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[0]
        return int(pages) * resource.getpagesize()
    return None
