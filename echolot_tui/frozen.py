"""The base of every public model."""

from __future__ import annotations

from copy import copy
from typing import TypeVar

import msgspec

T = TypeVar("T")

Cell = str | int | float | None
"""One value of a query's answer."""


class Frozen(msgspec.Struct, frozen=True, omit_defaults=True):
    """Immutable; keys that hold their default are left out of JSON. Subclasses are ``kw_only=True``."""


def always(value: T) -> T:
    """The default of a key that is written even when it holds its default: readers count on finding it.

    A default that is a text, a fraction or a struct needs this as well: whether a key holds its default is
    told by identity, so an equal value that went through a file or a worker would be written, and the
    default itself would not.
    """
    default: T = msgspec.field(default_factory=lambda: copy(value))
    return default
