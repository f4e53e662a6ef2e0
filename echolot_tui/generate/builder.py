"""The low level: what an Android recording holds, event by event, as Perfetto's own messages.

Times are nanoseconds of the boot clock. Same calls, same bytes. Misuse (crossing slices, two threads on one
CPU) raises ``ValueError`` when the trace is built: a mistake in a description, never in someone's input.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as pb

from echolot_tui.generate import kernel
from echolot_tui.generate.sched import Segment, sched_events

FTRACE_SEQUENCE = 1
"""Writer of the kernel's events; its interned strings are the kernel's symbols."""
SYSTEM_SEQUENCE = 2
"""Writer of everything that needs no sequence of its own."""
TRUSTED_UID = 9999

_EVENTS_PER_BUNDLE = 4096
_COMM_LENGTH = 15

Timed = tuple[int, pb.FtraceEvent]


@dataclass(frozen=True, slots=True)
class _Span:
    """A slice on a thread; ``end`` is ``None`` when nothing closes it."""

    start: int
    end: int | None
    opens: pb.FtraceEvent
    closes: pb.FtraceEvent


class TraceBuilder:
    """Collects what happened and writes it as one trace."""

    def __init__(self) -> None:
        """Start with an empty recording."""
        self._head: list[pb.TracePacket] = []
        self._packets: list[pb.TracePacket] = []
        self._tail: list[pb.TracePacket] = []
        self._tree = pb.ProcessTree()
        self._comms: dict[int, str] = {0: "swapper"}
        self._spans: dict[int, list[_Span]] = defaultdict(list)
        self._segments: dict[int, list[Segment]] = defaultdict(list)
        self._events: list[Timed] = []
        self._symbols: dict[str, int] = {}
        self._binder_calls = 0
        self._lossy_cpus: set[int] = set()

    # ── who ──

    def process(self, pid: int, name: str, *, uid: int = 0, ppid: int = 1) -> None:
        """Declare a process and its main thread.

        Without this call a process whose slices are written has no name, only its number.

        Args:
            pid: Process id, also the main thread's.
            name: Command line; the main thread carries its last 15 characters, as the kernel keeps them.
            uid: Owner; an app's package is found by it.
            ppid: Parent.
        """
        entry = self._tree.processes.add(pid=pid, ppid=ppid, uid=uid)
        entry.cmdline.append(name)
        self.thread(pid, pid, name[-_COMM_LENGTH:])

    def thread(self, pid: int, tid: int, name: str) -> None:
        """Declare a thread by its kernel name (15 bytes at most)."""
        if len(name.encode()) > _COMM_LENGTH:
            raise ValueError(f"thread name {name!r} is longer than the kernel keeps")
        self._tree.threads.add(tid=tid, tgid=pid, name=name)
        self._comms[tid] = name

    # ── slices ──

    def slice(self, pid: int, tid: int, start: int, end: int | None, name: str) -> None:
        """A section on a thread, written as atrace does; ``end`` is ``None`` when it never closes.

        Of two with the same bounds the one added first is the outer one.
        """
        opens, closes = kernel.printed(f"B|{pid}|{name}"), kernel.printed(f"E|{pid}")
        self._spans[tid].append(_Span(start, end, opens, closes))

    def async_slice(self, pid: int, start: int, end: int | None, name: str, cookie: int = 1) -> None:
        """A section of the process bound to no thread; ``cookie`` tells apart those of one name."""
        self.print(pid, start, f"S|{pid}|{name}|{cookie}")
        if end is not None:
            self.print(pid, end, f"F|{pid}|{name}|{cookie}")

    def counter(self, pid: int, ts: int, name: str, value: int) -> None:
        """A counter of the process."""
        self.print(pid, ts, f"C|{pid}|{name}|{value}")

    def print(self, tid: int, ts: int, text: str) -> None:
        """Any line of atrace as it is: also ends without a begin and damaged ones."""
        self.event(tid, ts, kernel.printed(text))

    def binder(
        self,
        caller: tuple[int, int],
        server: tuple[int, int],
        sent: int,
        answered: int,
        *,
        handled: tuple[int, int],
    ) -> None:
        """A call that waits: ``binder transaction`` on the caller, ``binder reply`` on the server.

        Args:
            caller: Process and thread that call.
            server: Process and thread that answer.
            sent: When the call leaves.
            answered: When the answer is back.
            handled: From when to when the server works on it, inside the two.
        """
        call, reply = self._next_call(), self._next_call()
        opens, closes = kernel.binder_sent(call, server), kernel.binder_received(reply)
        self._spans[caller[1]].append(_Span(sent, answered, opens, closes))
        opens, closes = kernel.binder_received(call), kernel.binder_sent(reply, caller, reply=True)
        self._spans[server[1]].append(_Span(*handled, opens, closes))

    def binder_async(self, caller_tid: int, server: tuple[int, int], sent: int, received: int) -> None:
        """A call nobody waits for: a moment on both sides, named ``… async``."""
        call = self._next_call()
        self.event(caller_tid, sent, kernel.binder_sent(call, server, flags=kernel.ONE_WAY))
        self.event(server[1], received, kernel.binder_received(call))

    # ── scheduling and other kernel events ──

    def segments(self, tid: int, segments: Iterable[Segment]) -> None:
        """What a thread was doing, in time order; adds to what is known of it."""
        self._segments[tid].extend(segments)

    def event(self, tid: int, ts: int, event: pb.FtraceEvent) -> None:
        """Any kernel event of thread ``tid`` (0 where no thread matters)."""
        event.pid = tid
        self._events.append((ts, event))

    def exit(self, tid: int, ts: int) -> None:
        """A thread is gone; of a main thread, the process: its number may be used again."""
        self.event(tid, ts, kernel.process_free(tid, self._comms[tid]))

    def lose_events(self, cpu: int) -> None:
        """Mark the kernel's buffer of a CPU as having dropped events before its first batch."""
        self._lossy_cpus.add(cpu)

    # ── packets of their own ──

    def head(self) -> pb.TracePacket:
        """A new packet before all events: clocks, config, facts of the system."""
        return _appended(self._head)

    def packet(self, ts: int) -> pb.TracePacket:
        """A new packet at a time."""
        packet = _appended(self._packets)
        packet.timestamp = ts
        return packet

    def tail(self) -> pb.TracePacket:
        """A new packet after all events: statistics of the recording."""
        return _appended(self._tail)

    # ── writing ──

    def build(self) -> bytes:
        """The trace's bytes.

        Raises:
            ValueError: Slices of one thread cross, or the scheduling is impossible.
        """
        kernel_packets = self._kernel_packets()
        packets = [*self._head, *self._tree_packet(), *self._symbol_packet(), *kernel_packets]
        packets += [*self._packets, *self._tail]
        content: bytes = pb.Trace(packet=packets).SerializeToString(deterministic=True)
        return content

    def _tree_packet(self) -> list[pb.TracePacket]:
        if not self._tree.processes:
            return []
        starts = [ts for ts, _ in self._events]
        starts += [span.start for spans in self._spans.values() for span in spans]
        starts += [segments[0].start for segments in self._segments.values()]
        packet = _appended([])
        packet.timestamp = min(starts, default=0)
        packet.process_tree.CopyFrom(self._tree)
        return [packet]

    def _symbol_packet(self) -> list[pb.TracePacket]:
        """Names of kernel functions, for the reasons of blocks."""
        if not self._symbols:
            return []
        packet = _appended([])
        packet.trusted_packet_sequence_id = FTRACE_SEQUENCE
        packet.sequence_flags = pb.TracePacket.SEQ_INCREMENTAL_STATE_CLEARED
        for name, number in self._symbols.items():
            packet.interned_data.kernel_symbols.add(iid=number, str=name.encode())
        return [packet]

    def _kernel_packets(self) -> list[pb.TracePacket]:
        by_cpu: dict[int, list[Timed]] = defaultdict(list)
        for happened in sched_events(sorted(self._segments.items())):
            event = kernel.scheduled(happened, self._comm, self._symbol)
            by_cpu[happened.cpu].append((happened.ts, event))
        for tid in sorted(self._spans):
            by_cpu[0].extend(_span_events(tid, self._spans[tid]))
        by_cpu[0].extend(self._events)
        packets = []
        for cpu in sorted(by_cpu):
            events = sorted(by_cpu[cpu], key=lambda timed: timed[0])
            for first in range(0, len(events), _EVENTS_PER_BUNDLE):
                lossy = first == 0 and cpu in self._lossy_cpus
                packets.append(_bundle(cpu, events[first : first + _EVENTS_PER_BUNDLE], lossy=lossy))
        return packets

    def _comm(self, tid: int) -> str:
        return self._comms.get(tid, f"thread-{tid}")

    def _symbol(self, name: str) -> int:
        return self._symbols.setdefault(name, len(self._symbols) + 1)

    def _next_call(self) -> int:
        self._binder_calls += 1
        return self._binder_calls


def _appended(packets: list[pb.TracePacket]) -> pb.TracePacket:
    packet = pb.TracePacket(trusted_uid=TRUSTED_UID, trusted_packet_sequence_id=SYSTEM_SEQUENCE)
    packets.append(packet)
    return packet


def _bundle(cpu: int, events: list[Timed], *, lossy: bool) -> pb.TracePacket:
    packet = pb.TracePacket(trusted_uid=TRUSTED_UID, trusted_packet_sequence_id=FTRACE_SEQUENCE)
    packet.ftrace_events.cpu = cpu
    packet.ftrace_events.lost_events = lossy
    for ts, event in events:
        event.timestamp = ts
    packet.ftrace_events.event.extend(event for _, event in events)
    return packet


def _span_events(tid: int, spans: list[_Span]) -> list[Timed]:
    """Opening and closing events of one thread, inner slices inside their outer one."""
    events: list[Timed] = []
    open_spans: list[_Span] = []

    def close_until(ts: int | None) -> None:
        while open_spans:
            end = open_spans[-1].end
            if end is None or (ts is not None and end > ts):
                return
            events.append((end, open_spans.pop().closes))

    for span in sorted(spans, key=_outermost_first):
        close_until(span.start)
        outer = open_spans[-1].end if open_spans else None
        if outer is not None and (span.end is None or span.end > outer):
            raise ValueError(f"thread {tid}: slices cross at {span.start}")
        events.append((span.start, span.opens))
        open_spans.append(span)
    close_until(None)
    for _, event in events:
        event.pid = tid
    return events


def _outermost_first(span: _Span) -> tuple[int, bool, int]:
    return span.start, span.end is not None, -(span.end or 0)
