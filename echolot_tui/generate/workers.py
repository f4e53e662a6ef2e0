"""What the app's other threads, and another app, do during a cold start."""

from __future__ import annotations

from echolot_tui.generate.cast import (
    ANALYTICS,
    CRUNCH,
    DISK,
    DISPATCH_2,
    HALF,
    HEAP,
    HELD_POOL,
    NAMESAKE,
    POOL_1,
    POOL_2,
    RENDER,
    SERVER_FOR_ANALYTICS,
    SERVER_FOR_POOL,
    START_GLOB,
    WATCHDOG,
)
from echolot_tui.generate.script import ThreadScript
from echolot_tui.generate.world import MS, OTHER, SYSTEM_SERVER, World


def work(world: World, begin: int, number: int) -> None:
    """From ``begin`` on, beside a main thread that is busy for 320 ms; a session leaks the first time."""
    _pool_1(world.script(POOL_1).at(begin))
    _pool_2(world.script(POOL_2).at(begin))
    _disk(world.script(DISK).at(begin))
    _analytics(world.script(ANALYTICS).at(begin))
    _heap(world.script(HEAP).at(begin))
    world.script(CRUNCH).at(begin).run(70)
    world.script(DISPATCH_2).at(begin).run(30)
    half = world.script(HALF).at(begin)
    with half.section("halfWork"):
        half.run(51)
    half.run(49)
    namesake = world.script(NAMESAKE).at(begin)
    with namesake.section("inflate"):
        namesake.run(45)
    if number == 1:
        world.script(WATCHDOG).at(begin).leave_open("leakSession")
    _render(world.script(RENDER).at(begin))
    _other_app(world, begin)


def _pool_2(pool: ThreadScript) -> None:
    with pool.section("prefetch"):
        pool.run(20)
    for _ in range(6):
        _contended(pool, 7.9)
        pool.run(0.1)
    pool.wait_for_cpu(30, preempted=True)
    pool.run(0.1)


def _analytics(thread: ThreadScript) -> None:
    thread.run(32.9)
    for _ in range(5):
        thread.call((SYSTEM_SERVER, SERVER_FOR_ANALYTICS), 9.78)
        thread.run(0.2)
    _contended(thread, 9)
    thread.run(0.1)


def _contended(thread: ThreadScript, ms: float) -> None:
    """Asleep on a monitor whose owner's method ART does not know: one slice."""
    with thread.section(HELD_POOL):
        thread.sleep(ms, waker=DISK)


def _pool_1(pool: ThreadScript) -> None:
    with pool.section("prefetch"):
        pool.run(25)
    for _ in range(6):
        pool.call((SYSTEM_SERVER, SERVER_FOR_POOL), 8.98)
        pool.run(0.1)


def _disk(disk: ThreadScript) -> None:
    disk.run(0.1)
    disk.block(14.9, io=True, function="ext4_sync_file")
    disk.run(0.1)
    disk.block(30, function="futex_wait_queue_me")
    with disk.section("compact"):
        disk.run(39.9)


def _heap(heap: ThreadScript) -> None:
    for name, times, ms in (
        ("concurrent copying GC", 2, 65),
        ("young concurrent copying GC", 16, 2),
        ("sticky concurrent mark sweep GC", 14, 5),
    ):
        for _ in range(times):
            with heap.section(name):
                heap.run(ms)


def _render(render: ThreadScript) -> None:
    for _ in range(3):
        with render.section("DrawFrame"):
            render.run(12)


def _other_app(world: World, begin: int) -> None:
    """Another app that does the same, much longer: nothing of it may be counted."""
    main = world.script(OTHER).at(begin)
    for name in ("inflate", "parseJson", HELD_POOL, "binder transaction", "concurrent copying GC"):
        with main.section(name):
            main.run(60)
    world.builder.async_slice(OTHER, begin, begin + 10 * MS, START_GLOB)
