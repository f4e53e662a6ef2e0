"""Values inside SQL text."""

from __future__ import annotations

from collections.abc import Mapping

from echolot_tui.measure.detector_file import PLACEHOLDER, Setting


def literal(value: Setting) -> str:
    """``value`` as SQL: a number bare, text quoted with its quotes doubled."""
    if isinstance(value, str):
        quoted = value.replace("'", "''")
        return f"'{quoted}'"
    return f"({value!r})" if value < 0 else repr(value)


def substitute(sql: str, params: Mapping[str, Setting]) -> str:
    """Put the parameters' values in the place of their ``$name``."""
    return PLACEHOLDER.sub(lambda match: literal(params[match[1]]), sql)
