from __future__ import annotations

import json

import jsonschema
import pytest

from echolot_tui.compare.codec import (
    NotAComparisonError,
    comparison_schema,
    decode_comparison,
    encode_comparison,
)
from echolot_tui.compare.compare import compare_reports
from echolot_tui.compare.inputs import CompareOptions, SideInput
from reports_by_hand import detector, report, row, sides

QUIET = [100.0, 101.0, 102.0, 103.0, 104.0]


def comparison(path: str = "a/report.json"):
    before = report(detector("d", row("x", QUIET), row("y", QUIET)), window=[1000.0] * 5)
    after = report(
        detector("d", row("x", [2 * v for v in QUIET]), row("z", QUIET)), side="b", window=[1100.0] * 5
    )
    _, other = sides(before, after)
    return compare_reports(
        SideInput(name="", path=path, report=before),
        other,
        CompareOptions(generated_at="2026-01-02T03:04:05Z"),
    )


def test_what_is_written_is_read_back():
    assert decode_comparison(encode_comparison(comparison()), where="x") == comparison()


def test_the_file_has_the_keys_of_schema_2_in_its_order_and_obeys_the_published_schema():
    document = json.loads(encode_comparison(comparison()))
    jsonschema.validate(document, comparison_schema())
    assert list(document)[:9] == [
        "schema",
        "kind",
        "generated_at",
        "comparable",
        "warnings",
        "before",
        "after",
        "window",
        "noise_floor",
    ]
    assert (document["schema"], document["kind"], document["confidence"]) == (2, "comparison", 0.95)
    assert {"path", "runs", "generated_at", "config_sha", "defaults"} <= set(document["before"])
    assert list(document["window"])[:4] == ["before_ms", "after_ms", "delta_ms", "ratio"]
    assert document["noise_floor"] == {"abs_ms": 5.0, "ratio": 0.1}
    summary = [
        "moved",
        "appeared",
        "vanished",
        "steady",
        "fired_before",
        "fired_after",
        "state_changed",
        "silent_both",
    ]
    assert list(document["summary"])[: len(summary)] == summary
    grown = next(one for one in document["rows"] if one["location"] == "x")
    face = ["self_ms", "min", "max", "values", "count", "runs", "covered_ms", "detail"]
    assert list(grown["before"])[: len(face)] == face
    assert list(grown["shift"]) == ["ms", "low_ms", "high_ms", "resolves_ms", "runs_needed"]
    assert "detail" not in grown
    assert "shares" not in grown
    new = next(one for one in document["rows"] if one["location"] == "z")
    assert (new["before"], new["shift"], new["holds"]) == (None, None, None)


def test_indented_by_two_without_a_line_end():
    raw = encode_comparison(comparison())
    assert raw.startswith(b'{\n  "schema": 2')
    assert not raw.endswith(b"\n")


def test_a_path_that_is_no_text_does_not_stop_it():
    raw = encode_comparison(comparison("caf\udce9/report.json"))
    assert json.loads(raw)["before"]["path"] == "caf\\udce9/report.json"


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (b"{", "no comparison"),
        (b"[]", "no comparison"),
        (b'{"detectors": []}', "no comparison"),
        (b"\xff", "no comparison"),
    ],
)
def test_other_files_are_refused(raw, why):
    with pytest.raises(NotAComparisonError, match=why):
        decode_comparison(raw, where="x.json")


def test_another_schema_is_refused():
    raw = encode_comparison(comparison()).replace(b'"schema": 2', b'"schema": 3', 1)
    with pytest.raises(NotAComparisonError, match="has schema 3, this program reads 2"):
        decode_comparison(raw, where="x.json")
