"""What an argument names."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from echolot_tui.errors import EcholotError
from echolot_tui.generate.builder import TraceBuilder
from echolot_tui.measure.inputs import ReportInput, TracesInput, natural_key, resolve_side, resolve_traces

CHROME = json.dumps({"traceEvents": [{"ph": "X", "pid": 1, "tid": 1, "ts": 0, "dur": 5, "name": "a"}]})
REPORT = json.dumps({"detectors": []})


def perfetto() -> bytes:
    builder = TraceBuilder()
    builder.process(4000, "com.example.app")
    builder.slice(4000, 4000, 10, 20, "work")
    return builder.build()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three runs, one of them empty, and what else lies beside them."""
    runs = tmp_path / "before"
    runs.mkdir()
    for name in ("run_iter10.pftrace", "run_iter2.pftrace"):
        (runs / name).write_bytes(perfetto())
    (runs / "run_iter3.pftrace").write_bytes(b"")
    (runs / "chrome.json").write_text(CHROME)
    (runs / "notes.txt").write_text("slow today")
    (runs / "rows.json").write_text('{"kind": "rows", "detectors": []}')
    (runs / ".hidden.pftrace").write_bytes(perfetto())
    (runs / "deeper").mkdir()
    return runs


def names(found: ReportInput | TracesInput) -> list[str]:
    assert isinstance(found, TracesInput)
    return [path.name for path in found.paths]


def test_a_folder_is_its_traces_in_natural_order(folder: Path) -> None:
    for found in (resolve_side(str(folder)), resolve_traces([str(folder)])):
        assert names(found) == ["chrome.json", "run_iter2.pftrace", "run_iter3.pftrace", "run_iter10.pftrace"]
        assert isinstance(found, TracesInput)
        assert found.others == ("notes.txt", "rows.json")


def test_a_folder_with_a_report_is_that_report(folder: Path) -> None:
    (folder / "report.json").write_text(REPORT)
    found = resolve_side(str(folder))
    assert found == ReportInput(given=str(folder), path=folder / "report.json")
    assert len(names(resolve_traces([str(folder)]))) == 4  # to analyze it means its traces


@pytest.mark.parametrize("content", [REPORT, '{"kind": "comparison", "rows": []}', '\n {"detectors": [1]}'])
def test_a_report_is_known_by_content(tmp_path: Path, content: str) -> None:
    path = tmp_path / "any.json"
    path.write_text(content)
    assert resolve_side(str(path)) == ReportInput(given=str(path), path=path)
    with pytest.raises(EcholotError, match="this is a report, not a trace"):
        resolve_traces([str(path)])


@pytest.mark.parametrize("second", ['"generated_at": "2026-01-01"', '"kind": "comparison"'])
def test_a_report_that_is_cut_off_is_no_trace_whatever_its_name(tmp_path: Path, second: str) -> None:
    path = tmp_path / "before.json"
    path.write_text('{\n  "schema": 1,\n  ' + second + ', "detec')
    assert isinstance(resolve_side(str(path)), ReportInput)
    with pytest.raises(EcholotError, match="this is a report, not a trace"):
        resolve_traces([str(path)])
    path.write_text('{"schema": 1, "events": [')
    assert isinstance(resolve_side(str(path)), TracesInput)


def test_a_damaged_report_is_still_meant_as_one(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_text('{"detectors": [')
    assert isinstance(resolve_side(str(path)), ReportInput)


@pytest.mark.parametrize(
    "content",
    [CHROME, '{"displayTimeUnit": "ms", "detectors": 1, "traceEvents": []}', "[]", "not json", '{"broken": '],
)
def test_anything_else_is_left_to_the_engine(tmp_path: Path, content: str) -> None:
    path = tmp_path / "any.json"
    path.write_text(content)
    assert names(resolve_side(str(path))) == ["any.json"]


def test_a_trace_whose_events_come_late_is_no_report(tmp_path: Path) -> None:
    path = tmp_path / "any.json"
    padding = "x" * 100_000
    path.write_text(f'{{"detectors": "{padding}", "traceEvents": []}}')
    assert isinstance(resolve_side(str(path)), TracesInput)


def test_a_pattern_is_expanded_in_natural_order(folder: Path) -> None:
    pattern = str(folder / "run_iter*")
    assert names(resolve_side(pattern)) == ["run_iter2.pftrace", "run_iter3.pftrace", "run_iter10.pftrace"]
    assert len(names(resolve_side(str(folder.parent / "**" / "*.pftrace")))) == 3


def test_a_pattern_without_a_match_is_named(tmp_path: Path) -> None:
    with pytest.raises(EcholotError, match="no file matches this pattern") as refused:
        resolve_side(str(tmp_path / "*.pftrace"))
    assert refused.value.where == str(tmp_path / "*.pftrace")


def test_a_file_whose_name_looks_like_a_pattern(tmp_path: Path) -> None:
    path = tmp_path / "run[1].pftrace"
    path.write_bytes(perfetto())
    assert names(resolve_side(str(path))) == ["run[1].pftrace"]


def test_a_list_from_a_shell_is_put_in_natural_order(folder: Path) -> None:
    given = [str(folder / f"run_iter{n}.pftrace") for n in ("10", "2", "3")]
    assert names(resolve_traces(given)) == ["run_iter2.pftrace", "run_iter3.pftrace", "run_iter10.pftrace"]
    given = [str(folder / f"run_iter{n}.pftrace") for n in ("3", "10", "2")]
    assert names(resolve_traces(given)) == ["run_iter3.pftrace", "run_iter10.pftrace", "run_iter2.pftrace"]


def test_nothing_given() -> None:
    with pytest.raises(EcholotError, match="no trace was named"):
        resolve_traces([])


def test_a_missing_file_offers_the_nearest(folder: Path) -> None:
    with pytest.raises(EcholotError, match=r"no such file; the nearest name there is run_iter10\.pftrace"):
        resolve_side(str(folder / "run_iter1.pftrace"))
    with pytest.raises(EcholotError, match="no such file, nor its folder"):
        resolve_side(str(folder / "nowhere" / "run.pftrace"))
    with pytest.raises(EcholotError, match=r"no such file$"):
        resolve_side(str(folder / "something-else-entirely"))


def test_an_empty_folder_and_one_without_traces(tmp_path: Path) -> None:
    with pytest.raises(EcholotError, match="the folder is empty"):
        resolve_side(str(tmp_path))
    for number in range(7):
        (tmp_path / f"note{number}.txt").write_text("x")
    with pytest.raises(EcholotError, match=r"holds no traces, only note0.txt, .*note4.txt and 2 more"):
        resolve_side(str(tmp_path))


def test_a_pipe_is_no_trace(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(EcholotError, match="neither a file nor a folder"):
        resolve_side(str(tmp_path / "pipe"))


def test_natural_order() -> None:
    given = ["b1", "a10", "a2", "a02", "a", "A3", "10", "9", "a2b1", "a2b"]
    assert sorted(given, key=natural_key) == ["9", "10", "A3", "a", "a02", "a2", "a2b", "a2b1", "a10", "b1"]


def test_a_link_that_leads_nowhere_is_called_one(tmp_path: Path) -> None:
    (tmp_path / "run.pftrace").symlink_to("moved.pftrace")
    for resolve in (resolve_side, lambda given: resolve_traces([given])):
        with pytest.raises(
            EcholotError, match=r"run\.pftrace: this link leads to moved\.pftrace, which is not"
        ):
            resolve(str(tmp_path / "run.pftrace"))


def test_a_name_the_system_refuses_is_told_in_one_sentence(tmp_path: Path) -> None:
    for resolve in (resolve_side, lambda given: resolve_traces([given])):
        with pytest.raises(EcholotError, match=r"cannot be read \(File name too long\)"):
            resolve(str(tmp_path / ("x" * 5000)))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_in_a_closed_folder_is_told_in_one_sentence(folder: Path) -> None:
    folder.chmod(0)
    try:
        for resolve in (resolve_side, lambda given: resolve_traces([given])):
            with pytest.raises(EcholotError, match=r"cannot be read \(Permission denied\)"):
                resolve(str(folder / "chrome.json"))
    finally:
        folder.chmod(0o755)
