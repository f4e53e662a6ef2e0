"""What a cold start should be reported as, read off the script's ledger.

Rows of the detectors that only add up are added up over everything the threads did, so nothing that happens
can be forgotten; those of the detectors that judge a pattern are written down one by one, beside their
negative controls.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

from echolot_tui.generate import cast, gauges
from echolot_tui.generate.cold_start import ColdStart
from echolot_tui.generate.frames import Frame, Jank
from echolot_tui.generate.ledger import Ledger, Tally
from echolot_tui.generate.planted import (
    Planted,
    PlantedBudget,
    PlantedClock,
    PlantedEnvironment,
    PlantedOpenedInside,
    PlantedRow,
    PlantedSampling,
    PlantedStartup,
)
from echolot_tui.generate.sched import READY, State
from echolot_tui.generate.script import Section
from echolot_tui.generate.world import APP, MS, PACKAGE, World
from echolot_tui.text import family
from echolot_tui.units import ms, round1

Item = TypeVar("Item")
Key = TypeVar("Key", bound=Hashable)

JANK_NAMES = {
    Jank.APP_DEADLINE_MISSED: "App Deadline Missed",
    Jank.BUFFER_STUFFING: "Buffer Stuffing",
    Jank.SF_CPU_DEADLINE_MISSED: "SurfaceFlinger CPU Deadline Missed",
}


def planted(world: World, played: ColdStart, sampling: PlantedSampling | None) -> Planted:
    """Everything one play of the scene holds."""
    facts = _Facts(world, played)
    facts.collect()
    sched = world.stage.sched
    return Planted(
        process=PACKAGE if world.options.named else f"pid {APP}",
        pid=APP,
        package=PACKAGE,
        start_glob=cast.START_GLOB,
        end_glob=cast.END_GLOB,
        start_ns=played.start,
        end_ns=played.end,
        window_ms=ms(played.end - played.start),
        rows={detector: tuple(rows) for detector, rows in facts.rows.items()},
        below={detector: tuple(rows) for detector, rows in facts.below.items()},
        absent=_absent(),
        budget=facts.budget() if sched else None,
        opened_inside=facts.opened_inside() if sched else None,
        startup=PlantedStartup(
            type="cold",
            dur_ms=ms(played.shown - played.launched),
            from_window_start_ms=ms(played.launched - played.start),
            from_window_end_ms=ms(played.shown - played.end),
        )
        if world.options.named
        else None,
        environment=facts.environment(sampling),
    )


class _Facts:
    """One occurrence, and the rows found so far."""

    def __init__(self, world: World, played: ColdStart) -> None:
        self.world = world
        self.played = played
        self.ledger = Ledger(world.stage, played.start, played.end)
        self.app = world.tids(APP)
        self.workers = self.app - {APP}
        self.rows: dict[str, list[PlantedRow]] = defaultdict(list)
        self.below: dict[str, list[PlantedRow]] = defaultdict(list)

    def collect(self) -> None:
        self._main_sums()
        if self.world.options.named:  # without names no row of a thread can be foretold
            self._worker_sums()
            self._calls()
        self._outliers()
        self._repeated()
        self._app_init()
        if self.world.options.compose_names:
            self._composables()
        if self.world.stage.sched:
            self._state_sums()
            self._uncovered()
            self._waits()
        if self.world.options.frames:
            self._janky()
        if self.played.number == 1 and self.world.options.named:
            self._put("anr", PlantedRow(location=gauges.ANR_SUBJECT, count=1), over=True)

    # ── rows that add up ──

    def _main_sums(self) -> None:
        for name, tally in self.ledger.by_name({APP}).items():
            self._put("main_thread_block", _row(name, tally), over=tally.self_ns >= 16 * MS)

    def _worker_sums(self) -> None:
        work = _grouped(
            self.ledger.sections(self.workers), lambda one: (one.name, family(self._name(one.tid)))
        )
        for (name, thread), sections in work.items():
            tally = self.ledger.tally(sections)
            self._put("background_work", _row(name, tally, thread=thread), over=tally.self_ns >= 40 * MS)

    def _calls(self) -> None:
        """Contention, binder calls and collections by thread: listed by the longest or by the sum."""
        sections = list(self.ledger.sections(self.app))
        for detector, chosen, longest in (
            ("monitor_contention", filter(_contends, sections), 8 * MS),
            ("binder_txn", filter(_calls_binder, sections), 10 * MS),
        ):
            for tid, group in _grouped(chosen, lambda one: one.tid).items():
                tally = self.ledger.tally(group)
                over = tally.max_ns >= longest or tally.total_ns >= 50 * MS
                self._put(detector, _row(self._name(tid), tally, self_ms=False), over=over)
        collected = _grouped(filter(_collects, sections), lambda one: (one.name, one.tid))
        for (name, tid), group in collected.items():
            tally = self.ledger.tally(group)
            over = tally.count >= 15 or tally.total_ns >= 120 * MS
            self._put("gc_pressure", _row(name, tally, thread=self._name(tid), self_ms=False), over=over)

    def _state_sums(self) -> None:
        for threads, name, kind in self._by_thread_name():
            for state, short in ((State.RUNNABLE, "R"), (State.PREEMPTED, "R+")):
                waited = self.ledger.state_ns(threads, state)
                row = PlantedRow(location=name, detail=f"state {short}", total_ms=ms(waited))
                self._put("runnable_starvation", row, over=waited >= 20 * MS)
            io = self.ledger.io_ns(threads)
            self._put("io_wait", PlantedRow(location=name, thread=kind, total_ms=ms(io)), over=io >= 20 * MS)

    def _uncovered(self) -> None:
        for threads, name, _ in self._by_thread_name():
            ran = self.ledger.state_ns(threads, State.RUNNING)
            covered = self.ledger.covered_ns(threads)
            row = PlantedRow(location=name, total_ms=ms(ran), covered_ms=ms(covered))
            self._put("uninstrumented_cpu", row, over=ran >= 50 * MS and covered * 2 < ran)

    def _by_thread_name(self) -> list[tuple[list[int], str, str]]:
        """Threads that make one row: pools by name, the main thread always by itself."""
        pools = _grouped(sorted(self.workers), self._name)
        return [
            ([APP], self._name(APP), "main"),
            *((tids, name, "background") for name, tids in pools.items()),
        ]

    # ── rows that are a pattern ──

    def _outliers(self) -> None:
        for name in ("inflate", "measureChild", "bindView", "layoutPass"):
            lengths = {id(one): self.ledger.clip(one.start, one.end) for one in self._main(name)}
            median = sorted(lengths.values())[(len(lengths) - 1) // 2]
            slow = [one for one in self._main(name) if lengths[id(one)] >= max(4 * median, 40 * MS)]
            shown = slow or [max(self._main(name), key=lambda one: lengths[id(one)])]
            row = _row(name, self.ledger.tally(shown), self_ms=False)
            self._put("main_thread_outlier", row, over=bool(slow) and len(lengths) >= 5)

    def _repeated(self) -> None:
        """The same work asked for in two or three places; one of the markers may differ in length."""
        for name in (
            "parseJson",
            "AGENTTMP_load",
            "formatDate",
            "render",
            "decode",
            "sort",
            "inflate",
            "visit",
        ):
            calls = [one for one in self._main(name) if one.parent is None or one.parent.name != name]
            lengths = [self.ledger.clip(one.start, one.end) for one in calls]
            callers = {one.parent.name for one in calls if one.parent is not None}
            alike = max(lengths) <= 1.5 * min(lengths)
            near_miss = name.startswith("AGENTTMP_") and len(callers) == 2
            over = 2 <= len(callers) <= 3 and sum(lengths) >= 40 * MS and (alike or near_miss)
            self._put("repeated_work", _row(name, self.ledger.tally(calls), self_ms=False), over=over)

    def _app_init(self) -> None:
        bind = self.played.bind
        assert bind is not None
        assert bind.end is not None
        inside = [child for child in bind.children if child.start >= self.played.stretch_from]
        startup = [child for section in inside if section.name == "Startup" for child in section.children]
        named = [section for section in inside if section.name not in ("Startup", cast.HELD)]
        for name, sections in _grouped([*named, *startup], lambda one: _art_folded(one.name)).items():
            self._put("app_init", _row(name, self.ledger.tally(sections), self_ms=False), over=True)
        unnamed = bind.end - self.played.stretch_from - self.ledger.tally(inside).total_ns
        row = PlantedRow(location="(no section)", count=1, total_ms=ms(unnamed), max_ms=ms(unnamed))
        self._put("app_init", row, over=True)

    def _composables(self) -> None:
        """A composable's time less that of the app's own composables inside; the library's stay in."""
        own = (cast.HOME, cast.CARD, cast.TINY)
        for name in own:
            calls = self._main(name)
            inner = [child for call in calls for child in call.children if child.name in own]
            self_ns = self.ledger.tally(calls).total_ns - self.ledger.tally(inner).total_ns
            row = PlantedRow(location=name, count=len(calls), self_ms=ms(self_ns))
            self._put("composables", row, over=self_ns >= 8 * MS)

    def _waits(self) -> None:
        """Sleeps of the main thread ended by a worker that is named and neither draws nor answers calls."""
        sums: dict[str, int] = defaultdict(int)
        for segment in self.world.stage.segments[APP]:
            slept = self.ledger.clip(segment.start, segment.end)
            if segment.state is not State.SLEEPING or not slept or segment.waker not in self.workers:
                continue
            waker = self._name(segment.waker)
            if (
                waker != "RenderThread"
                and not waker.startswith("binder:")
                and not self._in_lock(segment.start)
            ):
                sums[family(waker)] += slept
        for waker, slept in sums.items():
            row = PlantedRow(location=waker, total_ms=ms(slept))
            self._put("main_thread_waits", row, over=slept >= 16 * MS)

    def _in_lock(self, ts: int) -> bool:
        return any(
            one.start <= ts < (one.end or ts) and "contention" in one.name
            for one in self.ledger.sections({APP})
        )

    def _janky(self) -> None:
        def overrun(frame: Frame) -> int:
            return frame.presented - frame.due

        late = [
            frame
            for frame in self.played.frames
            if frame.pid == APP
            and frame.jank is not Jank.NONE
            and self.ledger.clip(frame.started, frame.presented)
            and overrun(frame) >= 4 * MS
        ]
        for jank, frames in _grouped(late, lambda frame: frame.jank).items():
            overruns = [overrun(frame) for frame in frames]
            row = PlantedRow(
                location=JANK_NAMES[jank],
                count=len(frames),
                total_ms=ms(sum(overruns)),
                max_ms=ms(max(overruns)),
            )
            self._put("frame_jank", row, over=len(frames) >= 3)

    # ── facts around the rows ──

    def budget(self) -> PlantedBudget:
        """The main thread's states."""
        return PlantedBudget(
            on_cpu=ms(self.ledger.state_ns({APP}, State.RUNNING)),
            waiting_for_cpu=ms(self.ledger.state_ns({APP}, *READY)),
            in_kernel=ms(self.ledger.state_ns({APP}, State.BLOCKED)),
            sleeping=ms(self.ledger.state_ns({APP}, State.SLEEPING)),
        )

    def opened_inside(self) -> PlantedOpenedInside:
        """The read from disk the window's start cuts."""
        start = self.played.start
        cut = next(one for one in self.world.stage.segments[APP] if one.start < start < one.end)
        assert cut.state is State.BLOCKED
        return PlantedOpenedInside(
            state="D",
            before_ms=ms(start - cut.start),
            total_ms=ms(cut.end - cut.start),
            inside_ms=ms(cut.end - start),
        )

    def environment(self, sampling: PlantedSampling | None) -> PlantedEnvironment:
        """Clock and gauges inside the window."""
        options, window_ms = self.world.options, (self.played.end - self.played.start) / MS
        calls = self._compose_calls()
        if not options.platform:
            return PlantedEnvironment(sampling=sampling, compose_calls=calls)
        degrees = [(value, zone) for at, zone, value in gauges.TEMPERATURES if 0 <= at <= window_ms]
        memory = [(available, faults) for at, available, faults in gauges.MEMORY if 0 <= at <= window_ms]
        faults = [count for _, count in memory]
        return PlantedEnvironment(
            clock=self._clock() if self.world.stage.sched else None,
            max_celsius=round1(max(degrees)[0] / 1000),
            hottest_zone=max(degrees)[1],
            throttle_device=gauges.COOLING_DEVICE,
            available_mb_min=round1(min(available for available, _ in memory) * 1024 / 1e6),
            major_faults=max(faults) - min(faults),
            sampling=sampling,
            compose_calls=calls,
        )

    def _compose_calls(self) -> int | None:
        if not self.world.options.compose_names:
            return None
        return sum(len(self._main(name)) for name in (cast.HOME, cast.CARD, cast.TINY, cast.COLUMN))

    def _clock(self) -> PlantedClock:
        seen = [mhz / 1000 for mhz in self.ledger.khz_seen(self.app, self.world.clocks)]
        return PlantedClock(
            mean_mhz=round1(self.ledger.mean_khz(self.app, self.world.clocks) / 1000),
            min_mhz=round1(min(seen)),
            max_mhz=round1(max(seen)),
            on_cpu_ms=ms(self.ledger.state_ns(self.app, State.RUNNING)),
        )

    def _put(self, detector: str, row: PlantedRow, *, over: bool) -> None:
        if row.total_ms == 0:
            return
        (self.rows if over else self.below)[detector].append(row)

    def _main(self, name: str) -> list[Section]:
        return [section for section in self.ledger.sections({APP}) if section.name == name]

    def _name(self, tid: int) -> str:
        return self.world.name(tid)


def _row(location: str, tally: Tally, *, thread: str | None = None, self_ms: bool = True) -> PlantedRow:
    return PlantedRow(
        location=location,
        thread=thread,
        count=tally.count,
        self_ms=ms(tally.self_ns) if self_ms else None,
        total_ms=ms(tally.total_ns),
        max_ms=ms(tally.max_ns),
    )


def _grouped(items: Iterable[Item], key: Callable[[Item], Key]) -> dict[Key, list[Item]]:
    groups: dict[Key, list[Item]] = defaultdict(list)
    for item in items:
        groups[key(item)].append(item)
    return dict(groups)


def _contends(section: Section) -> bool:
    """One wait once: the inner of the two slices ART writes says the same again."""
    if section.name.startswith("monitor contention with owner"):
        return True
    outer = section.parent is not None and section.parent.name.startswith("monitor contention with owner")
    return section.name.startswith("Lock contention on a monitor lock") and not outer


def _calls_binder(section: Section) -> bool:
    return section.name == "binder transaction"


def _collects(section: Section) -> bool:
    return section.name.endswith("GC") or section.name.startswith("waitWhileAllocating")


def _art_folded(name: str) -> str:
    loads = name.startswith("VerifyClass ") or (name.startswith("L") and name.endswith(";"))
    return "class initialization (ART)" if loads else name


def _absent() -> dict[str, tuple[str, ...]]:
    return {
        "app_init": (cast.HELD, "SdkInit", "makeApplication", "Startup"),
        "binder_txn": ("m.example.other",),
        "composables": (cast.COLUMN,),
        "gc_pressure": ("m.example.other",),
        "main_thread_block": ("prefetch", "compact", "zygoteInit", "leakSession", "halfWork"),
        "main_thread_waits": ("RenderThread", "binder:#_#", "OtherWorker"),
        "monitor_contention": ("m.example.other",),
        "repeated_work": ("binder transaction",),
        "frame_jank": ("None",),
    }
