"""``echolot schema NAME``: the JSON Schema of a file, for editors and for programs that read our JSON."""

from __future__ import annotations

import json
from typing import Any

import click
import msgspec

from echolot_tui.headless import output

NAMES = ("config", "report", "rows", "comparison")


def schema_of(name: str) -> dict[str, Any]:
    """The JSON Schema of one of ``NAMES``."""
    kind: Any
    if name == "config":
        from echolot_tui.project.model import Config as kind  # noqa: PLC0415 - one model a call
    elif name == "report":
        from echolot_tui.report.model import Report as kind  # noqa: PLC0415
    elif name == "rows":
        from echolot_tui.report.model import AllRows as kind  # noqa: PLC0415
    else:
        from echolot_tui.compare.model import Comparison as kind  # noqa: PLC0415
    schema = msgspec.json.schema(kind)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": f"echolot {name}", **schema}


@click.command("schema")
@click.argument("name", type=click.Choice(NAMES))
def command(name: str) -> None:
    """Print the JSON Schema of a file echolot reads or writes."""
    output.write(json.dumps(schema_of(name), indent=2, ensure_ascii=False))
