from __future__ import annotations

import pytest
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as pb

from echolot_tui.generate.builder import TraceBuilder
from echolot_tui.generate.wire import message, varint


def prints(trace: bytes) -> list[tuple[int, int, str]]:
    """Time, thread and text of every line of atrace, in the order written."""
    parsed = pb.Trace()
    parsed.ParseFromString(trace)
    return [
        (event.timestamp, event.pid, event.print.buf)
        for packet in parsed.packet
        for event in packet.ftrace_events.event
        if event.HasField("print")
    ]


def test_inner_slices_open_after_and_close_before_their_outer_one():
    builder = TraceBuilder()
    builder.slice(1, 1, 10, 20, "outer")
    builder.slice(1, 1, 10, 20, "same bounds, added later")
    builder.slice(1, 1, 10, 10, "of no length")
    builder.slice(1, 1, 20, 30, "next")
    builder.slice(1, 1, 35, None, "never closes")
    assert prints(builder.build()) == [
        (10, 1, "B|1|outer"),
        (10, 1, "B|1|same bounds, added later"),
        (10, 1, "B|1|of no length"),
        (10, 1, "E|1"),
        (20, 1, "E|1"),
        (20, 1, "E|1"),
        (20, 1, "B|1|next"),
        (30, 1, "E|1"),
        (35, 1, "B|1|never closes"),
    ]


def test_a_slice_that_never_closes_keeps_its_outer_one_open():
    builder = TraceBuilder()
    builder.slice(1, 1, 10, 20, "outer")
    builder.slice(1, 1, 15, None, "inner")
    with pytest.raises(ValueError, match="cross at 15"):
        builder.build()


def test_crossing_slices_are_refused():
    builder = TraceBuilder()
    builder.slice(1, 1, 10, 20, "a")
    builder.slice(1, 1, 15, 25, "b")
    with pytest.raises(ValueError, match="cross at 15"):
        builder.build()


def test_names_longer_than_a_kernel_keeps_are_refused():
    with pytest.raises(ValueError, match="longer"):
        TraceBuilder().thread(1, 2, "sixteen-letters!")


def test_wire_format_reads_back():
    event = pb.FtraceEvent()
    event.ParseFromString(message([(1, 5_000_000_000_000), (2, 300), (3, message([(2, "B|1|größer")]))]))
    assert (event.timestamp, event.pid, event.print.buf) == (5_000_000_000_000, 300, "B|1|größer")


@pytest.mark.parametrize("value", [0, 1, 127, 128, 300, 2**35, 2**63 - 1])
def test_varints_are_protobufs(value: int):
    assert pb.FtraceEvent.FromString(b"\x08" + varint(value)).timestamp == value
