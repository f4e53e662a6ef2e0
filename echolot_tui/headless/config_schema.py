"""What the JSON Schema of ``echolot.yml`` says beyond the types: the shipped detectors, and the free keys."""

from __future__ import annotations

from typing import Any, Final

from echolot_tui.measure.catalogue import load_catalogue
from echolot_tui.measure.detector_file import DetectorFile

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
    for block in (blocks["Config"], blocks["ScenarioBlock"]):
        block["properties"]["detectors"] = _section()
    for kind in blocks["Config"]["properties"]["scenarios"]["anyOf"]:
        if "additionalProperties" in kind:
            kind["patternProperties"] = _FREE


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
