"""probe and names."""

from __future__ import annotations

from pathlib import Path

import jsonschema
import msgspec
import pytest

from echolot_tui.engine.model import EngineChoice
from echolot_tui.engine.open import open_trace
from echolot_tui.errors import EcholotError
from echolot_tui.generate.builder import TraceBuilder
from echolot_tui.generate.sched import Segment, State
from echolot_tui.headless.verbs.schema import schema_of
from echolot_tui.measure.catalogue import load_catalogue
from echolot_tui.measure.inventory import NameMask, name_masks, names_inventory, shown_family
from echolot_tui.measure.plan import plan
from echolot_tui.measure.probe import probe
from echolot_tui.present.spans import plain
from echolot_tui.present.trace_text import names_text

MS = 1_000_000
APP = "com.example.app"
MASKS = (
    NameMask(detector="gc", param="name_glob", glob="*GC"),
    NameMask(detector="binder", param="name_glob", glob="binder transaction*"),
    NameMask(detector="binder", param="skip_glob", glob="*async*", excludes=True),
)


def app() -> TraceBuilder:
    builder = TraceBuilder()
    builder.process(4000, APP, uid=10_100)
    for number in range(1, 4):
        builder.thread(4000, 4000 + number, f"pool-{number}")
        builder.slice(4000, 4000 + number, 100 * MS, (100 + number) * MS, f"decode {number}")
    builder.slice(4000, 4000, 10 * MS, 60 * MS, "toggle#12")
    builder.slice(4000, 4000, 20 * MS, 30 * MS, "young concurrent copying GC")
    builder.slice(4000, 4000, 31 * MS, 35 * MS, "GC: wait for completion")
    builder.slice(4000, 4000, 70 * MS, 75 * MS, "toggle#7")
    builder.slice(4000, 4000, 80 * MS, 82 * MS, "AGENTTMP_load 1")
    builder.slice(4000, 4000, 83 * MS, 84 * MS, "AGENTTMP_load 2")
    builder.slice(4000, 4001, 200 * MS, 207 * MS, "binder transaction async")
    builder.slice(4000, 4000, 300 * MS, 300 * MS + 1000, "tiny")
    builder.async_slice(4000, 400 * MS, 480 * MS, "loading 1")
    builder.slice(4000, 4000, 490 * MS, None, "open")
    builder.slice(4000, 4001, 500 * MS, 501 * MS, "last")
    return builder


def inventory(session, **settings):
    given = {"mask": APP, "masks": MASKS, "marker_prefix": "AGENTTMP_"} | settings
    return names_inventory(session, **given)


def listed(found) -> dict[str, list[str]]:
    return {section.title: [each.name for each in section.families] for section in found.sections}


def test_families_by_section_largest_first(load) -> None:
    found = inventory(load(app()))
    assert listed(found) == {
        "Garbage collection": ["young concurrent copying GC", "GC: wait for completion"],
        "Binder / IPC": ["binder transaction async"],
        "Everything else": [
            "loading #",
            "toggle#N",
            "open",
            "decode #",
            "AGENTTMP_load 1",
            "AGENTTMP_load 2",
            "last",
        ],
    }
    assert found.families_total == 11
    jsonschema.validate(msgspec.json.decode(msgspec.json.encode(found)), schema_of("names"))
    assert [section.more for section in found.sections] == [0, 0, 1]


def test_a_family_adds_up(load) -> None:
    families = {each.name: each for section in inventory(load(app())).sections for each in section.families}
    toggle = families["toggle#N"]
    assert (toggle.names, toggle.count, toggle.total_ms, toggle.max_ms) == (2, 2, 55.0, 50.0)
    decode = families["decode #"]
    assert (decode.names, decode.count, decode.total_ms, decode.threads) == (3, 3, 6.0, ("pool-#",))
    assert families["loading #"].threads == ("(async)",)
    assert families["open"].total_ms == 11.0


def test_masks_that_see_or_exclude_and_what_they_miss(load) -> None:
    found = inventory(load(app()))
    families = {each.name: each for section in found.sections for each in section.families}
    assert families["young concurrent copying GC"].seen_by == ("gc.name_glob",)
    binder = families["binder transaction async"]
    assert (binder.seen_by, binder.excluded_by) == (("binder.name_glob",), ("binder.skip_glob",))
    assert [each.name for each in found.missed] == ["GC: wait for completion"]


def test_grep_min_ms_and_top(load) -> None:
    session = load(app())
    assert listed(inventory(session, grep="TOGGLE|tiny", min_ms=0)) == {
        "Everything else": ["toggle#N", "tiny"]
    }
    nothing = "\n".join(plain(each) for each in names_text(inventory(session, grep="zzz"), 100))
    assert "There is no slice to list." in nothing
    assert "Missed by the masks" not in nothing
    short = inventory(session, min_ms=20, top=1)
    assert listed(short)["Everything else"] == ["loading #"]
    assert [section.more for section in short.sections] == [2, 1, 7]
    with pytest.raises(EcholotError, match="--grep '\\(' is no regular expression"):
        inventory(session, grep="(")


def test_a_long_name_is_cut_unless_asked_for_wide(load) -> None:
    builder = TraceBuilder()
    builder.process(4000, APP, uid=10_100)
    name = "x\x1b" * 300
    builder.slice(4000, 4000, 10 * MS, 60 * MS, name)
    found = inventory(load(builder))
    cut, whole = (
        "\n".join(plain(each) for each in names_text(found, width, wide=wide))
        for width, wide in ((200, False), (1_000_000, True))
    )
    assert "x\\x1b" * 15 in cut
    assert "x\\x1b" * 17 not in cut
    assert "x\\x1b" * 300 in whole


@pytest.mark.parametrize(
    ("name", "shown"),
    [("toggle#12", "toggle#N"), ("worker-3", "worker-#"), ("at 0x7f1", "at 0x#"), ("plain", "plain")],
)
def test_a_familys_name(name: str, shown: str) -> None:
    assert shown_family(name) == shown


def test_masks_of_the_shipped_detectors() -> None:
    masks = {(mask.detector, mask.param): mask for mask in name_masks(plan(load_catalogue()))}
    assert masks["binder_txn", "skip_glob"].excludes
    assert not masks["binder_txn", "name_glob"].excludes
    assert masks["binder_txn", "name_glob"].glob == "binder transaction*"


def test_probe_without_a_process_lists_processes(load) -> None:
    builder = app()
    for pid in range(5000, 5020):
        builder.process(pid, f"com.example.other{pid}")
        builder.slice(pid, pid, 10 * MS, 11 * MS, "x")
    found = probe(load(builder))
    assert [(line.name, line.slices, line.async_slices) for line in found.processes[:2]] == [
        (APP, 13, 1),
        ("com.example.other5000", 1, 0),
    ]
    assert (len(found.processes), found.processes_total) == (15, 21)
    assert (found.threads, found.longest) == ((), ())
    assert found.process.name == APP


def test_probe_of_a_process_lists_threads_and_anchor_candidates(load) -> None:
    builder = app()
    builder.segments(4000, [Segment(10 * MS, 30 * MS, State.RUNNING)])
    builder.segments(4002, [Segment(100 * MS, 140 * MS, State.RUNNING)])
    found = probe(load(builder), "com.*")
    assert [(line.name, line.running_ms, line.is_main) for line in found.threads[:2]] == [
        ("pool-2", 40.0, False),
        (APP, 20.0, True),
    ]
    assert found.threads_total == 4
    longest = found.longest[:3]
    assert [(line.name, line.thread, line.dur_ms) for line in longest] == [
        ("loading 1", "(async)", 80.0),
        ("toggle#12", APP, 50.0),
        ("open", APP, 11.0),
    ]
    assert (longest[1].start_ms, longest[1].same_name, longest[2].unfinished) == (0.0, 1, True)


def test_probe_without_scheduling_says_so(load) -> None:
    found = probe(load(app()), APP)
    assert {line.running_ms for line in found.threads} == {None}
    assert found.threads[0].name == APP


@pytest.mark.traces
@pytest.mark.parametrize(
    ("trace", "family", "count", "total_ms"),
    [
        ("main-thread-io-before", "toggle#N", 39, 61.54),
        ("main-thread-io-after", "toggle#N", 39, 6.67),
        ("thread-spam-before", "dispatch#N", 200, 74.53),
        ("thread-spam-after", "dispatch#N", 200, 32.82),
    ],
)
def test_known_families(shared_traces: Path, trace: str, family: str, count: int, total_ms: float) -> None:
    with open_trace(shared_traces / "android" / f"{trace}.pftrace", EngineChoice()) as session:
        found = inventory(session, mask="com.example.*")
    top = found.sections[-1].families[0]
    assert (top.name, top.count, top.total_ms) == (family, count, total_ms)
