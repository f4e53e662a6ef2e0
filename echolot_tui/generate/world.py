"""The device the scenes play on: its processes and threads, its clocks and gauges."""

from __future__ import annotations

from typing import Literal

from echolot_tui.frozen import Frozen
from echolot_tui.generate import kernel, packets
from echolot_tui.generate.builder import TraceBuilder
from echolot_tui.generate.pace import Pace
from echolot_tui.generate.script import Stage, ThreadScript

MS = 1_000_000

PACKAGE = "com.example.app"
APP_UID = 10_123
APP_VERSION_CODE = 412
RECORDED_AT_NS = 1_714_550_400 * 1_000_000_000
"""2024-05-01T08:00:00Z."""
BOOT_NS = 5_000 * 1_000_000_000
"""The boot clock when the recording starts."""
SAMPLING_HZ = 100

APP, SYSTEM_SERVER, SURFACEFLINGER, OTHER = 4000, 1200, 600, 4500

SamplingVariant = Literal["off", "asked", "arrived", "minified"]


class Options(Frozen, frozen=True, kw_only=True):
    """What a recording holds and how its run went."""

    frames: bool = True
    """The frame timeline."""
    sched: bool = True
    """Scheduler events."""
    platform: bool = True
    """Clock, temperature and memory."""
    sampling: SamplingVariant = "off"
    compose_names: bool = True
    named: bool = True
    """Names of processes and threads; without them scheduler events, which carry some, are missing too."""
    restarted: bool = False
    """An earlier, busier process of the same name died before the window."""
    occurrences: int = 1
    """How often the scenario is played in one recording."""
    lossy: bool = False
    """The recorder lost data."""
    damaged: bool = False
    """Two lines of the kernel's log are unreadable, and a slice ends that never began."""
    run_factor: float = 1.0
    spread: float = 0.0
    seed: str = ""
    run: int = 0
    """Number of the repeat; moves the wall clock on."""

    @property
    def pace(self) -> Pace:
        """How long things take in this run."""
        return Pace(run_factor=self.run_factor, spread=self.spread, seed=f"{self.seed}/{self.run}")


class Thread(Frozen, frozen=True, kw_only=True):
    """One thread and the CPU it keeps to."""

    pid: int
    tid: int
    name: str
    cpu: int


class World:
    """A builder with processes declared, and a script for each thread."""

    def __init__(
        self, options: Options, threads: tuple[Thread, ...], names: dict[int, tuple[str, int]]
    ) -> None:
        """Declare everything.

        Args:
            options: What is recorded.
            threads: Every thread that acts.
            names: By process id, its name and owner.
        """
        self.options = options
        self.builder = TraceBuilder()
        self.stage = Stage(self.builder, options.pace, sched=options.sched and options.named)
        self.threads = threads
        self.clocks: dict[int, list[tuple[int, int]]] = {}
        packets.clocks(self.builder, BOOT_NS, RECORDED_AT_NS + options.run * 60 * 1_000 * MS)
        packets.trace_config(
            self.builder,
            sampling_hz=None if options.sampling == "off" else SAMPLING_HZ,
            compose_names=options.compose_names,
        )
        packets.system_info(self.builder, packets.System(cpus=len({thread.cpu for thread in threads})))
        packets.package(self.builder, PACKAGE, APP_UID, APP_VERSION_CODE)
        if options.named:
            for pid, (name, uid) in names.items():
                self.builder.process(pid, name, uid=uid)
            for thread in threads:
                if thread.tid != thread.pid:
                    self.builder.thread(thread.pid, thread.tid, thread.name)
        self._scripts: dict[int, ThreadScript] = {}

    def script(self, tid: int) -> ThreadScript:
        """The script of a thread, at the recording's start the first time."""
        if tid not in self._scripts:
            thread = next(thread for thread in self.threads if thread.tid == tid)
            self._scripts[tid] = ThreadScript(self.stage, thread.pid, tid, thread.cpu, BOOT_NS)
        return self._scripts[tid]

    def tids(self, pid: int) -> frozenset[int]:
        """Every thread of a process."""
        return frozenset(thread.tid for thread in self.threads if thread.pid == pid)

    def name(self, tid: int) -> str:
        """A thread's name."""
        return next(thread.name for thread in self.threads if thread.tid == tid)

    def clock(self, ts: int, cpu: int, khz: int) -> None:
        """A CPU's clock changes."""
        self.clocks.setdefault(cpu, []).append((ts, khz))
        if self.options.platform:
            self.builder.event(0, ts, kernel.cpu_frequency(cpu, khz))

    def finish(self) -> bytes:
        """Close the recording; its bytes."""
        self.stage.write()
        if self.options.damaged:
            self.builder.print(APP, BOOT_NS - MS, f"E|{APP}")
            self.builder.print(APP, BOOT_NS + MS, "neither begin nor end")
            self.builder.print(APP, BOOT_NS + MS, f"C|{APP}|a counter without a value")
        if self.options.lossy:
            self.builder.lose_events(0)
            packets.buffer_stats(self.builder, chunks_discarded=37, packets_lost=3)
        else:
            packets.buffer_stats(self.builder)
        return self.builder.build()
