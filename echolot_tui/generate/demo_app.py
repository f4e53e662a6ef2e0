"""The demo's app: a cold start that looks like one, with a lock in it that can be held longer."""

from __future__ import annotations

from echolot_tui.generate import kernel, packets
from echolot_tui.generate.demo_sources import FLUSH_LINE, HEADER_LINE, SNAPSHOT_LINE
from echolot_tui.generate.frames import Frame, Jank, Severity, add_frame
from echolot_tui.generate.script import ThreadScript
from echolot_tui.generate.world import (
    APP,
    APP_UID,
    BOOT_NS,
    MS,
    PACKAGE,
    SURFACEFLINGER,
    SYSTEM_SERVER,
    Options,
    Thread,
    World,
)

START_GLOB = "bindApplication"
END_GLOB = "reportFullyDrawn*"

RENDER, HEAP, SYNC, POOL_1, POOL_2, NETWORK, VSYNC, SERVER = 4010, 4005, 4020, 4031, 4032, 4040, 601, 1201
THREADS = (
    Thread(pid=APP, tid=APP, name=PACKAGE, cpu=4),
    Thread(pid=APP, tid=HEAP, name="HeapTaskDaemon", cpu=3),
    Thread(pid=APP, tid=RENDER, name="RenderThread", cpu=6),
    Thread(pid=APP, tid=SYNC, name="DefaultDispatch", cpu=5),
    Thread(pid=APP, tid=POOL_1, name="pool-1-thread-1", cpu=1),
    Thread(pid=APP, tid=POOL_2, name="pool-1-thread-2", cpu=0),
    Thread(pid=APP, tid=NETWORK, name="OkHttp Dispatch", cpu=2),
    Thread(pid=SYSTEM_SERVER, tid=SYSTEM_SERVER, name="system_server", cpu=7),
    Thread(pid=SYSTEM_SERVER, tid=SERVER, name="binder:1200_1", cpu=7),
    Thread(pid=SURFACEFLINGER, tid=SURFACEFLINGER, name="/surfaceflinger", cpu=7),
    Thread(pid=SURFACEFLINGER, tid=VSYNC, name="app", cpu=7),
)
NAMES = {
    SYSTEM_SERVER: ("system_server", 1000),
    SURFACEFLINGER: ("/system/bin/surfaceflinger", 1000),
    APP: (PACKAGE, APP_UID),
}

HELD_OUTER = (
    "monitor contention with owner DefaultDispatch (4020) "
    f"at void com.example.app.sync.SyncEngine.flush()(SyncEngine.kt:{FLUSH_LINE}) waiters=0 "
    f"blocking from java.util.List com.example.app.feed.FeedStore.snapshot()(FeedStore.kt:{SNAPSHOT_LINE})"
)
HELD = "Lock contention on a monitor lock (owner tid: 4020)"
HELD_MS = (26.0, 19.0, 17.0)
"""How long the lock is waited for, three times a start."""

FRAME_NS = 16_670_000
_FRAMES = 26
_OUTLIER_RUNS = (1, 3)


class DemoStart:
    """One cold start of the demo's app."""

    def __init__(self, options: Options, held: float) -> None:
        """Prepare.

        Args:
            options: The run.
            held: How much longer than usual the lock is held.
        """
        self.world = World(options, THREADS, NAMES)
        self.main = self.world.script(APP)
        self._held_factor = held
        self._repeat = options.run % 10

    def record(self) -> bytes:
        """The trace's bytes."""
        main, world = self.main, self.world
        self._clocks()
        self._work("PostFork", 18)
        main.run(4)
        launched = main.now - 12 * MS
        self._bind_application()
        self._activity_start()
        self._activity_resume()
        self._frames()
        with main.section("reportFullyDrawn() for ComponentInfo{com.example.app/.MainActivity}"):
            main.run(1.5)
        shown = main.now - 4 * MS
        world.builder.async_slice(SYSTEM_SERVER, launched, shown, "launchingActivity#1")
        done = f"launchingActivity#1:completed-cold:{PACKAGE}"
        world.builder.slice(SYSTEM_SERVER, SYSTEM_SERVER, shown, shown, done)
        main.run(3)
        return world.finish()

    def _clocks(self) -> None:
        for cpu in range(8):
            self.world.clock(BOOT_NS, cpu, 1_328_000 if cpu < 4 else 1_803_000)
        for second in range(3):
            at = BOOT_NS + second * 450 * MS
            self.world.builder.event(0, at, kernel.temperature("skin", 38_400 + 600 * second))
            packets.memory(
                self.world.builder, at, available_kb=1_540_000 - 9_000 * second, major_faults=2_100
            )

    def _bind_application(self) -> None:
        main = self.main
        self.world.script(SYNC).at(main.now).run(74)
        with main.section("bindApplication"):
            main.run(5)
            with main.section("makeApplication"):
                main.run(2)
                with main.section("ExampleApplication.onCreate"):
                    main.run(6)
                    self._work("Analytics.init", 21)
                    self._work("CrashReporter.init", 17)
                    with main.section("FeatureFlags.read"):
                        main.run(4)
                        main.block(24, io=True, function="ext4_file_read_iter")
                        main.run(2)
            with main.section("Startup"):
                main.run(1)
                self._work("androidx.work.WorkManagerInitializer", 12)
                self._work("androidx.emoji2.text.EmojiCompatInitializer", 9)
                self._work("androidx.profileinstaller.ProfileInstallerInitializer", 5)
            self._work("Lcom/example/app/di/AppComponent;", 9)
            self._work("VerifyClass com.example.app.feed.FeedAdapter", 6)
            self._work("VerifyClass com.example.app.net.Api", 4)
            self._work("ImageLoader.install", 16)
            self._work("PushService.register", 18)
            main.run(7)

    def _activity_start(self) -> None:
        main = self.main
        with main.section("activityStart"):
            main.run(2)
            with main.section("performCreate:com.example.app.MainActivity"):
                main.run(8)
                main.call((SYSTEM_SERVER, SERVER), 11)
                main.run(1)
                with main.section("setContentView"):
                    main.run(2)
                    for number in range(14):
                        self._work("inflate", 46 if number == 9 and self._repeat in _OUTLIER_RUNS else 4.5)
                with main.section("FeedStore.open"):
                    main.run(6)
                    main.block(11, io=True, function="ext4_file_read_iter")
                    self._work("SQLiteProgram.query", 8)
                    self._wait_for_lock(HELD_MS[0])
                    self._work("SQLiteProgram.query", 7)
            with main.section("FeedRepository.restore"):
                self._work("FeedParser.parse", 23)
            with main.section("FeedRepository.refresh"):
                self._wait_for_lock(HELD_MS[1])
                self._work("FeedParser.parse", 24)

    def _activity_resume(self) -> None:
        main = self.main
        self._decode_images()
        with main.section("activityResume"):
            main.run(4)
            self._work("MainActivity.onResume", 18)
            main.call((SYSTEM_SERVER, SERVER), 13)
            main.run(1)
            self._wait_for_lock(HELD_MS[2])
            self._work("SessionTracker.start", 19)

    def _decode_images(self) -> None:
        """Two pool threads and the network, beside the frames."""
        world, begin = self.world, self.main.now
        for tid in (POOL_1, POOL_2):
            pool = world.script(tid).at(begin)
            for _ in range(6):
                with pool.section("ImageLoader.decode"):
                    pool.run(15)
                pool.run(0.4)
        network = world.script(NETWORK).at(begin)
        for ms in (31, 22):
            with network.section("Api.readResponse"):
                network.run(ms)
            network.run(0.3)
        heap = world.script(HEAP).at(begin)
        for name, ms in (("young concurrent copying GC", 11), ("concurrent copying GC", 47)):
            with heap.section(name):
                heap.run(ms)
            heap.run(0.2)

    def _frames(self) -> None:
        """Frames; the first ones take longer than their time."""
        main = self.main
        for number in range(_FRAMES):
            due_from = main.now
            with main.section("Choreographer#doFrame"):
                main.run(0.5)
                with main.section("traversal"):
                    main.run(0.5)
                    heavy = 4.0 if number < 4 else 1.0
                    self._work("measure", 3.6 * heavy)
                    self._work("layout", 1.9 * heavy)
                    for _ in range(2):
                        self._work("RV OnBindView", 1.7)
                    if number == 0:
                        self._compose_header()
                    self._work("draw", 1.1)
            drawn = self._draw(main.now, shaders=number == 0)
            self._frame(number, due_from, drawn)
            next_vsync = due_from + FRAME_NS * -(-(main.now + MS - due_from) // FRAME_NS)
            main.sleep_until(next_vsync, waker=VSYNC)
            main.run(0.1)
        self._wait_for_image()

    def _compose_header(self) -> None:
        with self.main.section("Compose:recompose"):
            self.main.run(0.6)
            with self.main.section(f"com.example.app.ui.FeedHeader (FeedHeader.kt:{HEADER_LINE})"):
                self.main.run(9.5)
                self._work("androidx.compose.foundation.layout.Row (Row.kt:84)", 3)

    def _wait_for_image(self) -> None:
        pool = self.world.script(POOL_1).at(self.main.now)
        with pool.section("ImageLoader.decodeHero"):
            pool.run(46)
        self.main.sleep_until(pool.now, waker=POOL_1)
        self._work("HeroView.setImage", 17)

    def _draw(self, begin: int, *, shaders: bool) -> int:
        render = self.world.script(RENDER).at(begin)
        with render.section("DrawFrames"):
            render.run(2.2)
            if shaders:
                with render.section("shader_compile"):
                    render.run(9)
        return render.now

    def _frame(self, number: int, due_from: int, drawn: int) -> None:
        due = due_from + FRAME_NS
        late = drawn > due
        frame = Frame(
            pid=APP,
            token=900 + number,
            layer=f"TX - {PACKAGE}/{PACKAGE}.MainActivity#41",
            due_from=due_from,
            due=due,
            started=due_from,
            presented=drawn,
            jank=Jank.APP_DEADLINE_MISSED if late else Jank.NONE,
            severity=Severity.FULL if late else Severity.NONE,
        )
        add_frame(self.world.builder, frame)

    def _wait_for_lock(self, ms: float) -> None:
        """The owner holds the lock while it waits for the network: it burns no CPU and has no slice."""
        owner = self.world.script(SYNC)
        with self.main.section(HELD_OUTER), self.main.section(HELD):
            until = self.main.now + self.world.stage.pace.ns(HELD, ms * self._held_factor)
            _wait_for_network(owner, self.main.now, until)
            self.main.sleep_until(until, waker=SYNC)

    def _work(self, name: str, ms: float) -> None:
        with self.main.section(name):
            self.main.run(ms)


def _wait_for_network(owner: ThreadScript, begin: int, until: int) -> None:
    """On the CPU for a moment at both ends, asleep between them."""
    owner.at(max(owner.now, begin))
    owner.run_until(owner.now + MS // 20)
    owner.at(until - MS // 20)
    owner.run_until(until)
