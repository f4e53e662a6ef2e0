"""Files of every schema version since the first release stay readable, and keep their meaning."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest
import yaml

from echolot_tui.calibrate.model import Calibration
from echolot_tui.compare.codec import decode_comparison, encode_comparison
from echolot_tui.compare.compare import compare_sides
from echolot_tui.compare.inputs import CompareOptions, SideInput
from echolot_tui.headless.verbs.schema import NAMES, schema_of
from echolot_tui.history.codec import encode_history
from echolot_tui.history.model import HistoryReport
from echolot_tui.profiles.model import ProfileDiff
from echolot_tui.project.load import load_config
from echolot_tui.report.codec import decode_report, decode_rows, encode_report

KEPT = Path(__file__).parents[1] / "kept"
FOLDERS = sorted(path for path in KEPT.glob("*/*"))
NOT_FILES = {"hunt", "probe", "names", "status", "doctor", "anr", "domains", "mark", "scan"}
"""Printed by a verb, never a file that somebody keeps."""


def folder_id(folder: Path) -> str:
    return f"{folder.parent.name}-{folder.name}"


def content(folder: Path) -> Any:
    (path,) = [path for path in folder.iterdir() if path.name != "schema.json"]
    text = path.read_text(encoding="utf-8")
    return yaml.safe_load(text) if path.suffix == ".yml" else json.loads(text)


def test_every_schema_has_its_version_kept() -> None:
    """A new version number needs ``python tests/kept_files.py``."""
    now = {(name, schema_of(name)["$id"].rpartition(":")[2]) for name in NAMES} - {
        (name, "1") for name in NOT_FILES
    }
    assert now <= {(folder.parent.name, folder.name) for folder in FOLDERS}


@pytest.mark.parametrize("folder", FOLDERS, ids=folder_id)
def test_a_kept_file_fits_its_schema_and_today_s(folder: Path) -> None:
    kept = json.loads((folder / "schema.json").read_text(encoding="utf-8"))
    for schema in (kept, schema_of(folder.parent.name)):
        jsonschema.Draft202012Validator(schema).validate(content(folder))


@pytest.mark.parametrize("folder", FOLDERS, ids=folder_id)
def test_today_s_schema_takes_nothing_away(folder: Path) -> None:
    """Of the same version: every key stays, nothing becomes required, no value becomes unknown."""
    kept = json.loads((folder / "schema.json").read_text(encoding="utf-8"))
    now = schema_of(folder.parent.name)
    if now["$id"] != kept["$id"]:
        pytest.skip("an earlier version: its files are read, its schema is history")
    assert list(narrowed(kept["$defs"], now["$defs"])) == []


def narrowed(kept: dict[str, Any], now: dict[str, Any]) -> Iterator[str]:
    for name, old in kept.items():
        if "properties" not in old:
            continue
        new = now.get(name)
        if new is None:
            yield f"{name} is gone"
            continue
        yield from (f"{name}.{key} is gone" for key in set(old["properties"]) - set(new["properties"]))
        yield from (
            f"{name}.{key} is required now"
            for key in set(new.get("required", ())) - set(old.get("required", ()))
        )
        for key, value in old["properties"].items():
            today = new["properties"].get(key, {})
            lost = kinds(value) - kinds(today)
            if any(is_open(now, one) for one in kinds(today)):
                lost -= {"a object"}  # what was free has got names, and may still lack them all
            if lost and key in new["properties"]:
                yield f"{name}.{key} does not take {sorted(lost)} any more"


def is_open(models: dict[str, Any], kind: str) -> bool:
    """Whether it is a model that asks for no key and refuses none."""
    model = models.get(kind.removeprefix("#/$defs/"), {"required": [kind]})
    return not model.get("required") and model.get("additionalProperties", True) is not False


def kinds(schema: dict[str, Any]) -> set[str]:
    """Everything one value may be: its types, its words, its models."""
    if not schema.keys() - {"default", "description"}:
        return {"anything"}
    found = {str(one) for one in schema.get("enum", ())}
    found |= {str(schema["const"])} if "const" in schema else set()
    found |= {schema["$ref"]} if "$ref" in schema else set()
    kind = schema.get("type")
    found |= {f"a {kind}"} if isinstance(kind, str) and not schema.get("enum") else set()
    for one in schema.get("anyOf", ()):
        found |= kinds(one)
    return found


def test_the_comparison_of_schemas_sees_a_narrower_one() -> None:
    kept = {
        "A": {"properties": {"x": {"anyOf": [{"type": "string"}, {"type": "null"}]}, "y": {"enum": [1, 2]}}}
    }
    assert list(narrowed(kept, kept)) == []
    assert list(narrowed(kept, {})) == ["A is gone"]
    free = {"A": {"properties": {"x": {"type": "object"}}}}
    named = {"A": {"properties": {"x": {"$ref": "#/$defs/B"}}}, "B": {"properties": {}}}
    assert list(narrowed(free, named)) == []
    named["B"]["required"] = ["y"]
    assert list(narrowed(free, named)) == ["A.x does not take ['a object'] any more"]
    fewer = {"A": {"properties": {"x": {"type": "string"}}, "required": ["x"]}}
    assert sorted(narrowed(kept, fewer)) == [
        "A.x does not take ['a null'] any more",
        "A.x is required now",
        "A.y is gone",
    ]


READERS: dict[str, Callable[[bytes], bytes]] = {
    "calibration": lambda raw: msgspec.json.encode(msgspec.json.decode(raw, type=Calibration)),
    "comparison": lambda raw: encode_comparison(decode_comparison(raw, where="kept")),
    "history": lambda raw: encode_history(msgspec.json.decode(raw, type=HistoryReport)),
    "profile": lambda raw: msgspec.json.encode(msgspec.json.decode(raw, type=ProfileDiff)),
    "report": lambda raw: encode_report(decode_report(raw, where="kept")),
}


@pytest.mark.parametrize(
    "folder", [folder for folder in FOLDERS if folder.parent.name in READERS], ids=folder_id
)
def test_a_kept_file_is_read_without_loss(folder: Path) -> None:
    name = folder.parent.name
    raw = (folder / f"{name}.json").read_bytes()
    assert missing(json.loads(raw), json.loads(READERS[name](raw)), name) == []


def missing(old: Any, new: Any, at: str) -> list[str]:
    """What of ``old`` is not in ``new``; further keys are fine."""
    if isinstance(old, dict) and isinstance(new, dict):
        gone = [f"{at}.{key}" for key in old if key not in new]
        return gone + [one for key in old if key in new for one in missing(old[key], new[key], f"{at}.{key}")]
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        return [
            one
            for number, pair in enumerate(zip(old, new, strict=True))
            for one in missing(*pair, f"{at}[{number}]")
        ]
    return [] if old == new else [f"{at}: {old!r} became {new!r}"]


@pytest.mark.parametrize("folder", sorted(KEPT.glob("report/*")), ids=folder_id)
def test_a_kept_report_is_compared_with_itself(folder: Path) -> None:
    raw = (folder / "report.json").read_bytes()
    rows = KEPT / "rows" / folder.name / "rows.json"
    side = SideInput(
        name="",
        path="kept",
        report=decode_report(raw, where="kept"),
        all_rows=decode_rows(rows.read_bytes(), where="kept", report=raw),
    )
    comparison = compare_sides([side, side], CompareOptions())
    assert comparison.comparable
    assert len(comparison.rows) >= 20
    assert {row.change for row in comparison.rows} == {"steady"}
    assert comparison.window.before_ms is not None


def test_a_kept_config_loads(tmp_path: Path) -> None:
    for folder in sorted(KEPT.glob("config/*")):
        path = tmp_path / "echolot.yml"
        path.write_bytes((folder / "echolot.yml").read_bytes())
        loaded = load_config(path)
        assert loaded.warnings == ()
        assert loaded.config.project.package == "com.example.app"


def test_kept_files_name_no_place_of_whoever_made_them() -> None:
    for path in KEPT.rglob("*.*"):
        if path.is_file():
            assert re.search(r"\"/(?!/)[a-z]+/", path.read_text(encoding="utf-8")) is None, path
