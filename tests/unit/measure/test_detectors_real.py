"""Known answers of the shipped detectors on real recordings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from detectors_asked import Asked
from echolot_tui.engine.model import EngineChoice
from echolot_tui.engine.open import open_trace

pytestmark = pytest.mark.traces


def ask(folder: Path, name: str, process: str | int, only: str = "") -> Asked:
    with open_trace(folder / name, EngineChoice()) as session:
        start, end = next(session.query("SELECT start_ts, end_ts FROM trace_bounds").tuples())
        assert isinstance(start, int)
        assert isinstance(end, int)
        chosen = f"pid = {process}" if isinstance(process, int) else f"name = '{process}'"
        pid = session.query(f"SELECT pid FROM process WHERE {chosen}").scalar()
        assert isinstance(pid, int)
        return Asked(session, pid, start, end, only=only)


def times(asked: Asked, detector: str, column: str = "self_ms") -> dict[object, object]:
    return {row["location"]: row[column] for row in asked.rows(detector)}


def test_startup_work_moves_to_a_thread(shared_traces: Path) -> None:
    before = ask(shared_traces, "android/app-startup-before.pftrace", "com.example.perfetto.startup")
    blocks = times(before, "main_thread_block")
    assert [blocks[name] for name in ("ImageLoader.init", "CrashReporter.init", "Analytics.init")] == [
        1200.59,
        800.64,
        550.77,
    ]
    after = ask(shared_traces, "android/app-startup-after.pftrace", "com.example.perfetto.startup")
    assert "ImageLoader.init" not in times(after, "main_thread_block")
    moved = {
        row["location"]: row["self_ms"] for row in after.rows("background_work") if row["thread"] == "AppInit"
    }
    assert moved == {"ImageLoader.init": 1200.48, "CrashReporter.init": 800.48, "Analytics.init": 550.41}


@pytest.mark.parametrize(
    ("name", "location", "spent"), [("before", "parseQuadratic", 443.3), ("after", "parseLinear", 266.2)]
)
def test_cpu_spin(shared_traces: Path, name: str, location: str, spent: float) -> None:
    asked = ask(
        shared_traces, f"android/cpu-spin-{name}.pftrace", "com.example.perfetto.cpuspin", "background_work"
    )
    row = asked.row("background_work", location)
    assert (row["count"], row["self_ms"]) == (10, pytest.approx(spent, abs=0.05))


def test_lock_contention_names_owner_and_method(shared_traces: Path) -> None:
    asked = ask(
        shared_traces, "android/lock-contention-before.pftrace", "com.example.perfetto.lockcontention"
    )
    row = asked.row("monitor_contention", "pool-4-thread-1")
    detail = str(row["detail"])
    assert (row["count"], row["max_ms"]) == (35, 5069.49)
    assert "(owner tid: 8175) · owner pool-4-thread-1" in detail
    assert (
        "LockActivity.lambda$onCreate$0(java.util.concurrent.atomic.AtomicLong)(LockActivity.java:42)"
        in detail
    )


def test_frames_without_scheduling(shared_traces: Path) -> None:
    asked = ask(shared_traces, "android/nowinandroid-compose.perfetto-trace", 9305)
    states = {answer.id: answer.state for answer in asked.answers.values()}
    # Its configuration asks for frames, logs and the app's own events: no atrace category, no scheduling.
    assert {name for name, state in states.items() if state == "ok"} == {
        "background_work",
        "frame_jank",
        "main_thread_block",
        "main_thread_outlier",
        "repeated_work",
    }
    assert set(states.values()) == {"ok", "no data"}
    frames = asked.row("frame_jank", "App Deadline Missed")
    assert frames["count"] == 9
    assert asked.row("main_thread_block", "Compose:recompose")["count"] == 438


def test_sampled_stacks(shared_traces: Path) -> None:
    asked = ask(
        shared_traces, "android/cpu-sampling-emulator.pftrace", "com.android.chrome", "uninstrumented_cpu"
    )
    rows = asked.rows("uninstrumented_cpu")
    stacks = [json.loads(str(row["stacks"])) for row in rows]
    assert sum(one["samples"] for one in stacks) == 130
    main = asked.row("uninstrumented_cpu", ".android.chrome", thread="main")
    assert json.loads(str(main["stacks"]))["leaf"][0] == {
        "frame": "clear_page_erms",
        "samples": 10,
        "pct": 25.6,
    }


@pytest.mark.parametrize(
    ("name", "process"),
    [
        ("android/main-thread-io-before.pftrace", "com.example.perfetto.mainio"),
        ("android/thread-spam-before.pftrace", "com.example.perfetto.threadspam"),
        ("android/launcher-fling-jb.systrace.txt.gz", 655),
        ("android/atrace-shadows.txt", 18926),
        ("repeats/resnet50-workers0-run1.json.gz", "python"),
        ("repeats/bazel-jobs-4.json.gz", 1),
        ("repeats/clang-16-main.json", "clang.exe"),
        ("chrome/blocking-time.json.gz", "Renderer"),
        ("chrome/chrome-69-simple.json", "Browser"),
        ("samples/simpleperf-repeat1.data", 17559),
    ],
)
def test_no_detector_fails(shared_traces: Path, name: str, process: str | int) -> None:
    with open_trace(shared_traces / name, EngineChoice()) as session:
        if (
            isinstance(process, str)
            and not session.query(f"SELECT 1 FROM process WHERE name = '{process}'").rows
        ):
            pytest.fail(f"no process {process}")
    asked = ask(shared_traces, name, process)
    for answer in asked.answers.values():
        assert answer.state != "failed", (answer.id, answer.reason)
        assert answer.coverage_error == "", (answer.id, answer.coverage_error)
