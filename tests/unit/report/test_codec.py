"""Our own reports come back as they were; the original's and broken ones load as far as they can."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from echolot_tui.errors import EcholotError
from echolot_tui.report.codec import decode_report, decode_rows, encode_report, encode_rows
from echolot_tui.report.model import (
    AllRows,
    DetectorReport,
    EnvironmentReport,
    MarkerRow,
    MarkersReport,
    Repeat,
    Report,
    Row,
    Spread,
    WindowReport,
)

# Written by hand from the description of schema 1: one trace, no merge keys.
ONE_TRACE: dict[str, Any] = {
    "schema": 1,
    "generated_at": "2025-03-01T10:00:00+00:00",
    "trace": ".echolot/traces/start_iter000.perfetto-trace",
    "scenario": "start",
    "toolchain": {
        "perfetto_package": "0.57.2",
        "trace_processor": "v56.1",
        "source": "pinned",
        "binary": None,
    },
    "window": {
        "ts_start": 100000000,
        "duration_ms": 1005.0,
        "process": "com.example.app",
        "pid": 4242,
        "start": {"glob": "bindApplication", "matches": 1},
        "end": {"glob": "reportFullyDrawn*", "matches": 1, "unfinished": True},
        "main_thread": {
            "on_cpu": 402.1,
            "waiting_for_cpu": 20.0,
            "in_kernel": 1.5,
            "sleeping": 492.45,
            "other": 0.0,
            "accounted_ms": 916.05,
            "window_ms": 1005.0,
            "accounted_pct": 91.1,
            "in_rows_ms": 422.1,
            "in_rows_pct": 42.0,
            "in_rows_uncounted": [],
        },
        "opened_inside": None,
        "startup": None,
    },
    "environment": {
        "cpu": {
            "mean_mhz": 1478.4,
            "min_mhz": 300.0,
            "max_mhz": 2000.0,
            "on_cpu_ms": 900.0,
            "measured_ms": 900.0,
        },
        "thermal": {"max_celsius": 54.4, "hottest_zone": "cpu", "throttled": False, "throttle_device": None},
        "memory": {"available_mb_min": 1513.5, "major_faults": None},
        "sampling": None,
        "compose_names": None,
        "missing": [],
    },
    "markers": {"rows": [], "absent": ["nav*"], "in_trace": [], "unbuilt": {"names": []}},
    "summary": {
        "detectors_run": 3,
        "detectors_fired": 1,
        "fired_ids": ["main_thread_block"],
        "absent_ids": [],
    },
    "detectors": [
        {
            "id": "main_thread_block",
            "title": "Where the main thread spent its time",
            "why": "…",
            "params": {"min_slice_ms": 16},
            "params_source": "config",
            "identity": ["location", "detail"],
            "rows": [
                {
                    "location": "draw",
                    "count": 7,
                    "total_ms": 130.8,
                    "self_ms": 120.8,
                    "max_ms": 34.0,
                    "detail": "com.example.app",
                    "invented": 3,
                },
            ],
            "error": None,
            "defaults": {"min_slice_ms": 16},
        },
        {
            "id": "io_wait",
            "title": "",
            "why": "",
            "params": {},
            "params_source": "default",
            "identity": ["location", "thread"],
            "rows": [],
            "error": None,
        },
        {
            "id": "anr",
            "title": "",
            "why": "",
            "params": {},
            "params_source": "default",
            "identity": ["location"],
            "rows": [],
            "error": "no such table",
        },
    ],
    "config": {
        "path": "echolot.yml",
        "sha": "0123456789ab",
        "local": None,
        "defaults": False,
        "set": None,
        "mapping": None,
    },
}


def merged() -> dict[str, Any]:
    """Five repeats merged, as the original writes them."""
    document: dict[str, Any] = json.loads(json.dumps(ONE_TRACE))
    document["traces"] = [f"start_iter00{index}.perfetto-trace" for index in range(5)]
    document["runs"] = 5
    document["window"] |= {"duration_ms_min": 900.0, "duration_ms_max": 1100.0}
    everywhere = {
        "min": 10.0,
        "max": 14.0,
        "values": [10.0, 11.0, 12.0, 13.0, 14.0],
        "resolves_ms": 4.0,
        "resolves_pct": 33.3,
    }
    document["detectors"][0]["rows"] = [
        {
            "location": "draw",
            "detail": "app",
            "runs": "5/5",
            "count": 7,
            "self_ms": 12.0,
            "spread": {"self_ms": everywhere},
        },
        {
            "location": "some",
            "detail": "app",
            "runs": "2/5",
            "count": 6.5,
            "self_ms": 10.5,
            "spread": {"self_ms": {"min": 10.0, "max": 11.0, "values": [10.0, 11.0]}},
        },
    ]
    document["detectors"][1] |= {
        "error": "broke",
        "failed_runs": "1/5",
        "rows": document["detectors"][0]["rows"][:1],
    }
    document["markers"]["rows"] = [
        {
            "location": "m",
            "runs": "5/5",
            "count": 1,
            "self_ms": 1.0,
            "total_ms": 12.0,
            "max_ms": 1.0,
            "spread": {"total_ms": everywhere},
            "detail": "main",
        }
    ]
    copied: dict[str, Any] = json.loads(json.dumps(document))
    return copied


def load(document: object) -> Report:
    return decode_report(json.dumps(document).encode(), where="report.json")


def test_a_report_of_the_original_loads() -> None:
    report = load(ONE_TRACE)
    assert report.window.duration_ms == 1005.0
    assert report.window.values == (1005.0,)
    assert report.window.end is not None
    assert report.window.end.unfinished
    assert report.environment.sampling is None
    assert report.environment.cpu is not None
    assert report.environment.cpu.mean_mhz == 1478.4
    assert report.markers.absent == ("nav*",)
    assert [detector.state for detector in report.detectors] == ["fired", "silent", "failed"]
    assert report.repeats == (
        Repeat(label="1", trace=".echolot/traces/start_iter000.perfetto-trace", trace_index=0),
    )
    assert (report.runs, report.runs_given, report.clipped) == (1, 1, None)
    (row,) = report.detectors[0].rows
    assert row.by_run == {"count": (7,), "self_ms": (120.8,), "total_ms": (130.8,), "max_ms": (34.0,)}
    assert report.notes == ()


def test_a_merged_report_of_the_original_gets_values_by_run_where_they_are_certain() -> None:
    report = load(merged())
    assert [(one.label, one.trace, one.trace_index) for one in report.repeats] == [
        (f"{index + 1}", f"start_iter00{index}.perfetto-trace", index) for index in range(5)
    ]
    everywhere, sometimes = report.detectors[0].rows
    assert everywhere.by_run == {"self_ms": (10.0, 11.0, 12.0, 13.0, 14.0)}
    assert sometimes.by_run is None
    assert sometimes.spread is not None
    assert report.detectors[1].state == "fired"
    assert report.markers.rows[0].by_run == {"total_ms": (10.0, 11.0, 12.0, 13.0, 14.0)}
    assert report.window.values is None


def test_only_detectors_is_needed() -> None:
    report = load({"detectors": []})
    assert (report.detectors, report.runs, report.window, report.environment.sampling) == (
        (),
        1,
        WindowReport(),
        msgspec.UNSET,
    )


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", "is not JSON: Expecting value at line 1, column 1"),
        (b'{\n "detectors": [,]}', "at line 2, column 16"),
        (b"\xff\xfe\x00", "is not text (byte 0)"),
        (b"[]", "not an object"),
        (b"3", "not an object"),
        (b"{}", "has no detectors"),
        (b'{"kind":"comparison","schema":2,"rows":[]}', "is a comparison"),
        (b'{"kind":"comparison","detectors":[]}', "is a comparison"),
        (b'{"kind":"rows","detectors":[]}', "rows beside a report"),
        (b'{"detectors":{}}', "detectors is not a list"),
        (b"[" * 100_000, "cannot be read as JSON"),
    ],
)
def test_what_is_no_report_is_refused_in_one_sentence(raw: bytes, message: str) -> None:
    with pytest.raises(EcholotError) as refusal:
        decode_report(raw, where="some.json")
    assert message in str(refusal.value)
    assert str(refusal.value).startswith("some.json: ")
    assert refusal.value.exit_code == 2
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("window",), "soon"),
        (("window", "startup"), []),
        (("window", "process_alternatives"), {"a": 1}),
        (("window", "main_thread", "on_cpu"), "fast"),
        (("environment", "cpu"), {"mean_mhz": None}),
        (("environment", "thermal", "throttled"), "maybe"),
        (("markers", "rows"), [1]),
        (("traces",), 5),
        (("runs",), "five"),
        (("summary",), None),
        (("config", "set"), "x"),
        (("repeats",), [{"label": 1}]),
        (("detectors", 0, "rows", 0, "spread"), 7),
        (("detectors", 0, "rows", 0, "count"), "many"),
        (("detectors", 0, "params"), []),
        (("unreadable",), [{"path": "x"}]),
    ],
)
def test_a_part_of_another_shape_is_left_out_and_named(path: tuple[Any, ...], value: object) -> None:
    document = merged()
    inner: Any = document
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    report = load(document)
    assert len(report.notes) == 1
    words = [f"[{step}]" if isinstance(step, int) else step for step in path]
    assert all(word in report.notes[0] for word in words), report.notes
    assert [detector.id for detector in report.detectors] == ["main_thread_block", "io_wait", "anr"]
    assert len(report.detectors[0].rows) == 2
    if path[0] != "window":
        assert report.window.duration_ms == 1005.0


def test_entries_that_cannot_be_used_are_left_out_alone() -> None:
    document = merged()
    document["detectors"].insert(1, {"title": "no id"})
    document["detectors"].insert(2, "not even an object")
    document["detectors"][0]["rows"].insert(1, 5)
    report = load(document)
    assert [detector.id for detector in report.detectors] == ["main_thread_block", "io_wait", "anr"]
    assert [row.location for row in report.detectors[0].rows] == ["draw", "some"]
    assert len(report.notes) == 3
    assert any("detectors[1] left out: key id is missing" in note for note in report.notes)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 5)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, one in inner for place in places(one, (*path, key)))]


PLACES = [path for path in places(merged()) if path not in ((), ("detectors",))]


@given(st.sampled_from(PLACES), JSON)
@settings(max_examples=300, deadline=None)
def test_whatever_stands_in_one_place_the_report_loads(path: tuple[Any, ...], value: object) -> None:
    document = merged()
    inner: Any = document
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    report = load(document)
    assert decode_report(encode_report(report), where="again") == report


def test_a_newer_schema_is_said() -> None:
    assert "newer" in load({"schema": 9, "detectors": []}).notes[0]


def test_what_the_original_lets_through_is_read() -> None:
    report = decode_report(
        b'\xef\xbb\xbf{"detectors": [{"id": "x", "params": {"f": NaN, "g": 1e999, "h": 2.5}}]}', where="bom"
    )
    assert report.detectors[0].params == {"f": None, "g": None, "h": 2.5}


def test_keys_readers_of_schema_1_count_on_are_always_written() -> None:
    document = json.loads(encode_report(Report(detectors=(DetectorReport(id="x", rows=(Row(),)),))))
    order = "schema generated_at trace scenario toolchain window environment markers summary detectors config"
    assert list(document) == order.split()
    assert document["schema"] == 1
    assert document["toolchain"] == {
        "perfetto_package": None,
        "trace_processor": None,
        "source": None,
        "binary": None,
    }
    assert document["environment"] == {"cpu": None, "thermal": None, "memory": None, "missing": []}
    assert document["markers"] == {"rows": [], "absent": [], "in_trace": []}
    assert document["summary"] == {
        "detectors_run": 0,
        "detectors_fired": 0,
        "fired_ids": [],
        "absent_ids": [],
    }
    assert document["config"] == {
        "path": None,
        "sha": None,
        "local": None,
        "defaults": False,
        "set": None,
        "mapping": None,
    }
    assert document["detectors"] == [
        {
            "id": "x",
            "title": "",
            "why": "",
            "params": {},
            "params_source": "default",
            "identity": ["location"],
            "rows": [{"location": None}],
            "error": None,
        }
    ]
    for key in ("duration_ms", "process", "pid", "start", "end", "main_thread", "opened_inside", "startup"):
        assert document["window"][key] is None


def test_environment_keys_of_the_sampler_are_written_when_known_to_be_absent() -> None:
    document = json.loads(encode_report(Report(detectors=(), environment=EnvironmentReport(sampling=None))))
    assert document["environment"]["sampling"] is None
    assert "compose_names" not in document["environment"]


def test_the_file_is_indented_utf8_without_a_last_line_end() -> None:
    raw = encode_report(
        Report(detectors=(), trace="Größe 漢", markers=MarkersReport(rows=(MarkerRow(location="m"),)))
    )
    assert raw.startswith(b'{\n  "schema": 1,\n  "generated_at": null,\n')
    assert "Größe 漢".encode() in raw
    assert raw.endswith(b"}")
    assert raw == json.dumps(json.loads(raw), indent=2, ensure_ascii=False).encode()


def test_a_file_name_that_is_no_utf8_does_not_stop_the_report() -> None:
    raw = encode_report(Report(detectors=(), trace="bad\udcff.trace"))
    assert json.loads(raw)["trace"] == "bad\\udcff.trace"


def test_rows_belong_to_one_report() -> None:
    report = encode_report(Report(detectors=()))
    rows = AllRows(
        report_sha256="",
        detectors=(
            DetectorReport(id="d", rows=(Row(location="x", passed=False, by_run={"self_ms": (1.0, None)}),)),
        ),
    )
    raw = encode_rows(rows, report)
    again = decode_rows(raw, where="rows.json", report=report)
    assert again.detectors == rows.detectors
    with pytest.raises(EcholotError, match="belongs to another"):
        decode_rows(raw, where="rows.json", report=report + b" ")
    for broken in (b"", b"{}", b"[]", b'{"detectors":[],"report_sha256":5}', b"\xff"):
        with pytest.raises(EcholotError, match=r"rows\.json: does not load"):
            decode_rows(broken, where="rows.json", report=report)


def test_our_own_report_comes_back_as_it_was() -> None:
    row = Row(
        location="x",
        thread=None,
        runs="2/2",
        count=1.5,
        self_ms=1.0,
        spread={"self_ms": Spread(min=1.0, max=2.0, values=(1.0, 2.0))},
        by_run={"self_ms": (1.0, 2.0), "count": (1, 2)},
        extra={"own": "v"},
    )
    report = Report(
        detectors=(DetectorReport(id="d", rows=(row,), state="fired"),),
        runs=2,
        runs_given=3,
        traces=("a", "b"),
        repeats=(Repeat(label="1", trace="a", trace_index=0), Repeat(label="2", trace="b", trace_index=1)),
        window=WindowReport(values=(1.0, 2.0)),
        clipped=True,
    )
    assert decode_report(encode_report(report), where="x") == report
