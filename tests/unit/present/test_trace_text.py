"""``probe`` and ``names`` as they are printed."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from echolot_tui.measure.inventory import NameFamily, NamesInventory, NamesSection
from echolot_tui.measure.model import ProcessFacts
from echolot_tui.measure.probe import OutsideLine, Probe
from echolot_tui.present.spans import Line, columns, plain
from echolot_tui.present.trace_text import names_text, probe_text
from loop_data import a_probe

HOSTILE = "\x1b[31m[/] a\nb | " + "x" * 500


def text(lines: list[Line]) -> str:
    return "\n".join(map(plain, lines))


def row(lines: list[Line], begins: str) -> list[str]:
    (found,) = [plain(each) for each in lines if plain(each).startswith(begins)]
    return found.split()


def family(name: str, **fields: object) -> NameFamily:
    given = {"names": 2, "count": 3, "total_ms": 12.0, "max_ms": 7.5, "threads": ("main",)}
    return NameFamily(**({"name": name} | given | fields))


def inventory(**fields: object) -> NamesInventory:
    given: dict[str, object] = {
        "trace": "one.pftrace",
        "process": ProcessFacts(name="com.app", upid=4, pid=40, slices=30, chosen_by="most slices"),
        "sections": (
            NamesSection(title="Garbage collection", families=(family("GC #", seen_by=("gc.name",)),)),
            NamesSection(title="The app's own", families=(family("toggle#N"),), more=4),
        ),
        "missed": (),
        "families_total": 6,
    }
    return NamesInventory(**(given | fields))


def test_a_trace_lists_its_processes_and_says_which_would_be_measured() -> None:
    lines = probe_text(a_probe(), 100)
    assert plain(lines[0]) == "traces/one.pftrace  4321.50 ms"
    assert row(lines, "system_server")[:4] == ["system_server", "900", "40", "2"]
    said = " ".join(text(lines).split())
    assert "Without --process, analyze takes com.example.app (most main-thread work)." in said
    assert "Threads of" not in said
    assert "more" not in said


def test_processes_and_threads_that_are_left_out_are_counted() -> None:
    found = replace(a_probe(process="com.example.app"), processes_total=3, threads_total=4)
    said = text(probe_text(found, 100))
    assert "… and 1 process more" in said
    assert "… and 3 threads more" in said


def test_a_process_lists_its_threads_and_what_may_be_an_anchor() -> None:
    found = a_probe(process="com.example.app")
    longest = (replace(found.longest[0], unfinished=True), *found.longest[1:])
    lines = probe_text(replace(found, longest=longest), 100)
    assert "Threads of com.example.app" in text(lines)
    assert row(lines, "main (main)") == ["main", "(main)", "1", "3.00", "9", "4.00"]
    assert row(lines, "bindApplication (unfinished)")[2:] == ["main", "0.00", "900.00", "1"]
    assert row(lines, "draw") == ["draw", "main", "10.00", "899.00", "5"]


def test_a_trace_without_a_process_says_what_it_holds_instead() -> None:
    outside = OutsideLine(kind="track", name="gpu", tid=None, tracks=2, slices=7, slice_ms=3.5)
    found = Probe(
        trace="a.pb", duration_ms=1.0, processes=(), processes_total=0,
        nothing="no process has slices; record with atrace", outside=(outside,), outside_total=3,
    )  # fmt: skip
    said = text(probe_text(found, 100))
    assert "What belongs to no process" in said
    assert "gpu" in said
    assert "… and 2 others more" in said
    assert "Nothing to measure: no process has slices; record with atrace" in said


def test_families_say_which_mask_sees_them_and_what_no_mask_sees() -> None:
    seen = family("binder #", seen_by=("binder.name", "waits.name"), excluded_by=("binder.skip",))
    many = family("many", threads=("main", "a", "b", "c", "d"))
    found = inventory(sections=(NamesSection(title="Binder", families=(seen, many)),))
    said = text(names_text(found, 160))
    assert "com.app · 6 families of slice names" in said
    assert "binder.name, waits.name, not binder.skip" in said
    assert "main, a, b +2" in said
    assert "None: every family that looks like a detector's business is seen." in said
    missed = text(names_text(inventory(missed=(family("young GC"),)), 160))
    assert "None: every" not in missed
    lines = names_text(inventory(missed=(family("young"),)), 160)
    assert row(lines, "young")[:5] == ["young", "2", "3", "12.00", "7.50"]


def test_families_beyond_the_listed_are_counted() -> None:
    assert "… and 4 families more" in text(names_text(inventory(), 100))


@pytest.mark.parametrize("width", [40, 80, 200])
def test_nothing_is_wider_than_the_terminal_and_names_are_harmless(width: int) -> None:
    probe = a_probe(process=HOSTILE, names=(HOSTILE, "draw"))
    found = inventory(missed=(family(HOSTILE, threads=(HOSTILE,)),))
    for lines in (probe_text(probe, width), names_text(found, width)):
        assert max(columns(plain(each)) for each in lines) <= width
        assert "\x1b" not in text(lines)


def test_wide_cuts_no_name() -> None:
    name = "a" * 300
    assert name in text(names_text(inventory(missed=(family(name),)), 2000, wide=True))
    assert name not in text(names_text(inventory(missed=(family(name),)), 2000))
