"""Every failure of a collect says what to do about it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import echolot_tui

ROOT = Path(echolot_tui.__file__).parent
MODULES = sorted(
    [
        *(ROOT / "collect").glob("*.py"),
        ROOT / "headless/collecting.py",
        ROOT / "headless/collect_process.py",
        ROOT / "headless/verbs/collect.py",
        ROOT / "headless/verbs/watch.py",
    ]
)
COMPLETED_LATER = "adb_wire.py"
"""It speaks of bytes; ``adb.py`` says which device it was and what helps."""


def failures(path: Path) -> Iterator[tuple[int, set[str | None]]]:
    """Line and keywords of each failure that is worded here; one that passes a whole sentence on is not."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        told = node.args[0]
        worded = isinstance(told, ast.JoinedStr | ast.IfExp | ast.BinOp) or (
            isinstance(told, ast.Constant) and bool(told.value)
        )
        if name.endswith("Error") and name not in {"OSError", "ValueError", "TimeoutError"} and worded:
            yield node.lineno, {keyword.arg for keyword in node.keywords}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_every_failure_has_an_advice(path: Path) -> None:
    silent = [line for line, said in failures(path) if "todo" not in said]
    assert path.name == COMPLETED_LATER or silent == []


def test_failures_are_found() -> None:
    assert sum(1 for path in MODULES for _ in failures(path)) > 50
