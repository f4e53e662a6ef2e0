"""The report's bytes depend on its values alone, not on where they were made."""

from __future__ import annotations

import typing
from typing import Any

import msgspec
import pytest

from echolot_tui.report.model import AllRows, Report


def structs(kind: Any, found: set[type[msgspec.Struct]]) -> set[type[msgspec.Struct]]:
    """Every struct a type is made of."""
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct) and kind not in found:
        found.add(kind)
        for field in msgspec.structs.fields(kind):
            structs(field.type, found)
    for inner in typing.get_args(kind):
        structs(inner, found)
    return found


@pytest.mark.parametrize("model", [Report, AllRows])
def test_no_key_is_left_out_by_identity(model: type[msgspec.Struct]) -> None:
    found = structs(model, set())
    assert len(found) > 3
    for struct in found:
        for field in msgspec.structs.fields(struct):
            by_value = field.default in (
                None,
                msgspec.NODEFAULT,
                msgspec.UNSET,
                "",
                (),
                0,
                1,
            ) and not isinstance(field.default, float)
            assert by_value, f"{struct.__name__}.{field.name} = {field.default!r}: write always(...)"
