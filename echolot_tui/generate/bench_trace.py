"""The benchmark's recording: a main thread with very many slices, and a fixed amount of scheduling around it.

Hundreds of thousands of slices go through no message objects: their bytes are put together from one
template a name, in which only the time differs.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

from echolot_tui.generate import packets
from echolot_tui.generate.builder import FTRACE_SEQUENCE, TRUSTED_UID, TraceBuilder
from echolot_tui.generate.sched import Segment, State
from echolot_tui.generate.wire import message, varint
from echolot_tui.generate.world import APP, APP_UID, APP_VERSION_CODE, BOOT_NS, MS, PACKAGE, RECORDED_AT_NS

SLICES = 600_000
WORKERS = 49
SECONDS = 60

_SEED = 4
_CYCLE_NS = 4 * MS
_TURN_NS = 160 * MS
_WORKER_CPUS = 7
_MAIN_CPU = 7
_TREES = 24
_TREE_SLICES = 40
_DEEPEST = 7
_TIME_BYTES = 7
_TREES_A_BUNDLE = 40

_TRACE_PACKET, _FTRACE_EVENTS, _BUNDLE_EVENT, _PRINT, _PRINT_TEXT = 1, 1, 2, 3, 2
_PACKET_UID, _PACKET_SEQUENCE = 3, 10

_PARENTS = ("Choreographer#doFrame", "Handler: com.example.app.feed.FeedPresenter", "dispatchInputEvent")
_WORK = (
    "inflate",
    "measure",
    "layout",
    "draw",
    "RV OnBindView",
    "binder transaction",
    "Lock contention on a monitor lock (owner tid: 4101)",
    "Compose:recompose",
    "Recomposer:recompose",
    "AGENTTMP_step",
    *(f"com.example.app.ui.Row{number} (Row{number}.kt:{number + 20})" for number in range(30)),
    *(f"com.example.app.feed.Item{number}.bind" for number in range(160)),
    *(f"decode#{number}" for number in range(100)),
)

Times = npt.NDArray[np.int64]


def write_bench_trace(path: Path, *, slices: int = SLICES, seconds: int = SECONDS) -> None:
    """Write the recording; the same arguments give the same bytes.

    Args:
        path: The file; its folder exists.
        slices: Slices of the main thread, rounded down to whole trees of 40; the scheduling does not
            depend on them.
        seconds: Length of the recording.
    """
    length = seconds * 1_000 * MS
    luck = random.Random(_SEED)  # noqa: S311 -- reproducible, not a secret
    trees = [_Tree(luck) for _ in range(_TREES)]
    with path.open("wb") as out:
        out.write(_scheduling(length))
        _write_slices(out, trees, slices // _TREE_SLICES, length)


def _scheduling(length: int) -> bytes:
    """Everything but the slices: one process, its threads, and what they did."""
    builder = TraceBuilder()
    packets.clocks(builder, BOOT_NS, RECORDED_AT_NS)
    packets.trace_config(builder, sampling_hz=None, compose_names=True)
    packets.system_info(builder, packets.System(cpus=_WORKER_CPUS + 1))
    packets.package(builder, PACKAGE, APP_UID, APP_VERSION_CODE)
    builder.process(APP, PACKAGE, uid=APP_UID)
    builder.segments(APP, _main_segments(length))
    for number in range(WORKERS):
        builder.thread(APP, APP + 100 + number, f"pool-{number % 7}-thread-{number // 7}")
        builder.segments(APP + 100 + number, _worker_segments(number, length))
    packets.buffer_stats(builder)
    return builder.build()


def _main_segments(length: int) -> Iterator[Segment]:
    """In every cycle: runs, waits for a worker or the disk, is ready, runs on."""
    for cycle in range(length // _CYCLE_NS):
        start = BOOT_NS + cycle * _CYCLE_NS
        asleep, ready, end = start + 3_300_000, start + 3_800_000, start + _CYCLE_NS
        yield Segment(start, asleep, State.RUNNING, cpu=_MAIN_CPU)
        if cycle % 5:
            yield Segment(asleep, ready, State.SLEEPING, waker=APP + 100 + cycle % WORKERS)
        else:
            yield Segment(
                asleep, ready, State.BLOCKED, waker=0, io_wait=True, blocked_function="ext4_sync_file"
            )
        yield Segment(ready, end, State.RUNNABLE)
    yield Segment(BOOT_NS + length, BOOT_NS + length + MS, State.RUNNING, cpu=_MAIN_CPU)


def _worker_segments(number: int, length: int) -> Iterator[Segment]:
    """In turns on each CPU: runs, sleeps until another wakes it, runs, is preempted, runs."""
    cpu, place = number % _WORKER_CPUS, number // _WORKER_CPUS
    waker = APP + 100 + (number + 1) % WORKERS
    for turn in range(length // _TURN_NS):
        at = BOOT_NS + turn * _TURN_NS + place * 8 * MS
        yield Segment(at, at + 3 * MS, State.RUNNING, cpu=cpu)
        yield Segment(at + 3 * MS, at + 4 * MS, State.SLEEPING, waker=waker)
        yield Segment(at + 4 * MS, at + 4 * MS + 50_000, State.RUNNABLE)
        yield Segment(at + 4 * MS + 50_000, at + 6 * MS, State.RUNNING, cpu=cpu)
        yield Segment(at + 6 * MS, at + 7 * MS, State.PREEMPTED)
        yield Segment(at + 7 * MS, at + 8 * MS, State.RUNNING, cpu=cpu)


class _Tree:
    """Forty nested slices: what each event says around its time, and where in the tree's length it lies."""

    def __init__(self, luck: random.Random) -> None:
        names = [luck.choice(_PARENTS), *(luck.choice(_WORK) for _ in range(_TREE_SLICES - 1))]
        self.heads: list[bytes] = []
        self.tails: list[bytes] = []
        open_slices = 0
        while names or open_slices:
            # The outermost slice stays open until the last name is used.
            closes = open_slices > 1 and (open_slices == _DEEPEST or luck.random() < 0.5)
            if names and not closes:
                self._event(f"B|{APP}|{names.pop(0)}")
                open_slices += 1
            else:
                self._event(f"E|{APP}")
                open_slices -= 1
        steps = np.cumsum([luck.expovariate(1.0) + 0.05 for _ in self.heads])
        self.places = (steps - steps[0]) / (steps[-1] - steps[0])

    def _event(self, text: str) -> None:
        head, tail = _around_time(text)
        self.heads.append(head)
        self.tails.append(tail)


def _around_time(text: str) -> tuple[bytes, bytes]:
    """An ftrace print event's bytes before and after its time (7 bytes, from 4,399 s after boot on)."""
    tail = message([(2, APP), (_PRINT, message([(_PRINT_TEXT, text)]))])
    head = b"\x08"
    return varint(_BUNDLE_EVENT << 3 | 2) + varint(len(head) + _TIME_BYTES + len(tail)) + head, tail


def _write_slices(out: BinaryIO, trees: list[_Tree], count: int, length: int) -> None:
    """Trees one after another over the whole length, a bundle of them a packet."""
    each = length // max(count, 1)
    bundle: list[bytes] = []
    for number in range(count):
        tree = trees[number * 7 % _TREES]
        times = BOOT_NS + number * each + (tree.places * (each - 1_000)).astype(np.int64)
        encoded = _varints(times)
        for index, (head, tail) in enumerate(zip(tree.heads, tree.tails, strict=True)):
            bundle += (head, encoded[index * _TIME_BYTES : (index + 1) * _TIME_BYTES], tail)
        if number % _TREES_A_BUNDLE == _TREES_A_BUNDLE - 1 or number == count - 1:
            out.write(_packet(b"".join(bundle)))
            bundle.clear()


def _packet(events: bytes) -> bytes:
    bundle = message([(1, 0)]) + events
    fields: list[tuple[int, int | str | bytes]] = [
        (_FTRACE_EVENTS, bundle),
        (_PACKET_UID, TRUSTED_UID),
        (_PACKET_SEQUENCE, FTRACE_SEQUENCE),
    ]
    return message([(_TRACE_PACKET, message(fields))])


def _varints(values: Times) -> bytes:
    """Numbers that take exactly 7 bytes each, one after another."""
    shifts = 7 * np.arange(_TIME_BYTES)
    digits = (values[:, None] >> shifts) & 0x7F
    digits[:, :-1] |= 0x80
    return digits.astype(np.uint8).tobytes()
