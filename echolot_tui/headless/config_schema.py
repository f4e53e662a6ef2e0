"""What the JSON Schema of ``echolot.yml`` says beyond types: what keys mean, detectors, the free keys."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from itertools import pairwise
from types import ModuleType
from typing import Any, Final

import msgspec

from echolot_tui.measure.catalogue import load_catalogue
from echolot_tui.measure.detector_file import DetectorFile
from echolot_tui.project import model

_FREE: Final[dict[str, Any]] = {"^_": {}}
"""Keys that begin with an underscore are the writer's own, wherever they stand."""
_SWITCHES: Final[tuple[dict[str, Any], ...]] = ({"const": False}, {"type": "null"})
"""What a detector may be besides its parameters: off, or as shipped."""


def describe_settings(schema: dict[str, Any]) -> None:
    """Add to a config's schema what an editor can offer and check in ``detectors``.

    Each shipped detector is named with its question, parameters, their kinds and shipped values; a
    project's own detectors pass as mappings of anything.

    Args:
        schema: As msgspec makes it of ``project.model.Config``; changed in place.
    """
    blocks = schema["$defs"]
    for name, texts in _docstrings(model).items():
        for field in msgspec.structs.fields(getattr(model, name)):
            if field.name in texts:
                blocks[name]["properties"][field.encode_name]["description"] = texts[field.name]
    for block in (blocks["Config"], blocks["ScenarioBlock"]):
        block["properties"]["detectors"] = _section()
    for kind in blocks["Config"]["properties"]["scenarios"]["anyOf"]:
        if "additionalProperties" in kind:
            kind["patternProperties"] = _FREE


def _docstrings(module: ModuleType) -> dict[str, dict[str, str]]:
    """Of each class its fields' docstrings: the texts that follow them."""
    classes = [node for node in ast.parse(inspect.getsource(module)).body if isinstance(node, ast.ClassDef)]
    return {each.name: dict(_described(each.body)) for each in classes}


def _described(body: list[ast.stmt]) -> Iterator[tuple[str, str]]:
    for field, follower in pairwise(body):
        match field, follower:
            case (
                ast.AnnAssign(target=ast.Name(id=name)),
                ast.Expr(value=ast.Constant(value=str(text))),
            ):
                yield name, " ".join(text.split())


def _section() -> dict[str, Any]:
    values = {"type": ["number", "string"]}
    anything = {"type": "object", "additionalProperties": values, "patternProperties": _FREE}
    section = {
        "type": "object",
        "properties": {detector.id: _detector(detector) for detector in load_catalogue().detectors},
        "patternProperties": _FREE,
        "additionalProperties": {"anyOf": [*_SWITCHES, anything]},
    }
    return {
        "description": "Detector to false (off), nothing (as shipped) or its parameters.",
        "anyOf": [section, {"type": "null"}],
    }


def _detector(detector: DetectorFile) -> dict[str, Any]:
    parameters = {
        "type": "object",
        "properties": {
            param.name: {
                "type": "string" if isinstance(param.default, str) else "number",
                "default": param.default,
            }
            for param in detector.params
        },
        "patternProperties": _FREE,
        "additionalProperties": False,
    }
    return {
        "title": detector.title,
        "description": detector.why,
        "anyOf": [*_SWITCHES, parameters],
    }
