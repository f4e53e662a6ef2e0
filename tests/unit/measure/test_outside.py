"""What probe shows of a trace that has nothing to measure, or only samples, or only scheduling."""

from __future__ import annotations

from pathlib import Path

import jsonschema
import msgspec
import pytest

from echolot_tui.engine.model import EngineChoice
from echolot_tui.engine.open import open_trace
from echolot_tui.generate.builder import TraceBuilder
from echolot_tui.generate.sched import Segment, State
from echolot_tui.headless.verbs.schema import schema_of
from echolot_tui.measure.outside import OutsideLine
from echolot_tui.measure.probe import Probe, ProcessLine, probe
from echolot_tui.measure.process import NoProcessError
from echolot_tui.present.spans import plain
from echolot_tui.present.trace_text import probe_text

MS = 1_000_000


def on_tracks(*names: str) -> TraceBuilder:
    """Each track has a slice of 10 ms with one of 4 ms inside; the last one's outer slice never ends."""
    builder = TraceBuilder()
    for uuid, name in enumerate(names, start=1):
        descriptor = builder.head().track_descriptor
        descriptor.uuid, descriptor.name = uuid, name
        for at, kind, text in ((10, 1, "outer"), (12, 1, "inner"), (16, 2, ""), (20, 2, "")):
            if at < 20 or uuid < len(names):
                event = builder.packet(at * MS).track_event
                event.track_uuid, event.type = uuid, kind
                event.categories.append("x")
                if text:
                    event.name = text
    return builder


def script(*threads: str) -> bytes:
    """Samples as perf script writes them, one a second."""
    return "".join(
        f"worker {thread} [000] {at}.000000: 1 cpu-clock: \n\t 6f1 spin (/bin/worker)\n\n"
        for at, thread in enumerate(threads, start=1)
    ).encode()


def test_tracks_of_no_thread_are_listed_by_family(load) -> None:
    found = probe(load(on_tracks("Level 1", "Level 2", "io", "\x1b[31m")))
    assert (found.process, found.processes, found.outside_total) == (None, (), 3)
    assert found.outside == (
        OutsideLine(kind="track", name="Level #", tracks=2, slices=4, slice_ms=20.0),
        OutsideLine(kind="track", name="\x1b[#m", slices=2, slice_ms=10.0),
        OutsideLine(kind="track", name="io", slices=2, slice_ms=10.0),
    )
    assert "its 8 slices are on tracks of no thread" in found.nothing
    jsonschema.validate(msgspec.json.decode(msgspec.json.encode(found)), schema_of("probe"))
    text = "\n".join(plain(each) for each in probe_text(found, 100))
    assert "\x1b" not in text
    assert "Nothing to measure: no process in this trace has slices" in text


def test_threads_that_name_no_process_are_listed_with_their_samples(load) -> None:
    found = probe(load(script("7", "8", "7")))
    assert found.outside == (
        OutsideLine(kind="thread", name="worker", tid=7, samples=2),
        OutsideLine(kind="thread", name="worker", tid=8, samples=1),
    )
    assert "only 2 threads that name no process" in found.nothing


def test_with_a_mask_nothing_to_measure_stays_a_refusal(load) -> None:
    with pytest.raises(NoProcessError, match="no process matches worker"):
        probe(load(script("7")), "worker")


def test_a_process_that_was_only_sampled_is_listed(load) -> None:
    found = probe(load(script("7/7", "7/8", "9/9")))
    assert [(line.pid, line.slices, line.samples, line.running_ms) for line in found.processes] == [
        (7, 0, 2, None),
        (9, 0, 1, None),
    ]
    assert found.process is not None
    assert (found.process.pid, found.outside) == (7, ())


def test_threads_that_were_only_sampled_show_it(load) -> None:
    found = probe(load(script("7/8", "7/7", "7/8")), "pid:7")
    assert [(line.tid, line.slices, line.samples) for line in found.threads] == [(8, 0, 2), (7, 0, 1)]
    text = "\n".join(plain(each) for each in probe_text(found, 100))
    assert "None: this process has no slices." in text
    assert "Running ms" not in text, "a column in which nothing stands says nothing"


def test_processes_that_were_only_scheduled_are_listed_by_their_time(load) -> None:
    builder = TraceBuilder()
    for cpu, (pid, spent) in enumerate(((10, 5), (20, 9))):
        builder.process(pid, f"app{pid}")
        builder.segments(pid, [Segment(10 * MS, (10 + spent) * MS, State.RUNNING, cpu=cpu)])
    found = probe(load(builder))
    assert found.processes == (
        ProcessLine(name="app20", pid=20, slices=0, async_slices=0, running_ms=9.0),
        ProcessLine(name="app10", pid=10, slices=0, async_slices=0, running_ms=5.0),
    )


@pytest.mark.traces
def test_real_recordings_without_a_process(shared_traces: Path) -> None:
    def look(name: str) -> Probe:
        with open_trace(shared_traces / name, EngineChoice()) as session:
            return probe(session)

    nested = look("edge/nested-tracks.perfetto-trace")
    assert [(each.kind, each.tracks, each.slices) for each in nested.outside] == [("track", 1364, 1364)]
    forks = look("samples/perf-script-forks.txt")
    assert sum(each.samples for each in forks.outside) == 561
    assert {each.kind for each in forks.outside} == {"thread"}
