"""``echolot schema NAME``: the JSON Schema of a file, for editors and for programs that read our JSON."""

from __future__ import annotations

import importlib
import json
from typing import Any

import click
import msgspec

from echolot_tui.headless import output

MODELS = {
    "calibration": ("calibrate.model", "Calibration"),
    "config": ("project.model", "Config"),
    "report": ("report.model", "Report"),
    "rows": ("report.model", "AllRows"),
    "comparison": ("compare.model", "Comparison"),
    "hunt": ("investigate.view", "HuntView"),
    "profile": ("profiles.model", "ProfileDiff"),
    "history": ("history.model", "HistoryReport"),
    "probe": ("measure.probe", "Probe"),
    "names": ("measure.inventory", "NamesInventory"),
    "status": ("headless.verbs.status", "Status"),
    "doctor": ("selfcheck.model", "Doctor"),
    "anr": ("dumps.model", "Anr"),
    "domains": ("checkout.domains", "Domains"),
    "mark": ("checkout.mark_targets", "MarkPlan"),
    "scan": ("headless.verbs.scan", "ScanAnswer"),
}
"""Name to module and model: of files, and of what verbs of that name print with ``--json``."""
NAMES = tuple(MODELS)


def schema_of(name: str) -> dict[str, Any]:
    """The JSON Schema of one of ``NAMES``, named with its version."""
    module, model = MODELS[name]
    kind = getattr(importlib.import_module(f"echolot_tui.{module}"), model)
    made = msgspec.json.schema(kind)
    if name == "config":
        from echolot_tui.headless.config_schema import describe_settings  # noqa: PLC0415 - reads the detectors

        describe_settings(made)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:echolot:schema:{name}:{_version(kind)}",
        "title": f"echolot {name}",
        **made,
    }


def _version(kind: type[msgspec.Struct]) -> int:
    """What a file of this kind says in its ``schema``; 1 for one that says nothing."""
    for field in msgspec.structs.fields(kind):
        if field.name == "schema":
            made = field.default if field.default is not msgspec.NODEFAULT else field.default_factory()
            return int(made)
    return 1


@click.command("schema")
@click.argument("name", type=click.Choice(NAMES))
def command(name: str) -> None:
    """Print the JSON Schema of a file echolot reads or writes."""
    output.write(json.dumps(schema_of(name), indent=2, ensure_ascii=False))
