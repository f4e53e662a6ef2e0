"""What held a start up: the standard library's table, over starts nobody would write by hand."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable

import pytest

from echolot_tui.engine.model import TraceSession
from echolot_tui.generate import packets
from echolot_tui.generate.builder import TraceBuilder
from echolot_tui.generate.sched import Segment, State
from echolot_tui.measure.startup_reasons import SECTIONS, blame

MS = 1_000_000
APP, SERVER = 4242, 1000
PACKAGE = "com.example.app"


def random_start(rng: random.Random) -> TraceBuilder:
    """Nested sections and states around a start from 100 to 300 ms, some reaching over its ends.

    No section begins with the one around it, nor are two open as the start begins: there the library
    blames the outer one up to the next change, which is not what its innermost one did.
    """
    builder = TraceBuilder()
    packets.system_info(builder, packets.System())
    builder.process(SERVER, "system_server", uid=1000)
    builder.process(APP, PACKAGE, uid=10100)
    builder.async_slice(SERVER, 100 * MS, 300 * MS, "launchingActivity#1")
    done = f"launchingActivity#1:completed-cold:{PACKAGE}"
    builder.slice(SERVER, SERVER, 301 * MS, 301 * MS, done)
    names = [glob.replace("*", f" {number}") for number, (glob, _) in enumerate(SECTIONS)]
    names += ["unknown", "doFrame", "Lock contention on thread", "binder transaction async"]

    def nest(start: int, end: int, depth: int) -> None:
        at = start + rng.randint(1, 4 * MS)
        while at < end and depth < 5:
            until = min(at + rng.randint(1, 30 * MS), end)
            builder.slice(APP, APP, at, until, rng.choice(names))
            nest(at, until, depth + 1)
            at = until + rng.randint(0, 1) * rng.randint(1, 4 * MS)

    builder.slice(APP, APP, 80 * MS, 104 * MS, rng.choice(names))
    nest(105 * MS, 320 * MS, 0)
    builder.slice(APP, APP, 104 * MS + 1, 104 * MS + 2, "activityResume")
    builder.segments(APP, list(random_states(rng)))
    return builder


def random_states(rng: random.Random) -> list[Segment]:
    states = [State.RUNNING, State.RUNNABLE, State.SLEEPING, State.BLOCKED]
    segments: list[Segment] = []
    at, last = rng.choice([90, 100, 113]) * MS, State.SLEEPING
    while at < 320 * MS:
        state = State.RUNNING if last is not State.RUNNING else rng.choice(states[2:])
        until = at + rng.randint(1, 30) * MS // 2
        segments.append(
            Segment(
                at, until, state, waker=None if state is State.RUNNING else SERVER, io_wait=rng.random() < 0.5
            )
        )
        at, last = until, state
    return segments


@pytest.mark.parametrize("seed", range(12))
def test_every_moment_is_blamed_as_the_library_does(load: Callable[..., TraceSession], seed: int) -> None:
    session = load(random_start(random.Random(seed)))
    library = Counter(
        dict(
            session.query(
                "INCLUDE PERFETTO MODULE android.startup.startup_breakdowns; "
                "SELECT reason, SUM(dur) FROM android_startup_opinionated_breakdown GROUP BY reason"
            ).tuples()
        )
    )
    utid = session.query(f"SELECT utid FROM thread WHERE tid = {APP}").scalar()
    assert isinstance(utid, int)
    assert len(library) > 6
    assert blame(session, utid=utid, start_ns=100 * MS, end_ns=300 * MS) == library


def test_a_thread_never_seen_is_blamed_for_nothing(load: Callable[..., TraceSession]) -> None:
    session = load(random_start(random.Random(0)))
    assert blame(session, utid=99, start_ns=100 * MS, end_ns=300 * MS) == Counter()


def test_a_section_that_begins_with_the_one_around_it_is_the_innermost(
    load: Callable[..., TraceSession],
) -> None:
    builder = TraceBuilder()
    builder.process(APP, PACKAGE)
    builder.segments(APP, [Segment(100 * MS, 200 * MS, State.RUNNING)])
    builder.slice(APP, APP, 110 * MS, 150 * MS, "bindApplication")
    builder.slice(APP, APP, 110 * MS, 120 * MS, "inflate")
    session = load(builder)
    utid = session.query(f"SELECT utid FROM thread WHERE tid = {APP}").scalar()
    assert isinstance(utid, int)
    assert blame(session, utid=utid, start_ns=90 * MS, end_ns=200 * MS) == {
        "launch_delay": 10 * MS,
        "inflate": 10 * MS,
        "bind_application": 30 * MS,
        "Running": 60 * MS,
    }
