"""The base of every public model."""

from __future__ import annotations

import msgspec

Cell = str | int | float | None
"""One value of a query's answer."""


class Frozen(msgspec.Struct, frozen=True, omit_defaults=True):
    """Immutable; keys that hold their default are left out of JSON. Subclasses are ``kw_only=True``."""
