"""``comparison.json``: written the same way every time, read back, and its JSON Schema."""

from __future__ import annotations

from typing import Any

import msgspec

from echolot_tui.compare.model import SCHEMA, Comparison
from echolot_tui.errors import EcholotError
from echolot_tui.report.codec import encode_json


class NotAComparisonError(EcholotError):
    """A file that was read as a comparison is none."""


def encode_comparison(comparison: Comparison) -> bytes:
    """``comparison.json``: UTF-8, indented by 2, keys in the model's order, no line end at its end."""
    return msgspec.json.format(encode_json(comparison), indent=2)


def decode_comparison(raw: bytes, *, where: str) -> Comparison:
    """Read a ``comparison.json`` written by this program.

    Args:
        raw: The file's bytes.
        where: The file, for messages.

    Raises:
        NotAComparisonError: Not JSON, another kind of file, or of another schema.
    """
    todo = "compare again"
    try:
        comparison = msgspec.json.decode(raw, type=Comparison)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise NotAComparisonError(
            f"is no comparison of this program: {error}", where=where, todo=todo
        ) from error
    if comparison.schema != SCHEMA:
        raise NotAComparisonError(
            f"has schema {comparison.schema}, this program reads {SCHEMA}", where=where, todo=todo
        )
    return comparison


def comparison_schema() -> dict[str, Any]:
    """The JSON Schema of ``comparison.json``."""
    return msgspec.json.schema(Comparison)
