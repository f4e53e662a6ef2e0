"""Expressions and keys the docs name: they run, on files the program wrote, and mean what is said."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import jmespath
import pytest

from action_runner import ACTION
from echolot_tui.headless.verbs.schema import schema_of

ROOT = Path(__file__).parents[2]
KEPT = ROOT / "tests" / "kept"
CI = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
JSON = (ROOT / "docs" / "json.md").read_text(encoding="utf-8")
_CELL = re.compile(r"`` ?(?P<long>.+?) ?``|`(?P<short>[^`]+)`")


def section(text: str, heading: str) -> str:
    return text.partition(f"## {heading}\n")[2].partition("\n## ")[0]


def column(text: str, number: int) -> list[str]:
    """The code in one column of the tables of a text, Markdown's escapes undone."""
    rows = [line for line in text.splitlines() if line.startswith("| ") and "`" in line]
    cells = [re.split(r"(?<!\\)\|", row)[number].strip() for row in rows]
    found = [match for cell in cells for match in _CELL.finditer(cell)]
    return [(match["long"] or match["short"]).replace("\\|", "|") for match in found]


COMPARISON: Any = json.loads((KEPT / "comparison" / "2" / "comparison.json").read_text())
REPORT: Any = json.loads((KEPT / "report" / "1" / "report.json").read_text())
FILTERS = [cell for cell in column(section(CI, "There is no gate"), 2) if cell != "FILTER"]


def with_rows(**changes: Any) -> Any:
    return COMPARISON | {"rows": [row | changes for row in COMPARISON["rows"]]}


@pytest.mark.parametrize("expression", FILTERS)
def test_a_gate_finds_what_it_says_and_nothing_in_an_unchanged_build(expression: str) -> None:
    still = with_rows(verdict="no change", change="steady")
    still["window"] = still["window"] | {"verdict": "no change"}
    assert jmespath.search(expression, still) == []
    untested = with_rows(verdict=None, impact=None)
    untested["window"] = untested["window"] | {"verdict": None}
    assert jmespath.search(expression, untested) == []
    loud = with_rows(verdict="new" if "'new'" in expression else "slower", impact=0.2)
    loud["window"] = loud["window"] | {"verdict": "slower"}
    assert jmespath.search(expression, loud)


def test_the_impact_of_a_gate_is_a_bar() -> None:
    (expression,) = [one for one in FILTERS if "impact" in one]
    assert jmespath.search(expression, with_rows(verdict="slower", impact=0.04)) == []


def recipe() -> str:
    """The shell lines of the documented step, without the installation the tests already have."""
    block = section(CI, "There is no gate").partition("run: |\n")[2].partition("```")[0]
    lines = [line.strip() for line in block.splitlines() if line.strip()]
    assert lines[0] == "pip install jmespath==1.1.0"
    return "\n".join(lines[1:])


@pytest.mark.parametrize(("verdict", "code"), [("slower", 1), ("can't tell", 0)])
def test_the_step_fails_exactly_when_rows_are_found(verdict: str, code: int, tmp_path: Path) -> None:
    if shutil.which("jp.py", path=str(Path(sys.executable).parent)) is None:
        pytest.fail("jmespath is installed without its jp.py")
    path = tmp_path / "comparison.json"
    path.write_text(json.dumps(with_rows(verdict=verdict)))
    done = subprocess.run(
        ["bash", "-e", "-c", recipe()],
        env=os.environ
        | {
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "COMPARISON": str(path),
            "FILTER": FILTERS[0],
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stderr
    assert bool(done.stdout.strip()) is bool(code)


def test_the_documented_expressions_answer() -> None:
    expressions = column(section(JSON, "Taking it apart"), 2)
    assert len(expressions) >= 6
    for expression in expressions:
        document = REPORT if expression.startswith(("detectors", "window.main")) else COMPARISON
        found = jmespath.search(expression, document)
        assert found is not None, expression
        if not expression.startswith(("rows", "warnings")):
            assert found, expression


@pytest.mark.parametrize(("heading", "name"), [("report.json", "report"), ("comparison.json", "comparison")])
def test_every_documented_key_is_in_the_schema(heading: str, name: str) -> None:
    schema = schema_of(name)
    keys = column(section(JSON, heading), 1)
    assert len(keys) >= 12
    for key in keys:
        assert leads_somewhere(key, schema), key


def leads_somewhere(path: str, schema: dict[str, Any]) -> bool:
    """Whether a path such as ``rows[].shift.low_ms`` exists."""
    at: list[Any] = [schema]
    for part in path.replace("[]", ".[]").split("."):
        at = [found for one in at for found in inside(resolved(one, schema), part)]
    return bool(at)


def resolved(one: Any, schema: dict[str, Any]) -> list[Any]:
    if "$ref" in one:
        return resolved(schema["$defs"][one["$ref"].rpartition("/")[2]], schema)
    return [part for choice in one.get("anyOf", ()) for part in resolved(choice, schema)] or [one]


def inside(choices: list[Any], part: str) -> list[Any]:
    if part == "[]":
        return [one["items"] for one in choices if "items" in one]
    return [one["properties"][part] for one in choices if part in one.get("properties", {})]


def test_inputs_and_outputs_of_the_action_are_all_described() -> None:
    described = column(section(CI, "What it does"), 1)
    assert described == [*ACTION["inputs"], *ACTION["outputs"]]
