"""JSON Schema of the files this program writes."""

from __future__ import annotations

from typing import Any

import msgspec

_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def json_schema(model: type[msgspec.Struct], title: str) -> bytes:
    """The schema of one model's JSON as text: UTF-8, indented by 2.

    Args:
        model: The root struct.
        title: What the file is, in a few words.
    """
    schema: dict[str, Any] = {"$schema": _DIALECT, "title": title, **msgspec.json.schema(model)}
    return msgspec.json.format(msgspec.json.encode(schema), indent=2)
