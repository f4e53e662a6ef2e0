"""The folder of newest traces, named whole, is one scenario's set."""

from __future__ import annotations

from pathlib import Path

import pytest

from echolot_tui.errors import EcholotError
from echolot_tui.headless.newest_set import of_one_scenario
from echolot_tui.headless.setup import Flags, Project, open_project
from echolot_tui.measure.inputs import resolve_traces

FILES = ("cold_iter000.pftrace", "coldStart_iter000.pftrace", "coldStart_iter001.pftrace", "mine.pftrace")


@pytest.fixture
def traces(tmp_path: Path) -> Path:
    folder = tmp_path / ".echolot" / "traces"
    folder.mkdir(parents=True)
    for name in FILES:
        (folder / name).write_bytes(b"x")
    return folder


def project(root: Path, config: str, scenario: str | None) -> Project:
    (root / "echolot.yml").write_text(config)
    return open_project(Flags(config=str(root / "echolot.yml"), scenario=scenario))


def taken(folder: Path, given: tuple[str, ...], scenario: str, config: str) -> list[str]:
    opened = project(folder.parents[1], config, scenario)
    return [path.name for path in of_one_scenario(resolve_traces(given), given, opened).paths]


SEVERAL = "scenarios: {cold: {}, coldStart: {}, warm: {}}\n"


@pytest.mark.parametrize(
    ("scenario", "names"),
    [("cold", [FILES[0], FILES[3]]), ("coldStart", list(FILES[1:])), ("warm", [FILES[3]])],
)
def test_files_of_other_scenarios_are_left_out_and_said(
    traces: Path, capsys: pytest.CaptureFixture[str], scenario: str, names: list[str]
) -> None:
    assert taken(traces, (str(traces),), scenario, SEVERAL) == names
    left = len(FILES) - len(names)
    assert f"[i] {left} trace" in capsys.readouterr().err


def test_a_scenario_without_a_trace_there_is_refused(traces: Path) -> None:
    (traces / "mine.pftrace").unlink()
    with pytest.raises(
        EcholotError, match=r"holds no trace of scenario warm; echolot collect --scenario warm"
    ):
        taken(traces, (str(traces),), "warm", SEVERAL)


def test_files_that_were_named_are_meant(traces: Path) -> None:
    assert len(taken(traces, (str(traces / "cold*"),), "cold", SEVERAL)) == 3


def test_one_scenario_takes_the_folder_whole(traces: Path) -> None:
    assert len(taken(traces, (str(traces),), "cold", "scenario: {name: cold}\n")) == 4
