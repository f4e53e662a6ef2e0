"""What the machine was doing while the window ran: clock, temperature, throttling, memory.

All read the window's tables, see ARCHITECTURE.md, and the trace's counters.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Final, cast

import numpy as np
import numpy.typing as npt

from echolot_tui.engine.model import TraceSession
from echolot_tui.measure.model import CpuClock, EnvironmentFacts, Memory, Thermal
from echolot_tui.measure.sampling import compose_names, sampling_facts
from echolot_tui.units import ms, round1

Int64s = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_RUNNING: Final = "SELECT IFNULL(cpu, -1) AS cpu, ts, dur FROM window_state WHERE state = 'Running'"

_FREQUENCIES: Final = """
SELECT t.cpu, c.ts, c.value AS khz
FROM counter AS c JOIN cpu_counter_track AS t ON c.track_id = t.id
WHERE t.name = 'cpufreq' AND c.ts < (SELECT end_ts FROM window_bounds)
ORDER BY t.cpu, c.ts, c.id
"""

_HOTTEST: Final = """
SELECT t.name, c.value / 1000.0 AS celsius
FROM counter AS c JOIN counter_track AS t ON c.track_id = t.id JOIN window_bounds AS b
WHERE t.type = 'thermal_temperature' AND c.ts BETWEEN b.ts AND b.end_ts
ORDER BY celsius DESC, t.name LIMIT 1
"""

_COOLING: Final = """
SELECT t.name, c.track_id, c.ts, c.value AS level
FROM counter AS c JOIN counter_track AS t ON c.track_id = t.id
WHERE t.type = 'cooling_device_counter' AND c.ts < (SELECT end_ts FROM window_bounds)
ORDER BY t.name, c.track_id, c.ts, c.id
"""

_MEMORY: Final = """
SELECT
  (SELECT MIN(c.value) FROM counter AS c JOIN counter_track AS t ON c.track_id = t.id
   WHERE t.type = 'meminfo' AND t.name = 'MemAvailable' AND c.ts BETWEEN b.ts AND b.end_ts) AS available,
  (SELECT MAX(c.value) - MIN(c.value) FROM counter AS c JOIN counter_track AS t ON c.track_id = t.id
   WHERE t.type = 'vmstat' AND t.name = 'pgmajfault' AND c.ts BETWEEN b.ts AND b.end_ts
   HAVING COUNT(*) >= 2) AS faults
FROM window_bounds AS b
"""


def environment_facts(session: TraceSession, *, package: str, start_ns: int, end_ns: int) -> EnvironmentFacts:
    """Everything known about the machine during the window.

    Args:
        session: A trace with the window's tables.
        package: Application id; tells the app's own frames on sampled stacks.
        start_ns: Start of the window.
        end_ns: End of the window.
    """
    cpu = cpu_clock(session, end_ns=end_ns)
    thermal = thermal_facts(session, start_ns=start_ns, end_ns=end_ns)
    memory = memory_facts(session)
    measured = {"cpu": cpu, "memory": memory, "thermal": thermal}
    return EnvironmentFacts(
        cpu=cpu,
        thermal=thermal,
        memory=memory,
        sampling=sampling_facts(session, package=package),
        compose_names=compose_names(session),
        missing=tuple(name for name, block in measured.items() if block is None),
    )


def cpu_clock(session: TraceSession, *, end_ns: int) -> CpuClock | None:
    """The processors' clock, weighted by the time the process's own threads ran on them.

    A sample of a processor's clock holds until its next one, the last until the window's end; the
    one before the window counts inside it.

    Args:
        session: A trace with the window's tables.
        end_ns: End of the window.

    Returns:
        ``None`` when the process never ran while the clock was known.
    """
    samples = session.query(_FREQUENCIES)
    if not samples.rows:
        return None
    running = session.query(_RUNNING)
    return weigh_clock(
        running=(running["cpu"], running["ts"], running["dur"]),
        samples=(samples["cpu"], samples["ts"], samples["khz"].astype(np.float64)),
        end_ns=end_ns,
    )


def weigh_clock(
    *,
    running: tuple[Int64s, Int64s, Int64s],
    samples: tuple[Int64s, Int64s, Floats],
    end_ns: int,
) -> CpuClock | None:
    """Mean, least and most clock over pieces of running time.

    Args:
        running: Processor, start and length of each piece, in nanoseconds, inside the window.
        samples: Processor, time and kHz of each sample, ordered by processor and time.
        end_ns: Where the last sample of each processor ends.
    """
    weighted, measured = 0.0, 0
    seen: list[Floats] = []
    for cpu in np.unique(samples[0]):
        here, there = running[0] == cpu, samples[0] == cpu
        clock = _Clock(samples[1][there], samples[2][there], end_ns)
        starts, ends = running[1][here], running[1][here] + running[2][here]
        weighted += clock.kilohertz_ns(starts, ends)
        measured += clock.known_ns(starts, ends)
        seen.append(clock.met(starts, ends))
    if not measured:
        return None
    met = np.concatenate(seen)
    return CpuClock(
        mean_mhz=round1(weighted / measured / 1000),
        min_mhz=round1(met.min() / 1000),
        max_mhz=round1(met.max() / 1000),
        on_cpu_ms=ms(int(running[2].sum())),
        measured_ms=ms(measured),
    )


class _Clock:
    """One processor's clock as a step function of time, and its integral."""

    def __init__(self, ts: Int64s, khz: Floats, end_ns: int) -> None:
        """Take samples in time order; of several at one moment the last one holds."""
        lengths = np.diff(ts, append=end_ns)
        holds = lengths > 0
        self._starts, self._khz, lengths = ts[holds], khz[holds], lengths[holds]
        self._total = np.concatenate(([0.0], np.cumsum(self._khz * lengths)))

    def kilohertz_ns(self, starts: Int64s, ends: Int64s) -> float:
        """Clock times time over all pieces."""
        return float((self._integral(ends) - self._integral(starts)).sum())

    def known_ns(self, starts: Int64s, ends: Int64s) -> int:
        """How much of the pieces lies after the first sample."""
        first = self._starts[0] if len(self._starts) else np.iinfo(np.int64).max
        return int((np.maximum(ends, first) - np.maximum(starts, first)).sum())

    def met(self, starts: Int64s, ends: Int64s) -> Floats:
        """The clock values that held during some part of a piece."""
        first = np.maximum(np.searchsorted(self._starts, starts, side="right") - 1, 0)
        behind = np.searchsorted(self._starts, ends, side="left")
        real = (ends > starts) & (behind > first)
        edges = np.zeros(len(self._starts) + 1, dtype=np.int64)
        np.add.at(edges, first[real], 1)
        np.add.at(edges, behind[real], -1)
        return self._khz[np.cumsum(edges[:-1]) > 0]

    def _integral(self, moments: Int64s) -> Floats:
        """Clock times time from the first sample to each moment."""
        if not len(self._starts):
            return np.zeros(len(moments))
        index = np.searchsorted(self._starts, moments, side="right") - 1
        known = np.maximum(index, 0)
        since = np.maximum(moments - self._starts[known], 0)
        found: Floats = self._total[known] + self._khz[known] * since
        return found


def thermal_facts(session: TraceSession, *, start_ns: int, end_ns: int) -> Thermal | None:
    """Highest temperature sampled inside the window, and whether anything was throttled during it.

    A cooling device's level holds until its next sample, the last until the window's end.

    Args:
        session: A trace with the window's tables.
        start_ns: Start of the window.
        end_ns: End of the window.

    Returns:
        ``None`` when the window has neither a temperature nor a cooling level.
    """
    hottest = next(session.query(_HOTTEST).tuples(), None)
    device, level = _hardest_cooling(session, start_ns, end_ns)
    if hottest is None and level is None:
        return None
    zone, celsius = hottest if hottest is not None else (None, None)
    return Thermal(
        max_celsius=None if celsius is None else round1(cast(float, celsius)),
        hottest_zone=None if zone is None else cast(str, zone).removesuffix(" Temperature"),
        throttled=None if level is None else level > 0,
        throttle_device=device if level is not None and level > 0 else None,
    )


def _hardest_cooling(session: TraceSession, start_ns: int, end_ns: int) -> tuple[str | None, float | None]:
    """Name and highest level of the cooling device that was throttled most during the window."""
    rows: list[tuple[Any, ...]] = [*session.query(_COOLING).tuples(), (None, None, end_ns, None)]
    worst: tuple[str | None, float | None] = (None, None)
    for (name, track, ts, level), (_, next_track, next_ts, _) in pairwise(rows):
        until = next_ts if next_track == track else end_ns
        if until > max(ts, start_ns) and (worst[1] is None or level > worst[1]):
            worst = (name.removesuffix(" Cooling Device"), level)
    return worst


def memory_facts(session: TraceSession) -> Memory | None:
    """Least available memory and major page faults, from the samples inside the window.

    Args:
        session: A trace with the window's tables.

    Returns:
        ``None`` when the window has no sample of the first and fewer than two of the second.
    """
    available, faults = next(session.query(_MEMORY).tuples())
    if available is None and faults is None:
        return None
    return Memory(
        available_mb_min=None if available is None else round1(cast(float, available) / 1e6),
        major_faults=None if faults is None else int(faults),
    )
