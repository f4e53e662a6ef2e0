"""What a set keeps on the disk, and what it says before it does so."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest
from msgspec.structs import replace

from echolot_tui.collect.earlier import belonging
from echolot_tui.collect.keeper import tidy
from echolot_tui.collect.model import RunRecord
from echolot_tui.collect.runner import Recorded
from echolot_tui.errors import EcholotError
from recording import OWNER, Memory, a_keeper, a_set


def test_a_trace_is_announced_before_it_is_written_and_before_it_gets_its_name(tmp_path: Path) -> None:
    memory = Memory(lambda: sorted(path.name for path in tmp_path.rglob("*iter*")))
    keeper = a_keeper(tmp_path, memory=memory)
    keeper.begin(OWNER)
    temporary = keeper.start_run(0)
    assert memory.told[-1][0].runs[0].temporary == str(temporary)
    assert memory.seen[-1] == []
    assert temporary.suffix == ".json"
    temporary.write_text("whole")
    path = keeper.keep(0, Recorded(launch_ms=3.0))
    saving = memory.states(0).index("saving")
    assert memory.states(0) == ["recording", "saving", "done"]
    told = next(record for record, _ in memory.told if record.runs and record.runs[0].state == "saving")
    assert told.runs[0].sha256 == hashlib.sha256(b"whole").hexdigest()
    assert saving == 1
    assert path.read_text() == "whole"
    assert (tmp_path / "traces" / "app_iter000.json").samefile(path)
    assert not temporary.exists()
    run = keeper.record.runs[0]
    assert (run.state, run.launch_ms, run.bytes, run.temporary) == ("done", 3.0, 5, None)


def _earlier(tmp_path: Path, *names: str) -> Path:
    newest = tmp_path / "traces"
    newest.mkdir()
    for at, name in enumerate(names):
        (newest / name).write_text(f"old {name}")
        os.utime(newest / name, (1_700_000_000 + at, 1_700_000_000 + at))
    return newest


def _record(keeper, k: int, text: str = "new") -> Path:  # type: ignore[no-untyped-def]
    keeper.start_run(k).write_text(text)
    return keeper.keep(k, Recorded())


def test_the_earlier_set_moves_only_when_the_first_name_is_taken(tmp_path: Path) -> None:
    newest = _earlier(tmp_path, "app_iter000.json", "app_iter001.json", "app2_iter000.json", "notes.txt")
    memory = Memory()
    keeper = a_keeper(tmp_path, memory=memory, scenarios=("app", "app2"))
    keeper.begin(OWNER)
    keeper.start_run(0)
    keeper.fail_run(0, "broke")
    assert sorted(path.name for path in newest.iterdir()) == [
        "app2_iter000.json",
        "app_iter000.json",
        "app_iter001.json",
        "notes.txt",
    ]
    _record(keeper, 0)
    aside = newest / "app-20231114-221321"
    assert keeper.record.aside == str(aside)
    assert sorted(path.name for path in aside.iterdir()) == ["app_iter000.json", "app_iter001.json"]
    assert (aside / "app_iter001.json").read_text() == "old app_iter001.json"
    assert (newest / "app_iter000.json").read_text() == "new"
    assert (newest / "app2_iter000.json").exists()
    _record(keeper, 1)
    assert memory.kinds.count("aside") == 1


def test_a_folder_of_that_stamp_is_never_overwritten(tmp_path: Path) -> None:
    newest = _earlier(tmp_path, "app_iter000.json")
    (newest / "app-20231114-221320").mkdir()
    keeper = a_keeper(tmp_path)
    keeper.begin(OWNER)
    _record(keeper, 0)
    assert keeper.record.aside == str(newest / "app-20231114-221320-2")


@pytest.mark.parametrize(
    ("scenario", "theirs"),
    [
        ("cold", ["cold-old.pftrace", "cold_iter000.json"]),
        ("cold_start", ["cold_start_iter000.json"]),
    ],
)
def test_a_file_is_the_longest_scenarios_it_starts_with(
    scenario: str, theirs: list[str], tmp_path: Path
) -> None:
    for name in ("cold_iter000.json", "cold_start_iter000.json", "cold-old.pftrace", ".cold_x", "warm.json"):
        (tmp_path / name).touch()
    (tmp_path / "cold-20240101").mkdir()
    found = belonging(tmp_path, scenario, ("cold", "cold_start"))
    assert [path.name for path in found] == theirs


def test_repair_names_a_sealed_trace_and_forgets_a_half_one(tmp_path: Path) -> None:
    keeper = a_keeper(tmp_path)
    keeper.begin(OWNER)
    kept = _record(keeper, 0)
    sealed = keeper.start_run(1)
    sealed.write_text("sealed")
    half = keeper.start_run(2)
    half.write_text("ha")
    sha = hashlib.sha256(b"sealed").hexdigest()
    runs = tuple(
        replace(run, state="saving", sha256=sha, bytes=6) if run.k == 1 else run for run in keeper.record.runs
    )
    again = a_keeper(tmp_path, record=replace(keeper.record, runs=runs))
    again.begin(OWNER)
    again.repair()
    assert [run.state for run in again.record.runs] == ["done", "done", "waiting"]
    assert (tmp_path / "traces" / "app_iter001.json").read_text() == "sealed"
    assert not half.exists()
    assert not sealed.exists()
    assert kept.exists()


def test_a_set_nobody_resumes_keeps_its_sealed_trace_and_no_half_one(tmp_path: Path) -> None:
    keeper = a_keeper(tmp_path)
    keeper.begin(OWNER)
    kept = _record(keeper, 0)
    sealed, half, folder = (keeper.start_run(k) for k in (1, 2, 3))
    sealed.write_text("sealed")
    half.write_text("ha")
    folder.mkdir()
    (folder / "part").touch()
    sha = hashlib.sha256(b"sealed").hexdigest()
    runs = tuple(
        replace(run, state="saving", sha256=sha, bytes=6) if run.k == 1 else run for run in keeper.record.runs
    )
    tidy(replace(keeper.record, runs=runs))
    assert sorted(path.name for path in kept.parent.iterdir()) == ["app_iter000.json", "app_iter001.json"]


@pytest.mark.parametrize("end", ["fail", "give up", "repair"])
def test_a_command_may_leave_a_folder_in_the_place_of_its_trace(end: str, tmp_path: Path) -> None:
    keeper = a_keeper(tmp_path)
    keeper.begin(OWNER)
    left = keeper.start_run(0)
    (left / "inside").mkdir(parents=True)
    {"fail": lambda: keeper.fail_run(0, "no trace"), "give up": lambda: keeper.give_up_run(0)}.get(
        end, keeper.repair
    )()
    assert not left.exists()


def test_a_folder_that_cannot_be_made_is_a_sentence(tmp_path: Path) -> None:
    keeper = a_keeper(tmp_path)
    Path(keeper.record.folder).parent.mkdir(parents=True, exist_ok=True)
    Path(keeper.record.folder).touch()
    with pytest.raises(EcholotError, match=r"the traces' folder cannot be made \(File exists\)"):
        keeper.start_run(0)


def test_repair_knows_a_trace_that_got_its_name_before_it_could_be_said(tmp_path: Path) -> None:
    keeper = a_keeper(tmp_path)
    keeper.begin(OWNER)
    path = _record(keeper, 0)
    run = replace(keeper.record.runs[0], state="saving", temporary=str(path.with_name(".gone.json")))
    again = a_keeper(tmp_path, record=replace(keeper.record, runs=(run,)))
    again.repair()
    assert again.is_done(0)
    assert path.read_text() == "new"


def test_repair_does_not_take_another_file_for_the_sealed_one(tmp_path: Path) -> None:
    folder = tmp_path / "round" / "traces"
    folder.mkdir(parents=True)
    (folder / "app_iter000.json").write_text("other!")
    run = RunRecord(
        k=0,
        state="saving",
        path=str(folder / "app_iter000.json"),
        temporary=str(folder / ".lost.json"),
        sha256=hashlib.sha256(b"sealed").hexdigest(),
        bytes=6,
    )
    keeper = a_keeper(tmp_path, record=a_set(tmp_path, runs=(run,)))
    keeper.repair()
    assert not keeper.is_done(0)


def test_a_done_run_whose_file_is_gone_waits_again(tmp_path: Path) -> None:
    keeper = a_keeper(tmp_path)
    keeper.begin(OWNER)
    _record(keeper, 0).unlink()
    keeper.repair()
    assert keeper.record.runs[0] == RunRecord(k=0)


def test_an_interrupted_move_goes_on_into_the_same_folder(tmp_path: Path) -> None:
    newest = _earlier(tmp_path, "app_iter000.json", "app_iter001.json")
    aside = newest / "app-20231114-221321"
    aside.mkdir()
    (newest / "app_iter000.json").rename(aside / "app_iter000.json")
    keeper = a_keeper(tmp_path, record=a_set(tmp_path, aside=str(aside)))
    keeper.begin(OWNER)
    _record(keeper, 0)
    assert sorted(path.name for path in aside.iterdir()) == ["app_iter000.json", "app_iter001.json"]


def test_a_set_without_a_newest_folder_shows_its_traces_nowhere_else(tmp_path: Path) -> None:
    keeper = a_keeper(tmp_path, record=a_set(tmp_path, newest=None))
    keeper.begin(OWNER)
    path = _record(keeper, 0)
    assert path.parent == tmp_path / "round" / "traces"
    assert not (tmp_path / "traces").exists()


def test_where_hard_links_are_refused_the_newest_set_is_shown_by_symbolic_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_args: object) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(os, "link", refuse)
    keeper = a_keeper(tmp_path)
    keeper.begin(OWNER)
    _record(keeper, 0)
    shown = tmp_path / "traces" / "app_iter000.json"
    assert shown.is_symlink()
    assert shown.read_text() == "new"
