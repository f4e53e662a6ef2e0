"""The scene of a cold start: something for every detector to find, something beside it to leave alone.

What happens is written in the order it happens on the main thread; worker threads are placed beside it.
Numbers are milliseconds. ``facts.py`` turns the ledger of it into planted rows.
"""

from __future__ import annotations

from echolot_tui.generate import cast, gauges, workers
from echolot_tui.generate.frames import Frame
from echolot_tui.generate.script import Section
from echolot_tui.generate.world import APP, MS, SYSTEM_SERVER, World


class ColdStart:
    """One play of the scene. After :meth:`play`, ``start`` and ``end`` are the window's."""

    def __init__(self, world: World, number: int) -> None:
        """Prepare occurrence ``number``, counted from 1."""
        self.world = world
        self.number = number
        self.start = 0
        self.end = 0
        self.launched = 0
        self.shown = 0
        self.stretch_from = 0
        self.bind: Section | None = None
        self.frames: list[Frame] = []
        self.main = world.script(APP)

    def play(self) -> None:
        """Everything, in order."""
        self._before()
        self._bind_application()
        self._idle_until_dispatch()
        self._activity_start()
        self._activity_resume()
        workers.work(self.world, self.main.now, self.number)
        self._feed()
        self._wakers()
        self._starved()
        self._compose()
        self._end()

    # ── the main thread, in order ──

    def _before(self) -> None:
        main, world = self.main, self.world
        origin = main.now
        with main.section("zygoteInit"):
            main.run(40)
        with main.section("reportFullyDrawn() of the splash screen"):
            main.run(1)
        self.start = main.now + 59 * MS
        main.sleep_until(self.start - 40 * MS, waker=cast.DISK)
        main.run_until(self.start - 7 * MS)
        # The window opens in the middle of this: 7 ms before it, 3 ms inside.
        main.block_until(self.start + 3 * MS, io=True, function="filemap_fault")
        pool = world.script(cast.POOL_2).at(self.start - 30 * MS)
        with pool.section("preload"):
            pool.run(60)
        self._clocks(origin)

    def _clocks(self, origin: int) -> None:
        if self.number == 1:
            for cpu in range(16):
                self.world.clock(origin, cpu, 1_800_000 if cpu == 4 else 1_200_000)
        self.world.clock(self.start + 400 * MS, 4, 2_400_000 if self.number % 2 else 1_800_000)

    def _bind_application(self) -> None:
        main = self.main
        with main.section("bindApplication") as self.bind:
            main.run(6)
            with main.section("makeApplication"):
                main.run(5)
                with main.section("SdkInit"):
                    main.run(18)
            self.stretch_from = main.now
            main.run(9)
            with main.section("Startup"):
                main.run(2)
                self._work("androidx.work.WorkManagerInitializer", 20)
                self._work("com.example.app.FirebaseInitializer", 24)
            self._work("Lcom/example/app/Graph;", 6)
            self._work("VerifyClass com.example.app.Big", 5)
            self._work("Lcom/example/app/Db;", 4)
            with main.section("openDatabase"):
                main.run(5)
                main.block(25, io=True, function="ext4_file_read_iter")
                main.run(1)
            self._held(12)

    def _idle_until_dispatch(self) -> None:
        worker = self.world.script(cast.DISPATCH_1).at(self.main.now)
        worker.run(8.1)
        self.main.run(0.1)
        self.main.sleep_until(worker.now, waker=cast.DISPATCH_1)

    def _activity_start(self) -> None:
        main = self.main
        with main.section("activityStart"):
            main.run(3)
            with main.section("loadConfig"):
                main.run(2)
                self._chain()
                main.run(1)
            for _ in range(8):
                self._work("inflate", 3)
            with main.section("inflate"):
                main.run(60)
            with main.section("performTraversals"):
                main.run(1)
                for _ in range(4):
                    self._work("measureChild", 11)
                with main.section("measureChild"):
                    main.run(43.9)

    def _chain(self) -> None:
        """Main waits for a dispatcher, which waits for the pool, which waits for the disk: three hops."""
        world, begin = self.world, self.main.now
        disk = world.script(cast.DISK).at(begin)
        disk.run(0.1)
        disk.block(5, io=True, function="ext4_sync_file")
        disk.run(1)
        pool = world.script(cast.POOL_1).at(begin)
        pool.run(0.1)
        pool.sleep_until(disk.now, waker=cast.DISK)
        pool.run(6)
        dispatch = world.script(cast.DISPATCH_1).at(begin)
        dispatch.run(0.1)
        dispatch.sleep_until(pool.now, waker=cast.POOL_1)
        dispatch.run(8)
        self.main.sleep_until(dispatch.now, waker=cast.DISPATCH_1)

    def _activity_resume(self) -> None:
        main, world = self.main, self.world
        with main.section("activityResume"):
            for _ in range(5):
                self._work("bindView", 2)
            with main.section("bindView"):
                main.run(39.9)
            for _ in range(3):
                self._work("layoutPass", 2)
            with main.section("layoutPass"):
                main.run(50)
            main.call((SYSTEM_SERVER, cast.SERVER_FOR_MAIN), 14)
            world.builder.binder_async(APP, (SYSTEM_SERVER, cast.SERVER_FOR_MAIN), main.now, main.now + MS)
            main.run(0.5)

    def _feed(self) -> None:
        main = self.main
        with main.section("loadFeed"):
            self._work("parseJson", 24)
            self._work("sort", 50)
            self._work("formatDate", 20)
            self._work("render", 20)
            self._work("decode", 12)
            self._work("AGENTTMP_load", 10)
            with main.section("visit"):
                main.run(21)
                self._work("visit", 21)
        with main.section("loadProfile"):
            self._work("parseJson", 26)
            self._work("formatDate", 19.9)
            self._work("render", 40)
            self._work("decode", 12)
            self._work("AGENTTMP_load", 35)
        for name in ("loadInbox", "loadBadge"):
            with main.section(name):
                self._work("decode", 12)

    def _wakers(self) -> None:
        """Sleeps between sections, ended by threads that count and by some that do not."""
        for tid, ms in (
            (cast.POOL_1, 10),
            (cast.POOL_2, 9),
            (cast.ANALYTICS, 15.9),
            (cast.RENDER, 30),
            (cast.APP_BINDER, 20),
            (cast.OTHER_WORKER, 20),
        ):
            worker = self.world.script(tid).at(self.main.now)
            worker.run(ms)
            self.main.sleep_until(worker.now, waker=tid)
            self.main.run(0.2)

    def _starved(self) -> None:
        main = self.main
        with main.section("warmUp"):
            main.run(2)
            main.wait_for_cpu(21)
            main.run(1)
            main.wait_for_cpu(19.9, preempted=True)
            main.run(2)
            with main.section("waitWhileAllocating"):
                heap = self.world.script(cast.HEAP).at(main.now)
                heap.run(9)
                main.sleep_until(heap.now, waker=cast.HEAP)

    def _compose(self) -> None:
        if not self.world.options.compose_names:
            return
        main = self.main
        with main.section("traversal"):
            main.run(2)
            with main.section("Compose:recompose"):
                main.run(1)
                with main.section(cast.HOME):
                    main.run(4)
                    self._work(cast.COLUMN, 6)
                    for _ in range(3):
                        self._work(cast.CARD, 3)
                    self._work(cast.TINY, 2)
        with main.section("Recomposer:recompose"), main.section("Compose:recompose"):
            main.run(1)
            self._work(cast.CARD, 2)
            self._work(cast.HOME, 3)
            self._work(cast.TINY, 5.9)

    def _end(self) -> None:
        main, world = self.main, self.world
        upload = world.script(cast.POOL_1).at(main.now)
        with upload.section("upload"):
            upload.run(105)
        main.run(43)
        with main.section("reportFullyDrawn() for Main"):
            main.run(2)
        self.end = main.now
        world.builder.async_slice(APP, self.start, self.end + 20 * MS, cast.START_GLOB, cookie=self.number)
        self._platform()
        main.run(5)
        main.sleep_until(upload.now, waker=cast.POOL_1)
        main.run(1)

    # ── beside it ──

    def _platform(self) -> None:
        """The window manager's launch, the ANRs, frames, and the gauges of the machine."""
        world = self.world
        self.launched, self.shown = self.start - 45 * MS, self.end - 10 * MS
        gauges.launch(world, self.number, self.launched, self.shown)
        if self.number == 1:
            gauges.anrs(world, self.start + 700 * MS)
        if world.options.frames:
            self.frames = gauges.frames(world, self.number, self.start)
        if world.options.platform:
            gauges.gauges(world, self.start)

    def _held(self, ms: float) -> None:
        """Asleep on a monitor. ART writes the wait as two nested slices where it knows the owner's method."""
        with self.main.section(cast.HELD), self.main.section(cast.HELD_INNER):
            holder = self.world.script(cast.DISPATCH_1).at(self.main.now)
            holder.run(ms)
            self.main.sleep_until(holder.now, waker=cast.DISPATCH_1)

    def _work(self, name: str, ms: float) -> None:
        with self.main.section(name):
            self.main.run(ms)
