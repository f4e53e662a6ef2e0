"""Detectors of what the platform itself records: late frames and ANRs, with numbers worked out by hand."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from detectors_asked import MS, PID, app, ask, put
from echolot_tui.engine.model import TraceSession
from echolot_tui.generate import packets
from echolot_tui.generate.builder import TraceBuilder
from echolot_tui.generate.frames import Frame, Jank, add_frame

Load = Callable[[TraceBuilder], TraceSession]

SYSTEM, OTHER = 20, 30


# ── frame_jank ──


def frame(builder: TraceBuilder, token: int, start: float, late: float, jank: Jank, pid: int = PID) -> None:
    """A frame due 16 ms after its start that took as much longer as it was late."""
    times = [round(at * MS) for at in (start, start + 16, start, start + 16 + late)]
    due_from, due, started, presented = times
    add_frame(
        builder,
        Frame(
            pid=pid,
            token=token,
            layer="layer",
            due_from=due_from,
            due=due,
            started=started,
            presented=presented,
            jank=jank,
        ),
    )


def drawn(*late: float, jank: Jank = Jank.APP_DEADLINE_MISSED) -> TraceBuilder:
    """The app's frames, one each 100 ms from 100 ms on."""
    builder = app()
    put(builder, PID, 0, 1, "a")
    for number, overrun in enumerate(late):
        frame(builder, 10 + number, 100 + 100 * number, overrun, jank)
    return builder


def test_frames_count_from_the_overrun_on_and_totals_are_overruns(load: Load) -> None:
    builder = drawn(10, 4, 3.9, 20, 0)
    frame(builder, 50, 800, 50, Jank.NONE)
    frame(builder, 51, 900, 30, Jank.APP_DEADLINE_MISSED, pid=OTHER)
    frame(builder, 52, 20, 40, Jank.APP_DEADLINE_MISSED)  # over before the window
    asked = ask(load(builder), "frame_jank", 90, 1000)
    (row,) = asked.rows("frame_jank")
    assert asked.listed("frame_jank") == [row]
    assert row == {
        "location": "App Deadline Missed",
        "count": 3,
        "total_ms": 34.0,
        "max_ms": 20.0,
        "detail": "Self Jank · 3 of 6 frames · longest 36.0 ms",
    }


@pytest.mark.parametrize(("late", "listed"), [((5, 5), 0), ((5, 5, 5), 1), ((5, 5, 3.9), 0)])
def test_frames_need_a_number(load: Load, late: tuple[float, ...], listed: int) -> None:
    assert len(ask(load(drawn(*late)), "frame_jank").listed("frame_jank")) == listed


def test_frames_at_the_windows_edges_count_whole(load: Load) -> None:
    """From 110 to 310 ms: the first began before, the third goes on; the fourth lies outside."""
    (row,) = ask(load(drawn(10, 11, 12, 13)), "frame_jank", 110, 310, min_overrun_ms="1").rows("frame_jank")
    assert (row["count"], row["total_ms"], row["max_ms"]) == (3, 33.0, 12.0)


def test_frames_by_what_the_system_blames(load: Load) -> None:
    builder = drawn(5, 6)
    for number, late in enumerate((7, 8, 9)):
        frame(builder, 30 + number, 500 + 100 * number, late, Jank.BUFFER_STUFFING)
    asked = ask(load(builder), "frame_jank")
    assert {row["location"]: (row["count"], row["total_ms"]) for row in asked.rows("frame_jank")} == {
        "App Deadline Missed": (2, 11.0),
        "Buffer Stuffing": (3, 24.0),
    }
    assert [row["location"] for row in asked.listed("frame_jank")] == ["Buffer Stuffing"]
    assert asked["frame_jank"].coverage is None


# ── anr ──


def anr(
    builder: TraceBuilder, at: float, error: str, subject: str, *, pid: int = PID, name: str = "app"
) -> None:
    builder.counter(SYSTEM, round(at * MS), f"ErrorId:{name} {pid}#{error}", 1)
    if subject:
        builder.counter(SYSTEM, round(at * MS), f"Subject(for ErrorId {error}):{subject}", 1)


def answering() -> TraceBuilder:
    builder = app()
    builder.process(SYSTEM, "system_server")
    put(builder, PID, 0, 5000, "a")
    put(builder, SYSTEM, 0, 1, "b")
    return builder


def test_anrs_of_the_whole_trace_say_where_they_lie(load: Load) -> None:
    builder = answering()
    anr(builder, 3000, "aa3", "slow service")
    anr(builder, 40.25, "aa1", "slow service")
    anr(builder, 150, "aa2", "slow service")
    anr(builder, 160, "aa4", "of another", pid=OTHER, name="other")
    (row,) = ask(load(builder), "anr", 100, 1000).listed("anr")
    assert (row["location"], row["count"]) == ("slow service", 3)
    assert row["detail"] == (
        "before the window by 59.8 ms · aa1; inside the window at +50.0 ms · aa2; "
        "after the window by 2000.0 ms · aa3"
    )


def test_an_anr_without_a_subject_still_has_a_name(load: Load) -> None:
    builder = answering()
    anr(builder, 150, "aa1", "")
    (row,) = ask(load(builder), "anr", 100, 1000).listed("anr")
    assert row["location"] == "ANR"
    assert row["detail"] == "inside the window at +50.0 ms · aa1"


def test_no_anr_is_silent_and_without_the_activity_manager_there_is_no_data(load: Load) -> None:
    builder = answering()
    builder.counter(SYSTEM, 10 * MS, "something", 1)
    asked = ask(load(builder), "anr", 0, 1000)
    assert asked.rows("anr") == []
    alone = app()
    put(alone, PID, 0, 1, "a")
    answer = ask(load(alone), "anr", 0, 1000)["anr"]
    assert (answer.state, "atrace category am" in answer.reason) == ("no data", True)


# ── categories the recording did not ask for ──


@pytest.mark.parametrize(
    ("detector", "category", "name"),
    [
        ("binder_txn", "binder_driver", "binder transaction"),
        ("gc_pressure", "dalvik", "concurrent copying GC"),
        ("monitor_contention", "dalvik", "Lock contention on a monitor lock (owner tid: 1)"),
        ("app_init", "am", "bindApplication"),
    ],
)
def test_silence_of_a_category_nobody_recorded_is_no_data(
    load: Load, detector: str, category: str, name: str
) -> None:
    def answer(categories: tuple[str, ...] | None, slices: str = "other") -> tuple[str, str]:
        builder = app()
        put(builder, PID, 0, 90, slices)
        if categories is not None:
            packets.trace_config(builder, sampling_hz=None, compose_names=False, categories=categories)
        found = ask(load(builder), detector)[detector]
        return found.state, found.reason

    state, reason = answer(("view", "wm"))
    assert state == "no data"
    assert category in reason
    for asked in ((category,), ("*",), None):
        assert answer(asked) == ("ok", ""), asked
    assert answer(("view",), slices=name)[0] == "ok"
