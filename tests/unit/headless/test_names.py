"""``echolot names``: what is asked of the trace, and how it is printed. The engine is stood in for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from echolot_tui.headless.main import run
from echolot_tui.measure.inventory import NameFamily, NamesInventory, NamesSection
from echolot_tui.measure.model import ProcessFacts

LONG = "decode " + "x" * 400
FOUND = NamesInventory(
    trace="one.pftrace",
    process=ProcessFacts(name="com.app", upid=4, pid=40, slices=30, chosen_by="most slices"),
    sections=(
        NamesSection(
            title="The app's own",
            families=(NameFamily(name=LONG, names=1, count=2, total_ms=9.0, max_ms=5.0, threads=("main",)),),
        ),
    ),
    missed=(),
    families_total=1,
)


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What the worker was told, in a place with a config of its own masks."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    (tmp_path / "echolot.yml").write_text(
        "project: {process: com.config}\nscenario: {name: s}\n"
        "detectors: {gc_pressure: {name_glob: 'my GC*'}}\n"
    )
    told: list[Any] = []

    def ask(trace: Path, _question: object, wanted: dict[str, Any], _choice: object) -> NamesInventory:
        told.append((trace, wanted))
        return FOUND

    monkeypatch.setattr("echolot_tui.headless.one_trace.ask", ask)
    return told


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    with pytest.raises(SystemExit) as left:
        run(["names", *arguments])
    out, err = capsys.readouterr()
    assert left.value.code == 0, err
    return out


def test_config_and_flags_reach_the_trace(asked: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    printed(capsys, "one.pftrace")
    trace, wanted = asked[0]
    assert trace == Path("one.pftrace")
    assert (wanted["mask"], wanted["grep"], wanted["min_ms"], wanted["top"]) == ("com.config", None, 1.0, 15)
    globs = {(mask.detector, mask.param): mask.glob for mask in wanted["masks"]}
    assert globs["gc_pressure", "name_glob"] == "my GC*"
    printed(capsys, "one.pftrace", "--process", "pid:7", "--grep", "de.*", "--min-ms", "0", "--top", "3")
    wanted = asked[1][1]
    assert (wanted["mask"], wanted["grep"], wanted["min_ms"], wanted["top"]) == ("pid:7", "de.*", 0.0, 3)


def test_a_table_keeps_to_the_terminal_and_wide_cuts_nothing(
    asked: list[Any], capsys: pytest.CaptureFixture[str]
) -> None:
    narrow = printed(capsys, "one.pftrace")
    assert max(map(len, narrow.splitlines())) <= 80
    assert LONG not in narrow
    assert LONG in printed(capsys, "one.pftrace", "--wide")


def test_json_is_the_inventory(asked: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(printed(capsys, "one.pftrace", "--json"))
    assert found["families_total"] == 1
    assert found["sections"][0]["families"][0]["name"] == LONG
