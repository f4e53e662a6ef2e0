"""Values inside SQL text."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

from echolot_tui.measure.detector_file import PLACEHOLDER, Setting

_FILES: Final = Path(__file__).parent / "sql"


class Fragment(str):
    """A piece of SQL of ours, put in as it is."""

    __slots__ = ()


def literal(value: Setting) -> str:
    """``value`` as SQL: a number bare, text quoted with its quotes doubled."""
    if isinstance(value, Fragment):
        return value
    if isinstance(value, str):
        quoted = value.replace("'", "''")
        return f"'{quoted}'"
    return f"({value!r})" if value < 0 else repr(value)


def substitute(sql: str, params: Mapping[str, Setting]) -> str:
    """Put the parameters' values in the place of their ``$name``."""
    return PLACEHOLDER.sub(lambda match: literal(params[match[1]]), sql)


def sql_file(name: str, params: Mapping[str, Setting]) -> str:
    """The statements of ``measure/sql/<name>.sql`` with their parameters put in."""
    return substitute(_read(name), params)


@cache
def _read(name: str) -> str:
    return (_FILES / f"{name}.sql").read_text(encoding="utf-8")
