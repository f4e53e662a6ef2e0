"""A callstack sampler's packets."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as pb

from echolot_tui.frozen import Frozen
from echolot_tui.generate.builder import TraceBuilder

_SAMPLES_SEQUENCE = 3


class StackFrame(Frozen, frozen=True, kw_only=True):
    """One function of a stack and the file it was mapped from."""

    function: str
    mapping: str


class Sample(Frozen, frozen=True, kw_only=True):
    """One sample; ``stack`` has the outermost frame first and is empty when unwinding failed."""

    ts: int
    cpu: int
    pid: int
    tid: int
    stack: tuple[StackFrame, ...] = ()


def add_samples(builder: TraceBuilder, hz: int, samples: Sequence[Sample]) -> None:
    """Write a sampler that ran at ``hz``.

    Its first packet carries the rate and the tables of names, so one that started needs a sample.
    """
    tables = _Tables()
    stacks = [tables.stack(sample.stack) for sample in samples]
    for index, (sample, stack) in enumerate(zip(samples, stacks, strict=True)):
        packet = builder.packet(sample.ts)
        packet.trusted_packet_sequence_id = _SAMPLES_SEQUENCE
        packet.sequence_flags = pb.TracePacket.SEQ_NEEDS_INCREMENTAL_STATE
        if index == 0:
            packet.sequence_flags = pb.TracePacket.SEQ_INCREMENTAL_STATE_CLEARED
            packet.trace_packet_defaults.perf_sample_defaults.timebase.frequency = hz
            packet.interned_data.CopyFrom(tables.data)
        taken = packet.perf_sample
        taken.cpu, taken.pid, taken.tid = sample.cpu, sample.pid, sample.tid
        taken.cpu_mode = pb.Profiling.MODE_USER
        taken.timebase_count = index + 1
        if stack is not None:
            taken.callstack_iid = stack


class _Tables:
    """Every name, file, frame and stack once, by number."""

    def __init__(self) -> None:
        self.data = pb.InternedData()
        self._numbers: dict[tuple[str, Hashable], int] = {}

    def stack(self, frames: tuple[StackFrame, ...]) -> int | None:
        """The stack's number; ``None`` for no stack."""
        if not frames:
            return None
        number, new = self._number("stack", frames)
        if new:
            self.data.callstacks.add(iid=number, frame_ids=[self._frame(frame) for frame in frames])
        return number

    def _frame(self, frame: StackFrame) -> int:
        number, new = self._number("frame", frame)
        if new:
            function, unnamed = self._number("function", frame.function)
            if unnamed:
                self.data.function_names.add(iid=function, str=frame.function.encode())
            mapping = self._mapping(frame.mapping)
            self.data.frames.add(
                iid=number, function_name_id=function, mapping_id=mapping, rel_pc=0x1000 + 16 * number
            )
        return number

    def _mapping(self, path: str) -> int:
        number, new = self._number("mapping", path)
        if new:
            self.data.mapping_paths.add(iid=number, str=path.encode())
            self.data.mappings.add(
                iid=number, start=number << 32, end=(number + 1) << 32, path_string_ids=[number]
            )
        return number

    def _number(self, table: str, key: Hashable) -> tuple[int, bool]:
        known = self._numbers.get((table, key))
        if known is not None:
            return known, False
        number = sum(1 for kind, _ in self._numbers if kind == table) + 1
        self._numbers[table, key] = number
        return number, True
