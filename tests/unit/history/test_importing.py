"""Results of other tools, and our own reports, as measurements of a commit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from echolot_tui.errors import EcholotError
from echolot_tui.history.formats import macrobenchmark
from echolot_tui.history.importing import read_report, read_result, result_files
from echolot_tui.history.measured import Measured
from echolot_tui.history.reports import run_of
from echolot_tui.history.store import Place, Store
from echolot_tui.report.codec import encode_report, encode_rows
from echolot_tui.report.model import (
    AllRows,
    BudgetReport,
    DetectorReport,
    MarkerRow,
    MarkersReport,
    Repeat,
    Report,
    Row,
    Spread,
    StartupReport,
    Toolchain,
    WindowReport,
)

PYPERF = {
    "version": "1.0",
    "metadata": {
        "hostname": "box",
        "unit": "second",
        "commit_id": "0123456789abcdef0123456789abcdef01234567",
    },
    "benchmarks": [
        {
            "metadata": {"name": "json_loads"},
            "runs": [
                {"metadata": {"calibrate_loops": 8}, "warmups": [[8, 0.02]]},
                {"values": [0.011, 0.012], "warmups": [[8, 0.02]]},
                {"values": [0.013]},
            ],
        },
        {"metadata": {"name": "memory", "unit": "byte"}, "runs": [{"values": [4096, 5120]}]},
    ],
}
GOOGLE = {
    "context": {"host_name": "box", "num_cpus": 2, "library_version": "v1.8.3", "caches": []},
    "benchmarks": [
        {"name": "BM_a/8", "run_name": "BM_a/8", "run_type": "iteration", "repetitions": 2, "iterations": 9}
        | {"real_time": 10.0, "cpu_time": 9.0, "time_unit": "us"},
        {"name": "BM_a/8", "run_name": "BM_a/8", "run_type": "iteration", "repetitions": 2, "iterations": 9}
        | {"real_time": 12.0, "cpu_time": 11.0, "time_unit": "us"},
        {"name": "BM_a/8_mean", "run_name": "BM_a/8", "run_type": "aggregate", "aggregate_name": "mean"}
        | {"real_time": 99.0, "cpu_time": 99.0, "time_unit": "us"},
        {"name": "BM_b_mean", "run_name": "BM_b", "run_type": "aggregate", "aggregate_name": "mean"}
        | {"real_time": 5.0, "cpu_time": 4.0, "time_unit": "ns"},
        {"name": "BM_b_median", "run_name": "BM_b", "run_type": "aggregate", "aggregate_name": "median"}
        | {"real_time": 6.0, "cpu_time": 5.0, "time_unit": "ns"},
        {"name": "BM_c", "run_type": "iteration", "error_occurred": True, "error_message": "no"},
        {"name": "BM_e", "run_name": "BM_e", "run_type": "iteration", "skipped": True, "skip_message": "no"}
        | {"iterations": 0, "real_time": 0.0, "cpu_time": 0.0, "time_unit": "ns"},
        {"name": "BM_d_BigO", "run_name": "BM_d", "run_type": "aggregate", "aggregate_name": "BigO"}
        | {"cpu_coefficient": 1.0, "real_coefficient": 1.0, "big_o": "N", "time_unit": "ns"},
    ],
}
HYPERFINE = {
    "results": [
        {"command": "sleep 0.1", "mean": 0.102, "stddev": 0.001, "median": 0.101, "user": 0.0, "system": 0.0}
        | {"min": 0.1, "max": 0.104, "times": [0.1, 0.101, 0.104], "exit_codes": [0, 0, 0]}
    ]
}
MACRO = {
    "context": {
        "build": {"brand": "google", "device": "oriole", "model": "Pixel 6", "version": {"sdk": 34}},
        "cpuCoreCount": 8,
    },
    "benchmarks": [
        {
            "name": "startup",
            "className": "com.example.StartupBenchmark",
            "params": {},
            "totalRunTimeNs": 1,
            "metrics": {
                "timeToInitialDisplayMs": {"minimum": 300.0, "maximum": 330.0, "median": 310.0}
                | {"runs": [300.0, 310.0, 330.0]}
            },
            "sampledMetrics": {
                "frameDurationCpuMs": {"P50": 5.0, "P90": 9.0, "P95": 10.0, "P99": 15.0, "runs": [[5.0, 9.0]]}
            },
            "repeatIterations": 3,
        }
    ],
}


def written(folder: Path, name: str, document: Any) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document))
    return path


def told(
    measured: tuple[Measured, ...],
) -> dict[tuple[str, str], tuple[str | None, float, tuple[float, ...]]]:
    return {("/".join(each.segments), each.metric): (each.unit, each.value, each.values) for each in measured}


def test_pyperf(tmp_path: Path) -> None:
    file = read_result(written(tmp_path, "a.json", PYPERF), tmp_path)
    assert told(file.run.measured) == {
        ("json_loads", "value"): ("s", 0.012, (0.011, 0.012, 0.013)),
        ("memory", "value"): ("bytes", 4608.0, (4096.0, 5120.0)),
    }
    assert (file.run.set.model, file.run.set.engine) == ("box", "pyperf 1.0")
    assert file.label == "0123456789abcdef0123456789abcdef01234567"


def test_google_benchmark(tmp_path: Path) -> None:
    file = read_result(written(tmp_path, "a.json", GOOGLE), tmp_path)
    assert told(file.run.measured) == {
        ("BM_a/8", "real_time"): ("us", 11.0, (10.0, 12.0)),
        ("BM_a/8", "cpu_time"): ("us", 10.0, (9.0, 11.0)),
        ("BM_b", "real_time"): ("ns", 6.0, (6.0,)),
        ("BM_b", "cpu_time"): ("ns", 5.0, (5.0,)),
    }
    assert file.run.set.engine == "google-benchmark v1.8.3"


def test_hyperfine(tmp_path: Path) -> None:
    file = read_result(written(tmp_path, "a.json", HYPERFINE), tmp_path, machine="box")
    assert told(file.run.measured) == {("sleep 0.1", "time"): ("s", 0.101, (0.1, 0.101, 0.104))}
    assert file.run.set.model == "box"


def test_hyperfine_tells_runs_of_one_command_apart_by_their_parameters(tmp_path: Path) -> None:
    def result(value: float, **more: Any) -> dict[str, Any]:
        return {"command": "sort in.txt", "mean": value, "stddev": None, "median": value, **more}

    given = [result(1.0, parameters={"n": "1"}), result(3.0, parameters={"n": "2"}), result(9.0, times=[9.0])]
    file = read_result(written(tmp_path, "a.json", {"results": given}), tmp_path)
    assert told(file.run.measured) == {
        ("sort in.txt/n=1", "time"): ("s", 1.0, (1.0,)),
        ("sort in.txt/n=2", "time"): ("s", 3.0, (3.0,)),
        ("sort in.txt", "time"): ("s", 9.0, (9.0,)),
    }


def test_what_a_file_measures_twice_is_more_runs_of_the_same(tmp_path: Path) -> None:
    twice = {"results": [{"command": "x", "mean": each, "times": [each, each + 1]} for each in (1.0, 5.0)]}
    file = read_result(written(tmp_path, "a.json", twice), tmp_path)
    assert told(file.run.measured) == {("x", "time"): ("s", 3.5, (1.0, 2.0, 5.0, 6.0))}
    with Store(tmp_path / "history.db") as store:
        assert store.add(file.run, Place(commit="c"), source="a.json", sha256="1", at="now")


def test_macrobenchmark(tmp_path: Path) -> None:
    file = read_result(written(tmp_path, "a.json", MACRO), tmp_path)
    name = "com.example.StartupBenchmark/startup"
    found = told(file.run.measured)
    assert found[name, "timeToInitialDisplayMs"] == ("ms", 310.0, (300.0, 310.0, 330.0))
    assert found[name, "frameDurationCpuMs P90"] == ("ms", 9.0, (9.0,))
    assert len(found) == 5
    assert (file.run.set.model, file.run.set.engine) == ("Pixel 6", "androidx-benchmark API 34")


@pytest.mark.parametrize(
    ("metric", "unit"),
    [
        ("timeNs", "ns"),
        ("allocationCount", "allocations"),
        ("frameCount", "count"),
        ("memoryHeapSizeMaxKb", None),
        ("frameOverrunMs", "ms"),
    ],
)
def test_what_a_metric_of_android_is_counted_in(metric: str, unit: str | None) -> None:
    assert macrobenchmark.unit_of(metric) == unit


@pytest.mark.parametrize(
    ("document", "says"),
    [
        ([1], "no result of a known tool"),
        ({"benchmarks": []}, "no result of a known tool"),
        ({"results": [{"command": 3, "mean": 1.0}]}, "looks like hyperfine"),
        ({"version": "1", "benchmarks": [{"runs": [{"values": ["x"]}]}]}, "looks like pyperf"),
        ({"results": [{"command": "x", "mean": 1e300}]}, 'time of "x" is beyond 1e.150, too large'),
    ],
)
def test_what_is_no_result(tmp_path: Path, document: Any, says: str) -> None:
    with pytest.raises(EcholotError, match=says):
        read_result(written(tmp_path, "a.json", document), tmp_path)


def test_files_come_in_natural_order_with_the_commit_their_name_says(tmp_path: Path) -> None:
    for name in ("run10.json", "run9.json", "sub/rows.json", "2024-01-31_abcdef1234567_x.json"):
        written(tmp_path, name, HYPERFINE)
    written(tmp_path, "fedcba9/report.json", {"detectors": []})
    written(tmp_path, "nightly/3/report.json", {"detectors": []})
    files = result_files([str(tmp_path)])
    labels = [read_result(path, root).label for path, root in files]
    assert labels == ["abcdef1234567", "fedcba9", "nightly/3", "run9", "run10"]
    with pytest.raises(EcholotError, match="no such file or folder"):
        result_files([str(tmp_path / "nowhere")])


@pytest.mark.parametrize("name", ["bench_20240131_1", "1706659200_1", "20240131120000-1"])
def test_a_date_is_no_commit(tmp_path: Path, name: str) -> None:
    """Two results of a day would else be one level of one commit."""
    path = written(tmp_path, f"{name}.json", HYPERFINE)
    assert read_result(path, tmp_path).label == name
    short = written(tmp_path, f"{name}_1234567.json", HYPERFINE)
    assert read_result(short, tmp_path).label == "1234567"


def report() -> Report:
    row = Row(
        location="inflate",
        thread="main",
        runs="2/2",
        count=3,
        self_ms=40.0,
        total_ms=90.0,
        by_run={"self_ms": (38.0, 42.0), "count": (3, 3)},
    )
    return Report(
        scenario="coldStart",
        toolchain=Toolchain(engine="embedded", trace_processor="v52.0"),
        window=WindowReport(
            duration_ms=1200.0,
            values=(1190.0, 1210.0),
            main_thread=BudgetReport(on_cpu=700.0, by_run={"on_cpu": (690.0, 710.0)}),
            startup=StartupReport(type="cold", dur_ms=900.0),
        ),
        markers=MarkersReport(
            rows=(
                MarkerRow(
                    location="M_init",
                    total_ms=12.0,
                    spread={"total_ms": Spread(min=11.0, max=13.0, values=(11.0, 13.0))},
                ),
            )
        ),
        detectors=(
            DetectorReport(id="block", identity=("location", "thread"), rank="total_ms", rows=(row, row)),
        ),
        repeats=(Repeat(label="1", trace="a", trace_index=0), Repeat(label="2", trace="b", trace_index=1)),
    )


def test_a_report_is_its_window_budget_markers_and_rows() -> None:
    run = run_of(report(), None)
    found = told(run.measured)
    assert found["window", "duration_ms"] == ("ms", 1200.0, (1190.0, 1210.0))
    assert found["budget/on_cpu", "time_ms"] == ("ms", 700.0, (690.0, 710.0))
    assert found["startup/cold", "dur_ms"] == ("ms", 900.0, (900.0,))
    assert found["marker/M_init", "total_ms"] == ("ms", 12.0, (11.0, 13.0))
    assert found["block/inflate/main", "total_ms"] == ("ms", 90.0, (90.0,))
    assert found["block/inflate/main", "count"] == ("count", 3.0, (3.0, 3.0))
    assert len(run.measured) == len(found)
    assert (run.set.scenario, run.set.model, run.set.engine) == ("coldStart", "unknown", "embedded v52.0")
    assert run_of(report(), None, machine="bench 3").set.model == "bench 3"


def test_rows_under_the_bar_come_along_unlisted(tmp_path: Path) -> None:
    data = encode_report(report())
    (tmp_path / "report.json").write_bytes(data)
    under = Row(location="small", thread="main", total_ms=1.0, passed=False)
    rows = AllRows(
        report_sha256="",
        detectors=(
            DetectorReport(id="block", identity=("location", "thread"), rank="total_ms", rows=(under,)),
        ),
    )
    (tmp_path / "rows.json").write_bytes(encode_rows(rows, data))
    file = read_report(tmp_path)
    (small,) = (each for each in file.run.measured if each.segments[0] == "block")
    assert (small.segments, small.listed) == (("block", "small", "main"), False)
    (tmp_path / "rows.json").write_bytes(encode_rows(rows, b"another"))
    other = read_report(tmp_path)
    assert other.note is not None
    assert any(each.segments == ("block", "inflate", "main") for each in other.run.measured)
