"""One function a kernel event: plain values in, Perfetto's message out."""

from __future__ import annotations

from collections.abc import Callable

from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as pb

from echolot_tui.generate.sched import BlockedReason, SchedEvent, Switch

ONE_WAY = 1
"""Binder's flag of a call nobody waits for."""

_PRIORITY = 120


def printed(text: str) -> pb.FtraceEvent:
    """A line of atrace."""
    return pb.FtraceEvent(print=pb.PrintFtraceEvent(buf=text))


def binder_sent(call: int, to: tuple[int, int], *, reply: bool = False, flags: int = 0) -> pb.FtraceEvent:
    """A call (or the answer to one) is handed to process and thread ``to``."""
    return pb.FtraceEvent(
        binder_transaction=pb.BinderTransactionFtraceEvent(
            debug_id=call, to_proc=to[0], to_thread=to[1], reply=int(reply), flags=flags
        )
    )


def binder_received(call: int) -> pb.FtraceEvent:
    """The other end has a call in hand."""
    return pb.FtraceEvent(binder_transaction_received=pb.BinderTransactionReceivedFtraceEvent(debug_id=call))


def cpu_frequency(cpu: int, khz: int) -> pb.FtraceEvent:
    """A CPU's clock changes."""
    return pb.FtraceEvent(cpu_frequency=pb.CpuFrequencyFtraceEvent(state=khz, cpu_id=cpu))


def temperature(zone: str, milli_celsius: int) -> pb.FtraceEvent:
    """A thermal zone is read."""
    return pb.FtraceEvent(
        thermal_temperature=pb.ThermalTemperatureFtraceEvent(thermal_zone=zone, temp=milli_celsius)
    )


def cooling(device: str, level: int) -> pb.FtraceEvent:
    """A cooling device is set to a level."""
    return pb.FtraceEvent(cdev_update=pb.CdevUpdateFtraceEvent(type=device, target=level))


def process_free(tid: int, comm: str) -> pb.FtraceEvent:
    """A thread is gone for good."""
    return pb.FtraceEvent(
        sched_process_free=pb.SchedProcessFreeFtraceEvent(comm=comm, pid=tid, prio=_PRIORITY)
    )


def scheduled(what: SchedEvent, comm: Callable[[int], str], symbol: Callable[[str], int]) -> pb.FtraceEvent:
    """A switch, a waking or the reason of a block.

    Args:
        what: The event.
        comm: Thread id to its kernel name.
        symbol: Kernel function to its number in the recording's table.
    """
    if isinstance(what, Switch):
        return pb.FtraceEvent(
            pid=what.prev_tid,
            sched_switch=pb.SchedSwitchFtraceEvent(
                prev_comm=comm(what.prev_tid),
                prev_pid=what.prev_tid,
                prev_prio=_PRIORITY,
                prev_state=what.prev_state,
                next_comm=comm(what.next_tid),
                next_pid=what.next_tid,
                next_prio=_PRIORITY,
            ),
        )
    if isinstance(what, BlockedReason):
        reason = pb.SchedBlockedReasonFtraceEvent(pid=what.tid, io_wait=int(what.io_wait))
        if what.function is not None:
            reason.caller = symbol(what.function)
        return pb.FtraceEvent(pid=what.waker, sched_blocked_reason=reason)
    return pb.FtraceEvent(
        pid=what.waker,
        sched_waking=pb.SchedWakingFtraceEvent(
            comm=comm(what.tid), pid=what.tid, prio=_PRIORITY, success=1, target_cpu=what.cpu
        ),
    )
