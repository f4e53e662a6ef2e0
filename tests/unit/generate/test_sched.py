from __future__ import annotations

import pytest

from echolot_tui.generate.sched import BlockedReason, Segment, State, Switch, Waking, sched_events


def test_one_thread_runs_sleeps_is_woken_and_runs_again():
    segments = [
        Segment(10, 20, State.RUNNING, cpu=1),
        Segment(20, 30, State.SLEEPING, waker=9),
        Segment(30, 32, State.RUNNABLE),
        Segment(32, 40, State.RUNNING, cpu=1),
    ]
    assert sched_events([(7, segments)]) == [
        Switch(10, 1, 0, 0, 7),
        Switch(20, 1, 7, 1, 0),
        Waking(30, 0, 9, 7),
        Switch(32, 1, 0, 0, 7),
        Switch(40, 1, 7, 1, 0),
    ]


def test_a_cpu_passes_from_thread_to_thread_in_one_switch():
    first = [Segment(0, 10, State.RUNNING), Segment(10, 15, State.PREEMPTED), Segment(15, 20, State.RUNNING)]
    second = [Segment(10, 15, State.RUNNING)]
    assert sched_events([(7, first), (8, second)]) == [
        Switch(0, 0, 0, 0, 7),
        Switch(10, 0, 7, 0x100, 8),
        Switch(15, 0, 8, 1, 7),
        Switch(20, 0, 7, 1, 0),
    ]


def test_a_block_says_its_reason_when_it_ends():
    segments = [
        Segment(0, 5, State.RUNNING),
        Segment(5, 9, State.BLOCKED, waker=0, io_wait=True, blocked_function="ext4_sync_file"),
        Segment(9, 10, State.RUNNABLE),
        Segment(10, 12, State.RUNNING),
    ]
    events = sched_events([(7, segments)])
    assert events[1] == Switch(5, 0, 7, 2, 0)
    assert events[2:4] == [
        BlockedReason(9, 0, 0, 7, io_wait=True, function="ext4_sync_file"),
        Waking(9, 0, 0, 7),
    ]


def test_running_on_is_one_turn():
    segments = [Segment(0, 5, State.RUNNING), Segment(5, 9, State.RUNNING)]
    assert sched_events([(7, segments)]) == [Switch(0, 0, 0, 0, 7), Switch(9, 0, 7, 1, 0)]


@pytest.mark.parametrize(
    ("threads", "message"),
    [
        ([(7, [Segment(0, 5, State.RUNNING)]), (8, [Segment(4, 6, State.RUNNING)])], "both run"),
        ([(7, [Segment(0, 5, State.RUNNING), Segment(4, 6, State.RUNNING)])], "overlap"),
        ([(7, [Segment(5, 5, State.RUNNING)])], "no length"),
        ([(7, [Segment(0, 5, State.SLEEPING)])], "follows nothing"),
        ([(7, [Segment(0, 5, State.RUNNING), Segment(6, 7, State.BLOCKED)])], "follows nothing"),
        (
            [
                (
                    7,
                    [
                        Segment(0, 5, State.RUNNING),
                        Segment(5, 7, State.SLEEPING),
                        Segment(7, 8, State.RUNNABLE),
                    ],
                )
            ],
            "follows nothing",
        ),
        ([(7, [Segment(0, 5, State.RUNNING), Segment(5, 7, State.PREEMPTED)])], "never runs"),
        (
            [
                (
                    7,
                    [
                        Segment(0, 5, State.RUNNING),
                        Segment(5, 7, State.RUNNABLE),
                        Segment(8, 9, State.RUNNING),
                    ],
                )
            ],
            "follows nothing",
        ),
    ],
)
def test_what_no_kernel_could_record_is_refused(threads: list[tuple[int, list[Segment]]], message: str):
    with pytest.raises(ValueError, match=message):
        sched_events(threads)
