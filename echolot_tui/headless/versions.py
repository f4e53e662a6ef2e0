"""Versions of everything that shapes a number."""

from __future__ import annotations

import platform
from importlib import metadata


def version_line(own: str) -> str:
    """``echolot … · trace_processor … · perfetto … · python …`` in one line."""
    from echolot_tui.engine.locate import EMBEDDED_VERSION  # noqa: PLC0415 - only needed to print it

    parts = (
        f"echolot {own}",
        f"trace_processor {EMBEDDED_VERSION}",
        f"perfetto {metadata.version('perfetto')}",
        f"python {platform.python_version()}",
    )
    return " · ".join(parts)
