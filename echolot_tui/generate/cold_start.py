"""The scene of a cold start: something for every detector to find, and something just beside it to leave alone.

What happens is written in the order it happens on the main thread; worker threads are placed beside it. Numbers are
milliseconds. `facts.py` turns the ledger of it into planted rows.
"""

from __future__ import annotations

from echolot_tui.generate import kernel, packets
from echolot_tui.generate.frames import Frame, Jank, Severity, add_frame
from echolot_tui.generate.script import Section, ThreadScript
from echolot_tui.generate.world import (
    APP,
    APP_UID,
    BOOT_NS,
    MS,
    OTHER,
    PACKAGE,
    SURFACEFLINGER,
    SYSTEM_SERVER,
    Options,
    Thread,
    World,
)

START_GLOB = "ColdStart"
END_GLOB = "reportFullyDrawn*"

RENDER, HEAP, APP_BINDER = 4010, 4005, 4006
DISPATCH_1, DISPATCH_2, POOL_1, POOL_2 = 4020, 4024, 4021, 4022
DISK, ANALYTICS, CRUNCH, HALF, NAMESAKE, WATCHDOG = 4023, 4030, 4040, 4041, 4050, 4051
OTHER_WORKER = 4501
SERVER_FOR_MAIN, SERVER_FOR_POOL, SERVER_FOR_ANALYTICS = 1201, 1202, 1203

THREADS = (
    Thread(pid=APP, tid=APP, name=PACKAGE, cpu=4),
    Thread(pid=APP, tid=RENDER, name="RenderThread", cpu=5),
    Thread(pid=APP, tid=HEAP, name="HeapTaskDaemon", cpu=8),
    Thread(pid=APP, tid=APP_BINDER, name="binder:4000_1", cpu=9),
    Thread(pid=APP, tid=DISPATCH_1, name="DefaultDispatch", cpu=6),
    Thread(pid=APP, tid=DISPATCH_2, name="DefaultDispatch", cpu=11),
    Thread(pid=APP, tid=POOL_1, name="pool-2-thread-1", cpu=7),
    Thread(pid=APP, tid=POOL_2, name="pool-2-thread-2", cpu=3),
    Thread(pid=APP, tid=DISK, name="DiskWriter", cpu=2),
    Thread(pid=APP, tid=ANALYTICS, name="Analytics", cpu=1),
    Thread(pid=APP, tid=CRUNCH, name="Crunch", cpu=0),
    Thread(pid=APP, tid=HALF, name="HalfCovered", cpu=12),
    Thread(pid=APP, tid=NAMESAKE, name=PACKAGE, cpu=13),
    Thread(pid=APP, tid=WATCHDOG, name="Watchdog", cpu=13),
    Thread(pid=SYSTEM_SERVER, tid=SYSTEM_SERVER, name="system_server", cpu=10),
    Thread(pid=SYSTEM_SERVER, tid=SERVER_FOR_MAIN, name="binder:1200_1", cpu=10),
    Thread(pid=SYSTEM_SERVER, tid=SERVER_FOR_POOL, name="binder:1200_2", cpu=10),
    Thread(pid=SYSTEM_SERVER, tid=SERVER_FOR_ANALYTICS, name="binder:1200_3", cpu=10),
    Thread(pid=SURFACEFLINGER, tid=SURFACEFLINGER, name="/surfaceflinger", cpu=10),
    Thread(pid=OTHER, tid=OTHER, name="m.example.other", cpu=14),
    Thread(pid=OTHER, tid=OTHER_WORKER, name="OtherWorker", cpu=15),
)
NAMES = {
    SYSTEM_SERVER: ("system_server", 1000),
    SURFACEFLINGER: ("/system/bin/surfaceflinger", 1000),
    APP: (PACKAGE, APP_UID),
    OTHER: ("com.example.other", 10_200),
}

HELD = (
    "monitor contention with owner DefaultDispatch (4020) at void com.example.app.Cache.refresh()(Cache.kt:88) "
    "waiters=0 blocking from java.lang.Object com.example.app.Cache.read()(Cache.kt:41)"
)
HELD_INNER = "Lock contention on a monitor lock (owner tid: 4020)"
HELD_POOL = "Lock contention on a monitor lock (owner tid: 4023)"

HOME = "com.example.app.ui.HomeScreen (HomeScreen.kt:42)"
CARD = "com.example.app.ui.Card (Card.kt:10)"
TINY = "com.example.app.ui.Tiny (Tiny.kt:5)"
COLUMN = "androidx.compose.foundation.layout.Column (Column.kt:90)"

ANR_SUBJECT = "Input dispatching timed out (com.example.app/com.example.app.MainActivity, Waited 5001ms)"
ANR_ID = "6e1b3c1c-3f6a-4c56-9d0e-5a1f0c2b7d11"
OTHER_ANR_ID = "0d8a44b2-9a51-4f0e-8f67-1b2c3d4e5f60"

TEMPERATURES = ((-50, "BIG", 52_000), (100, "skin", 41_200), (300, "BIG", 46_800), (600, "skin", 43_000))
"""Milliseconds from the window's start, zone, thousandths of a degree; the hottest lies outside."""
COOLING = ((-80, 0), (350, 1), (500, 0))
COOLING_DEVICE = "cpufreq-cpu4"
MEMORY = ((-50, 1_400_000, 980), (200, 1_600_000, 1_000), (450, 1_512_000, 1_037), (700, 1_580_000, 1_041))
"""Milliseconds from the window's start, available kB, major faults since boot; the least free lies outside."""

LEAD_MS = 100.0
"""From the recording's start (or the last occurrence's rest) to the window."""
FRAME_MS = 16.67


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
        self._background()
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
        self.start = origin + round(LEAD_MS * MS)
        main.sleep_until(self.start - 40 * MS, waker=DISK)
        main.run((self.start - 7 * MS - main.now) / MS)
        # The window opens in the middle of this: 7 ms before it, 3 ms inside.
        main.block((self.start + 3 * MS - main.now) / MS, io=True, function="filemap_fault")
        pool = world.script(POOL_2).at(self.start - 30 * MS)
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
            self._contended(main, HELD, HELD_INNER, 12, DISPATCH_1)

    def _idle_until_dispatch(self) -> None:
        worker = self.world.script(DISPATCH_1).at(self.main.now)
        worker.run(8.1)
        self.main.run(0.1)
        self.main.sleep_until(worker.now, waker=DISPATCH_1)

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
        disk = world.script(DISK).at(begin)
        disk.run(0.1)
        disk.block(5, io=True, function="ext4_sync_file")
        disk.run(1)
        pool = world.script(POOL_1).at(begin)
        pool.run(0.1)
        pool.sleep_until(disk.now, waker=DISK)
        pool.run(6)
        dispatch = world.script(DISPATCH_1).at(begin)
        dispatch.run(0.1)
        dispatch.sleep_until(pool.now, waker=POOL_1)
        dispatch.run(8)
        self.main.sleep_until(dispatch.now, waker=DISPATCH_1)

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
            main.call((SYSTEM_SERVER, SERVER_FOR_MAIN), 14)
            world.builder.binder_async(APP, (SYSTEM_SERVER, SERVER_FOR_MAIN), main.now, main.now + MS)
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
        for tid, ms in ((POOL_1, 10), (POOL_2, 9), (ANALYTICS, 15.9), (RENDER, 30), (APP_BINDER, 20), (OTHER_WORKER, 20)):
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
                heap = self.world.script(HEAP).at(main.now)
                heap.run(9)
                main.sleep_until(heap.now, waker=HEAP)

    def _compose(self) -> None:
        if not self.world.options.compose_names:
            return
        main = self.main
        with main.section("traversal"):
            main.run(2)
            with main.section("Compose:recompose"):
                main.run(1)
                with main.section(HOME):
                    main.run(4)
                    self._work(COLUMN, 6)
                    for _ in range(3):
                        self._work(CARD, 3)
                    self._work(TINY, 2)
        with main.section("Recomposer:recompose"), main.section("Compose:recompose"):
            main.run(1)
            self._work(CARD, 2)
            self._work(HOME, 3)
            self._work(TINY, 5.9)

    def _end(self) -> None:
        main, world = self.main, self.world
        upload = world.script(POOL_1).at(main.now)
        with upload.section("upload"):
            upload.run(105)
        main.run(43)
        with main.section("reportFullyDrawn() for Main"):
            main.run(2)
        self.end = main.now
        world.builder.async_slice(APP, self.start, self.end + 20 * MS, START_GLOB, cookie=self.number)
        self._platform_view()
        main.run(5)
        main.sleep_until(upload.now, waker=POOL_1)
        main.run(1)

    # ── beside it ──

    def _background(self) -> None:
        """What workers do while the main thread is busy with the feed."""
        world, begin = self.world, self.main.now
        _pool_1(world.script(POOL_1).at(begin))
        self._pool_2(world.script(POOL_2).at(begin))
        _disk(world.script(DISK).at(begin))
        self._analytics(world.script(ANALYTICS).at(begin))
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
        if self.number == 1:
            world.script(WATCHDOG).at(begin).leave_open("leakSession")
        _render(world.script(RENDER).at(begin))
        _other_app(world, begin)

    def _pool_2(self, pool: ThreadScript) -> None:
        with pool.section("prefetch"):
            pool.run(20)
        for _ in range(6):
            self._contended(pool, None, HELD_POOL, 7.9, DISK)
            pool.run(0.1)
        pool.wait_for_cpu(30, preempted=True)
        pool.run(0.1)

    def _analytics(self, thread: ThreadScript) -> None:
        thread.run(32.9)
        for _ in range(5):
            thread.call((SYSTEM_SERVER, SERVER_FOR_ANALYTICS), 9.78)
            thread.run(0.2)
        self._contended(thread, None, HELD_POOL, 9, DISK)
        thread.run(0.1)

    def _contended(self, thread: ThreadScript, outer: str | None, inner: str, ms: float, owner: int) -> None:
        """Asleep on a monitor. ART writes one wait as two nested slices where it knows the owner's method."""
        if outer is None:
            with thread.section(inner):
                thread.sleep(ms, waker=owner)
            return
        with thread.section(outer), thread.section(inner):
            holder = self.world.script(owner).at(thread.now)
            holder.run(ms)
            thread.sleep_until(holder.now, waker=owner)

    def _platform_view(self) -> None:
        """The window manager's launch, the ANRs, frames, and the gauges of the machine."""
        builder, name = self.world.builder, f"launchingActivity#{self.number}"
        self.launched, self.shown = self.start - 45 * MS, self.end - 10 * MS
        builder.async_slice(SYSTEM_SERVER, self.launched, self.shown, name)
        done = f"{name}:completed-cold:{PACKAGE}"
        builder.slice(SYSTEM_SERVER, SYSTEM_SERVER, self.shown + MS, self.shown + MS, done)
        if self.number == 1:
            self._anr(PACKAGE, APP, ANR_ID, ANR_SUBJECT)
            self._anr(NAMES[OTHER][0], OTHER, OTHER_ANR_ID, "Broadcast of Intent { act=com.example.other.SYNC }")
        if self.world.options.frames:
            self._frames()
        if self.world.options.platform:
            self._gauges()

    def _anr(self, name: str, pid: int, error: str, subject: str) -> None:
        builder, ts = self.world.builder, self.start + 700 * MS
        builder.counter(SYSTEM_SERVER, ts, f"ErrorId:{name} {pid}#{error}", 1)
        builder.counter(SYSTEM_SERVER, ts, f"Subject(for ErrorId {error}):{subject}", 1)

    def _gauges(self) -> None:
        builder, start = self.world.builder, self.start
        for at, zone, degrees in TEMPERATURES:
            builder.event(0, start + at * MS, kernel.temperature(zone, degrees))
        for at, level in COOLING:
            builder.event(0, start + at * MS, kernel.cooling(COOLING_DEVICE, level))
        for at, available, faults in MEMORY:
            packets.memory(builder, start + at * MS, available_kb=available, major_faults=faults)

    def _frames(self) -> None:
        """Frames of the app and of another one; the overrun decides, not the tag alone."""
        missed, stuffed, sf = Jank.APP_DEADLINE_MISSED, Jank.BUFFER_STUFFING, Jank.SF_CPU_DEADLINE_MISSED
        late = {3: (missed, 12.0), 6: (missed, 10.0), 9: (missed, 6.0), 12: (missed, 5.0), 15: (missed, 3.9)}
        late |= {18: (sf, 20.0), 21: (sf, 25.0), 24: (stuffed, 3.0), 27: (stuffed, 2.0), 30: (stuffed, 1.0)}
        for index in range(36):
            jank, overrun = late.get(index, (Jank.NONE, 0.0))
            self._frame(APP, index, jank, overrun)
            if index % 4 == 0:
                self._frame(OTHER, index, missed, 30.0)

    def _frame(self, pid: int, index: int, jank: Jank, overrun_ms: float) -> None:
        due_from = self.start + round((2 + FRAME_MS * index) * MS)
        due = due_from + round(FRAME_MS * MS)
        frame = Frame(
            pid=pid,
            token=10_000 * self.number + 2 * index + (pid == OTHER),
            layer=f"TX - {NAMES[pid][0]}/{NAMES[pid][0]}.Main#77",
            due_from=due_from,
            due=due,
            started=due_from + MS,
            presented=due + (self.world.stage.pace.ns("frames", overrun_ms) if overrun_ms > 0 else -4 * MS),
            jank=jank,
            severity=Severity.NONE if jank is Jank.NONE else Severity.FULL,
        )
        self.frames.append(frame)
        add_frame(self.world.builder, frame)

    def _work(self, name: str, ms: float) -> None:
        with self.main.section(name):
            self.main.run(ms)


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


def new_world(options: Options) -> World:
    """The device of this scene, before anything happens."""
    return World(options, THREADS, NAMES)


__all__ = ["BOOT_NS", "END_GLOB", "START_GLOB", "ColdStart", "new_world"]
