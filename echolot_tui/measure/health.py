"""Whether a recording is whole: what the engine counted as lost or wrong, and a file cut off at its end."""

from __future__ import annotations

import mmap
from pathlib import Path
from typing import Final, Literal, NamedTuple

from echolot_tui.engine.formats import sniff
from echolot_tui.engine.model import TraceSession
from echolot_tui.measure.model import Health, HealthIssue
from echolot_tui.text import visible

_PACKET_TAG: Final = 0x0A
"""Field 1 of ``perfetto.protos.Trace``, length-delimited: each packet starts with it."""
_LONGEST_VARINT: Final = 10


class _Count(int):
    """A number that brings its words into a text: ``{n:slice is lost|slices are lost}``."""

    def __format__(self, words: str) -> str:
        one, _, many = words.partition("|")
        return f"{int(self)} {one if self == 1 else many}"


class _Meaning(NamedTuple):
    """What a statistic means for the numbers: ``{n:one|many}`` is its value with words.

    ``{places:one|many}`` is how many CPUs or buffers it concerns.
    """

    text: str
    severity: Literal["data loss", "error"] = "data loss"


_MEANINGS: Final[dict[str, _Meaning]] = {
    "ftrace_cpu_has_data_loss": _Meaning(
        "the kernel lost events on {places:CPU|CPUs}: its buffer overflowed between two reads"
    ),
    "ftrace_cpu_dropped_events_delta": _Meaning("the kernel dropped {n:event|events}: its buffers were full"),
    "ftrace_cpu_commit_overrun_delta": _Meaning(
        "the kernel overwrote {n:event while it was|events while they were} being written"
    ),
    "ftrace_kprobe_misses_delta": _Meaning("{n:kernel probe was|kernel probes were} missed"),
    "traced_buf_chunks_discarded": _Meaning(
        "a trace buffer was full and {n:chunk was|chunks were} thrown away: "
        "the end of the recording is missing"
    ),
    "traced_buf_trace_writer_packet_loss": _Meaning(
        "{n:time|times} a writer lost packets: the shared buffer was full"
    ),
    "traced_buf_sequence_packet_loss": _Meaning(
        "{n:group of packets is|groups of packets are} missing from the trace's sequences"
    ),
    "traced_buf_incremental_sequences_dropped": _Meaning(
        "{n:writer's|writers'} packets were all unusable: the part that explains them is missing"
    ),
    "traced_buf_patches_failed": _Meaning(
        "{n:packet was left incomplete when it was|packets were left incomplete when they were} written"
    ),
    "traced_buf_abi_violations": _Meaning(
        "{n:packet from a writer was|packets from a writer were} malformed"
    ),
    "traced_flushes_failed": _Meaning("{n:time|times} a data source did not hand over its data in time"),
    "traced_final_flush_failed": _Meaning("the last data was not handed over when the recording stopped"),
    "perf_samples_skipped_dataloss": _Meaning("the profiler lost {n:stack sample|stack samples}"),
    "misplaced_end_event": _Meaning(
        "{n:slice ended out of order and may have a wrong length|"
        "slices ended out of order and may have wrong lengths}"
    ),
    "slice_negative_duration": _Meaning(
        "{n:slice ended before it began and was|slices ended before they began and were} left out", "error"
    ),
    "slice_drop_overlapping_complete_event": _Meaning(
        "{n:slice overlaps|slices overlap} others without lying inside them; left out", "error"
    ),
    "track_event_thread_invalid_end": _Meaning(
        "{n:slice end matches|slice ends match} no slice's beginning", "error"
    ),
    "trace_sorter_negative_timestamp_dropped": _Meaning(
        "{n:event carries a negative time and was|events carry a negative time and were} left out", "error"
    ),
    "sorter_push_event_out_of_order": _Meaning("{n:event|events} came too late to be put in order", "error"),
    "mismatched_sched_switch_tids": _Meaning(
        "{n:scheduling event contradicts another|scheduling events contradict each other}: "
        "some CPU time is on the wrong thread",
        "error",
    ),
    "compact_sched_has_parse_errors": _Meaning(
        "{n:batch|batches} of scheduling events could not be read", "error"
    ),
    "ftrace_bundle_tokenizer_errors": _Meaning(
        "{n:batch|batches} of kernel events could not be read", "error"
    ),
    "task_state_invalid": _Meaning("{n:thread state is|thread states are} unknown", "error"),
    "invalid_cpu_times": _Meaning("{n:CPU time reading is|CPU time readings are} not sound", "error"),
    "invalid_clock_snapshots": _Meaning(
        "{n:clock reading contradicts another|clock readings contradict each other}", "error"
    ),
    "clock_sync_failure": _Meaning(
        "{n:time|times} could not be converted between clocks: some events are missing or misplaced", "error"
    ),
    "json_parser_failure": _Meaning(
        "{n:event could not be read and is|events could not be read and are} missing", "error"
    ),
    "json_tokenizer_failure": _Meaning(
        "the file stops making sense at some point: the rest is missing", "error"
    ),
    "systrace_parse_failure": _Meaning(
        "{n:line could not be read and is|lines could not be read and are} missing", "error"
    ),
    "process_tracker_errors": _Meaning(
        "{n:thread or process|threads or processes} could not be told apart", "error"
    ),
}

_CUT_OFF: Final = (
    "the file is cut off: {n:byte of its last packet is|bytes of its last packet are} missing, "
    "and all after it"
)

_BENIGN: Final = (
    "android_br_",
    "android_log_",
    "app_wakelock_",
    "atom_",
    "config_write_into_file_no_flush",
    "deobfuscate_location_",
    "empty_chrome_metadata",
    "energy_",
    "entity_state_",
    "etm_",
    "flow_",
    "game_intervention_",
    "gpu_",
    "heap_graph_",
    "heapprofd_",
    "hprof_",
    "jit_",
    "kernel_wakelock_",
    "legacy_v8_",
    "mali_",
    "meminfo_",
    "memory_snapshot_",
    "metatrace_",
    "mm_",
    "packages_list_",
    "perf_aux",
    "perf_record_skipped",
    "perf_samples_cpu_mode_unknown",
    "perf_samples_skipped",
    "pixel_modem_",
    "power_rail_",
    "proc_stat_",
    "psi_",
    "rss_stat_",
    "spe_",
    "symbolization_",
    "thread_time_in_state_",
    "unknown_extension_fields",
    "v8_",
    "vmstat_",
    "vulkan_",
    "winscope_",
)
"""Beginnings of statistics about data no number here comes from, or that only concern other processes."""

_LOSSES: Final = """
    SELECT name, severity, MAX(COALESCE(description, '')) AS description, SUM(value) AS value,
      COUNT(*) AS places
    FROM stats
    WHERE value > 0 AND (severity IN ('data_loss', 'error') OR name = 'traced_buf_chunks_discarded')
    GROUP BY name, severity ORDER BY name"""
"""The engine files a full buffer's discarded chunks under information; they are a loss all the same."""

_RECORDINGS: Final = """
    SELECT LTRIM(COALESCE(name, ''), '/') FROM __intrinsic_trace_file
    WHERE trace_type NOT IN ('zip', 'gzip', 'tar', 'symbols') AND trace_type NOT GLOB 'android_*'
    ORDER BY id"""
"""Files the engine read as recordings of their own, without what packs or explains them."""
_NAMED: Final = 3


def trace_health(session: TraceSession) -> Health:
    """What the engine's statistics say was lost or wrong, worst first; and whether the file is cut off."""
    issues = []
    for name, severity, description, value, places in session.query(_LOSSES).tuples():
        issue = _issue(str(name), str(severity), str(description), int(value or 0), int(places or 0))
        if issue is not None:
            issues.append(issue)
    missing = missing_bytes(session.path)
    if missing:
        issues.append(
            HealthIssue(
                name="file_cut_off",
                value=missing,
                severity="data loss",
                text=_CUT_OFF.format(n=_Count(missing)),
            )
        )
    several = [str(name) for (name,) in session.query(_RECORDINGS).tuples()]
    if len(several) > 1:
        issues.append(_several(several))
    issues.sort(key=lambda issue: (issue.severity != "data loss", issue.name))
    return Health(state="lossy" if issues else "healthy", issues=tuple(issues))


def _issue(name: str, severity: str, description: str, value: int, places: int) -> HealthIssue | None:
    meaning = _MEANINGS.get(name)
    if meaning is not None:
        text = meaning.text.format(n=_Count(value), places=_Count(places))
        return HealthIssue(name=name, value=value, severity=meaning.severity, text=text)
    if name.startswith(_BENIGN):
        return None
    first, _, _ = description.partition(". ")
    return HealthIssue(
        name=name,
        value=value,
        severity="data loss" if severity == "data_loss" else "error",
        text=f"the engine counted {value} × {visible(name)}" + (f" ({visible(first, 160)})" if first else ""),
    )


def _several(names: list[str]) -> HealthIssue:
    """The engine lays recordings of one archive over each other, and may drop one of two alike unsaid."""
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    shown = ", ".join(visible(name, 60) for name in names[:_NAMED])
    return HealthIssue(
        name="several_traces",
        value=len(names),
        severity="error",
        text=f"the archive holds {len(names)} traces ({shown}{more}), which are read as one: unpack it",
    )


def missing_bytes(path: Path) -> int:
    """How many bytes the last packet of a Perfetto trace lacks; 0 for a whole file and other formats.

    The engine reads such a file up to the cut and says nothing.
    """
    found = sniff(path)
    if found is None or found.kind != "perfetto" or found.packed is not None:
        return 0
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        return _beyond_end(data)


def _beyond_end(data: mmap.mmap) -> int:
    end = len(data)
    at = 0
    while at < end:
        if data[at] != _PACKET_TAG:  # not a plain row of packets: nothing can be said about its end
            return 0
        at += 1
        size = shift = 0
        while True:
            if at >= end:
                return 1
            byte = data[at]
            at += 1
            size |= (byte & 0x7F) << shift
            if byte < 0x80:
                break
            shift += 7
            if shift >= 7 * _LONGEST_VARINT:
                return 0
        at += size
    return at - end
