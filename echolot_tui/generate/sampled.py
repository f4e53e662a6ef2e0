"""A callstack sampler on a cold start: what it saw of the app, and what it saw elsewhere."""

from __future__ import annotations

from echolot_tui.generate.cast import CRUNCH
from echolot_tui.generate.cold_start import ColdStart
from echolot_tui.generate.planted import PlantedSampling
from echolot_tui.generate.samples import Sample, StackFrame, add_samples
from echolot_tui.generate.sched import State
from echolot_tui.generate.world import APP, MS, OTHER, PACKAGE, SAMPLING_HZ, World

_LIBC = "/apex/com.android.runtime/lib64/bionic/libc.so"
_FRAMEWORK = "/system/framework/framework.jar"
_APP_FILE = f"/data/app/~~Zk3rT0a==/{PACKAGE}-Q9x1bw==/base.apk"
_JIT = "/memfd:jit-cache"

METHODS = (
    ("com.example.app.MainActivity.onCreate", _APP_FILE),
    ("com.example.app.feed.FeedRepository.load", _APP_FILE),
    ("com.example.app.feed.FeedParser$Companion.parse", _JIT),
    ("com.example.app.sync.Crunch.run", _APP_FILE),
)
MINIFIED_METHODS = (
    ("a1.b.c", _APP_FILE),
    ("p.q2.onCreate", _APP_FILE),
    ("x0.a$b.invoke", _JIT),
    ("com.example.app.sync.Crunch.run", _APP_FILE),
)
"""The class of the first three has a name as R8 writes them; the last kept its own."""

_EVERY_NTH_LACKS_A_STACK = 5


def sample(world: World, plays: list[ColdStart]) -> list[PlantedSampling | None]:
    """Write the sampler's packets; what each play should be reported to hold.

    Asked for but never started leaves nothing but the request in the recording's config.
    """
    if world.options.sampling in ("off", "asked"):
        state = None if world.options.sampling == "off" else _nothing()
        return [state for _ in plays]
    taken = [one for play in plays for one in _of(world, play)]
    add_samples(world.builder, SAMPLING_HZ, sorted(taken, key=lambda one: one.ts))
    return [_harvest(taken, play) for play in plays]


def _nothing() -> PlantedSampling:
    return PlantedSampling(hz=SAMPLING_HZ, started=False, samples=0, with_stack=0, methods=0, minified=0)


def _of(world: World, play: ColdStart) -> list[Sample]:
    """A sample a period of each thread that runs then, also outside the window and of the other app."""
    methods = MINIFIED_METHODS if world.options.sampling == "minified" else METHODS
    period = 1_000 * MS // SAMPLING_HZ
    taken: list[Sample] = []
    for tid, pid in ((APP, APP), (CRUNCH, APP), (OTHER, OTHER)):
        for number, ts in enumerate(range(play.start - 60 * MS, play.end + 8 * MS, period)):
            cpu = _cpu_at(world, tid, ts)
            if cpu is None:
                continue
            method, mapping = methods[3] if tid == CRUNCH else methods[number % 3]
            stack = (
                StackFrame(function="__libc_init", mapping=_LIBC),
                StackFrame(function="android.os.Looper.loop", mapping=_FRAMEWORK),
                StackFrame(function=method, mapping=mapping),
            )
            whole = number % _EVERY_NTH_LACKS_A_STACK > 0
            taken.append(Sample(ts=ts, cpu=cpu, pid=pid, tid=tid, stack=stack if whole else ()))
    return taken


def _cpu_at(world: World, tid: int, ts: int) -> int | None:
    """Where a thread runs at a moment; ``None`` when it does not."""
    for segment in world.stage.segments.get(tid, []):
        if segment.start <= ts < segment.end:
            return segment.cpu if segment.state is State.RUNNING else None
    return None


def _harvest(taken: list[Sample], play: ColdStart) -> PlantedSampling:
    own = [one for one in taken if one.pid == APP and play.start <= one.ts <= play.end]
    seen = {one.stack[-1].function for one in own if one.stack}
    minified = {name for name, _ in MINIFIED_METHODS[:3]}
    return PlantedSampling(
        hz=SAMPLING_HZ,
        started=True,
        samples=len(own),
        with_stack=sum(1 for one in own if one.stack),
        methods=len(seen),
        minified=len(seen & minified),
    )
