"""Packets a recorder writes beside the kernel's events: clocks, config, system, memory, statistics."""

from __future__ import annotations

from collections.abc import Sequence

from echolot_tui.frozen import Frozen
from echolot_tui.generate.builder import TraceBuilder

_REALTIME, _MONOTONIC, _BOOTTIME = 1, 3, 6
_MEM_AVAILABLE, _PGMAJFAULT = 3, 50


class System(Frozen, frozen=True, kw_only=True):
    """The device and its software."""

    manufacturer: str = "Google"
    fingerprint: str = "google/oriole/oriole:13/TQ3A.230805.001/10316531:user/release-keys"
    sdk: int = 33
    kernel: str = "5.10.157-android13-4-00003-gb0ca5e5b3e34-ab10316531"
    machine: str = "aarch64"
    cpus: int = 12


def clocks(builder: TraceBuilder, boot_ns: int, realtime_ns: int) -> None:
    """The same moment on the boot clock (the trace's own) and on the wall."""
    packet = builder.head()
    packet.timestamp = boot_ns
    snapshot = packet.clock_snapshot
    snapshot.primary_trace_clock = _BOOTTIME
    for clock, ts in ((_REALTIME, realtime_ns), (_MONOTONIC, boot_ns), (_BOOTTIME, boot_ns)):
        snapshot.clocks.add(clock_id=clock, timestamp=ts)


def system_info(builder: TraceBuilder, system: System) -> None:
    """Device, Android and kernel."""
    info = builder.head().system_info
    info.utsname.sysname = "Linux"
    info.utsname.release = system.kernel
    info.utsname.machine = system.machine
    info.android_build_fingerprint = system.fingerprint
    info.android_device_manufacturer = system.manufacturer
    info.android_sdk_version = system.sdk
    info.num_cpus = system.cpus


def package(builder: TraceBuilder, name: str, uid: int, version_code: int) -> None:
    """An installed app."""
    builder.head().packages_list.packages.add(name=name, uid=uid, version_code=version_code, debuggable=True)


def trace_config(
    builder: TraceBuilder,
    *,
    sampling_hz: int | None,
    compose_names: bool,
    categories: Sequence[str] = ("am", "binder_driver", "dalvik", "view", "wm"),
) -> None:
    """What the recording was asked for.

    Args:
        builder: The trace.
        sampling_hz: Rate of the callstack sampler; ``None`` when it was not asked for.
        compose_names: Whether the app's own events (composable names) were asked for.
        categories: Of atrace.
    """
    config = builder.head().trace_config
    config.buffers.add(size_kb=131_072)
    kernel = config.data_sources.add().config
    kernel.name = "linux.ftrace"
    kernel.ftrace_config.atrace_categories.extend(categories)
    config.data_sources.add().config.name = "linux.process_stats"
    config.data_sources.add().config.name = "android.surfaceflinger.frametimeline"
    if sampling_hz is not None:
        sampler = config.data_sources.add().config
        sampler.name = "linux.perf"
        sampler.perf_event_config.timebase.frequency = sampling_hz
        sampler.perf_event_config.callstack_sampling.kernel_frames = False
    if compose_names:
        config.data_sources.add().config.name = "track_event"


def memory(builder: TraceBuilder, ts: int, *, available_kb: int, major_faults: int) -> None:
    """One poll of the machine's memory; ``major_faults`` counts since boot."""
    stats = builder.packet(ts).sys_stats
    stats.meminfo.add(key=_MEM_AVAILABLE, value=available_kb)
    stats.vmstat.add(key=_PGMAJFAULT, value=major_faults)


def buffer_stats(builder: TraceBuilder, *, chunks_discarded: int = 0, packets_lost: int = 0) -> None:
    """The recorder's closing statistics of its one buffer; above 0 it lost data."""
    buffer = builder.tail().trace_stats.buffer_stats.add()
    buffer.buffer_size = 131_072 * 1024
    buffer.bytes_written = 4_000_000
    buffer.chunks_written = 1_000
    buffer.chunks_discarded = chunks_discarded
    buffer.trace_writer_packet_loss = packets_lost
