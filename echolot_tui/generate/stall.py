"""A main thread that does not come back for seconds: for the detector a cold start is too short for."""

from __future__ import annotations

from echolot_tui.generate.cast import DISK, END_GLOB, NAMES, START_GLOB, THREADS
from echolot_tui.generate.planted import Planted, PlantedRow
from echolot_tui.generate.scene import Scene
from echolot_tui.generate.script import WAKE_NS
from echolot_tui.generate.world import APP, MS, PACKAGE, Options, World
from echolot_tui.units import ms

UNNAMED = "uninstrumented work on the main thread"


def stall() -> Scene:
    """Three stretches of more than five seconds, and two that are not; only ``anr_risk`` is promised.

    One is work in two sections with a nap between them too short to count, one a section that only waits, one
    work without a section. Beside them: two stretches kept apart by a nap just long enough, and one just too
    short. The slice around everything must not make one stretch of it all.
    """
    world = World(Options(compose_names=False), THREADS, NAMES)
    main = world.script(APP)
    main.run(50)
    start = main.now
    rows: list[PlantedRow] = []
    below: list[PlantedRow] = []

    def stretch(into: list[PlantedRow], name: str, since: int) -> None:
        length = ms(main.now - since)
        into.append(PlantedRow(location=name, count=1, total_ms=length, max_ms=length))

    def pause(nap_ms: float) -> int:
        """Idle; the next stretch begins when the main thread is woken, before it runs."""
        main.sleep_until(main.now + round(nap_ms * MS), waker=DISK)
        return main.now - WAKE_NS

    with main.section("Looper.session"):
        with main.section("rebuildIndex"):
            main.run(3_000)
            main.wait_for_cpu(200, preempted=True)
            main.run(1_000)
        pause(1.9)
        with main.section("mergeIndex"):
            main.run(1_000)
        stretch(rows, "rebuildIndex", start)
        since = pause(500)
        with main.section("syncAll"):
            main.run(3_000)
        stretch(below, "syncAll", since)
        since = pause(2.1)
        with main.section("syncRest"):
            main.run(2_500)
        stretch(below, "syncRest", since)
        since = pause(500)
        with main.section("awaitServer"):
            main.run(1)
            main.sleep(5_100, waker=DISK)
            main.run(1)
        stretch(rows, "awaitServer", since)
        since = pause(500)
        main.run(5_100)
        stretch(rows, UNNAMED, since)
        since = pause(500)
        main.run(4_999)
        stretch(below, UNNAMED, since)
        pause(500)
        main.run(0.1)
    with main.section("reportFullyDrawn() after the stalls"):
        main.run(1)
    end = main.now
    world.builder.async_slice(APP, start, end, START_GLOB)
    main.run(1)
    planted = Planted(
        process=PACKAGE,
        pid=APP,
        package=PACKAGE,
        start_glob=START_GLOB,
        end_glob=END_GLOB,
        start_ns=start,
        end_ns=end,
        window_ms=ms(end - start),
        rows={"anr_risk": tuple(rows)},
        below={"anr_risk": tuple(below)},
        absent={"anr_risk": ("Looper.session",)},
    )
    return Scene(trace=world.finish(), occurrences=(planted,))
