"""Whole recordings with what is planted in them: the tests', the demo's and the self-check's traces."""

from __future__ import annotations

from echolot_tui.frozen import Frozen
from echolot_tui.generate import packets
from echolot_tui.generate.builder import TraceBuilder
from echolot_tui.generate.cast import NAMES, THREADS
from echolot_tui.generate.cold_start import ColdStart
from echolot_tui.generate.facts import planted
from echolot_tui.generate.planted import Planted
from echolot_tui.generate.sampled import sample
from echolot_tui.generate.world import APP_UID, BOOT_NS, MS, PACKAGE, RECORDED_AT_NS, Options, World

EARLIER = 3900
"""Process number of the start that died, in a recording with a restart."""
_EARLIER_SLICES = 400


class Scene(Frozen, frozen=True, kw_only=True):
    """A recording and what is in it."""

    trace: bytes
    occurrences: tuple[Planted, ...]

    @property
    def planted(self) -> Planted:
        """The first occurrence's facts."""
        return self.occurrences[0]


def cold_start(options: Options | None = None) -> Scene:
    """A cold start of ``com.example.app``, played ``options.occurrences`` times one after another."""
    options = options or Options()
    world = World(options, THREADS, NAMES)
    plays = [ColdStart(world, number) for number in range(1, options.occurrences + 1)]
    for play in plays:
        play.play()
    if options.restarted:
        _died_before(world)
    sampling = sample(world, plays)
    facts = tuple(planted(world, play, seen) for play, seen in zip(plays, sampling, strict=True))
    return Scene(trace=world.finish(), occurrences=facts)


def _died_before(world: World) -> None:
    """A process of the same name with more slices than the one that counts, gone before that begins."""
    builder = world.builder
    builder.process(EARLIER, PACKAGE, uid=APP_UID)
    for number in range(_EARLIER_SLICES):
        start = BOOT_NS - 60 * MS + number * MS // 20
        builder.slice(EARLIER, EARLIER, start, start + MS // 25, "inflate")
    builder.exit(EARLIER, BOOT_NS - 30 * MS)


def empty() -> bytes:
    """A recording that was started and stopped, with nothing in it."""
    builder = TraceBuilder()
    packets.clocks(builder, BOOT_NS, RECORDED_AT_NS)
    packets.trace_config(builder, sampling_hz=None, compose_names=False)
    packets.system_info(builder, packets.System())
    packets.buffer_stats(builder)
    return builder.build()


def truncated(trace: bytes) -> bytes:
    """The first three fifths of a recording, cut in the middle of a packet as a full disk does."""
    return trace[: len(trace) * 3 // 5]
