"""The report in Markdown and on a terminal: golden files, every kind of nothing, hostile names everywhere."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import golden
from echolot_tui.errors import EcholotError
from echolot_tui.measure.model import Marker, Markers, Unreadable
from echolot_tui.present.numbers import listed, ms, plural, share, whole
from echolot_tui.present.report_json import report_selection
from echolot_tui.present.report_markdown import report_markdown
from echolot_tui.present.report_rows import thresholds, trouble, under_the_bar
from echolot_tui.present.report_text import (
    report_detectors,
    report_full,
    report_markers,
    report_overview,
    report_window,
)
from echolot_tui.present.spans import Line, columns, plain
from echolot_tui.report.build import ReportContext, build_report
from echolot_tui.report.codec import decode_report, encode_report
from echolot_tui.report.model import DetectorReport, Report, Row
from hand_built import answer, decision, measurement, occurrence, plan_of, traces
from sample_report import sample

VIEWS = [report_overview, report_full, report_window, report_markers]


def text(lines: list[Line]) -> str:
    return "".join(f"{plain(one)}\n" for one in lines)


def test_markdown_golden() -> None:
    golden.check("report.md", report_markdown(sample()[0]))


def test_json_golden() -> None:
    golden.check("report.json", encode_report(sample()[0]).decode())


def test_a_report_read_and_written_again_is_the_same_bytes() -> None:
    raw = encode_report(sample()[0])
    assert encode_report(decode_report(raw, where="x")) == raw


def test_terminal_golden() -> None:
    report, _ = sample()
    views = [text(view(report, 80)) for view in VIEWS]
    views.append(text(report_detectors(report, ["main_thread_block", "own", "gc_pressure"], 80)))
    golden.check("report.txt", "\n".join(views))


@pytest.mark.parametrize("width", [20, 40, 60, 80, 200])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    report, _ = sample()
    for view in VIEWS:
        assert all(columns(plain(one)) <= width for one in view(report, width))
    assert all(columns(plain(one)) <= width for one in report_detectors(report, ["main_thread_block"], width))


def test_an_empty_report_says_what_it_knows() -> None:
    report = decode_report(b'{"detectors": []}', where="x")
    assert "_No detector fired._" in report_markdown(report)
    for view in VIEWS:
        view(report, 80)


def test_no_runs_column_for_a_single_trace() -> None:
    report, _ = build_report(
        traces(answer("d", {"location": "x", "self_ms": 1.0})),
        plan_of(decision("d")),
        context=ReportContext(),
    )
    shown = report_markdown(report)
    assert "| Where | Self |" in shown
    assert "- Trace: run\\_iter000.perfetto-trace" in shown
    assert "Runs:" not in shown


def test_three_kinds_of_nothing_read_differently() -> None:
    report, _ = build_report(
        [
            measurement(
                occurrence(
                    answer("quiet"),
                    answer("blind", state="no data", reason="no frames"),
                    answer("broken", state="failed", reason="no such table: x"),
                )
            )
        ],
        plan_of(decision("quiet"), decision("blind"), decision("broken")),
        context=ReportContext(),
    )
    shown = report_markdown(report)
    assert "**Silent** (looked, found nothing over the bar): quiet\n" in shown
    assert "- blind: no frames" in shown
    assert "> ⚠️ broken failed: no such table: x" in shown
    terminal = text(report_full(report, 100))
    assert "Silent: quiet\n" in terminal
    assert "blind no data: no frames\n" in terminal
    assert "broken failed: no such table: x\n" in terminal


def test_rows_beyond_the_shown_ones_are_counted() -> None:
    rows = [{"location": f"row {index:02}", "self_ms": 100.0 - index} for index in range(25)]
    report, _ = build_report(traces(answer("d", *rows)), plan_of(decision("d")), context=ReportContext())
    shown = report_markdown(report)
    assert "row 19" in shown
    assert "row 20" not in shown
    assert "… and 5 rows more in `report.json`." in shown
    assert "… and 20 rows more" in text(report_detectors(report, ["d"], 80))
    assert "row 24" in text(report_detectors(report, ["d"], 80, top=25))


def test_no_detector_fired_gives_advice() -> None:
    plan = plan_of(decision("d", params={"bar": 9}, gate="self_ms >= bar"))
    report, _ = build_report(
        traces(answer("d", {"location": "x", "self_ms": 1.0})), plan, context=ReportContext()
    )
    assert "_No detector fired._ 1 row was measured under the bar" in report_markdown(report)


def test_an_unknown_detector_is_refused_with_the_list() -> None:
    with pytest.raises(EcholotError, match=r"no detector nope; the report has main_thread_block, frame_jank"):
        report_detectors(sample()[0], ["nope"], 80)


def test_wide_cuts_nothing() -> None:
    long = "evidence " * 60
    report, _ = build_report(
        traces(answer("d", {"location": "x" * 200, "self_ms": 1.0, "detail": long})),
        plan_of(decision("d")),
        context=ReportContext(),
    )
    assert "x" * 200 in text(report_detectors(report, ["d"], 80, wide=True))
    assert long.strip() in text(report_detectors(report, ["d"], 80, wide=True))
    assert "x" * 61 not in text(report_detectors(report, ["d"], 300))


def longest_run(sign: str, text: str) -> int:
    return max(map(len, re.findall(f"{sign}+", text)), default=0)


def test_how_much_of_a_name_and_of_its_evidence_is_shown() -> None:
    """A cut text ends in an ellipsis, which is one of its characters."""
    row = {"location": "Ж" * 400, "self_ms": 1.0, "detail": "Щ" * 400}
    report, _ = build_report(traces(answer("d", row)), plan_of(decision("d")), context=ReportContext())
    for view, name, evidence in (
        (text(report_overview(report, 1000)), 48, 1),
        (text(report_detectors(report, ["d"], 1000)), 60, 100),
        (text(report_detectors(report, ["d"], 1000, wide=True)), 401, 401),
        (report_markdown(report), 300, 300),
    ):
        assert (longest_run("Ж", view), longest_run("Щ", view)) == (name - 1, evidence - 1)


def test_fifteen_markers_are_shown_unless_asked_otherwise() -> None:
    rows = tuple(
        Marker(location=f"m{number:02}", count=1, self_ms=1.0, total_ms=99.0 - number, max_ms=1.0, detail="t")
        for number in range(20)
    )
    run = measurement(occurrence(markers=Markers(rows=rows)))
    report, _ = build_report([run], plan_of(), context=ReportContext())
    shown = text(report_markers(report, 80))
    assert re.findall("m[0-9]{2}", shown) == [f"m{number:02}" for number in range(15)]
    assert "… and 5 markers more" in shown
    assert "m19" in text(report_markers(report, 80, top=20))


def test_words_around_a_table() -> None:
    assert thresholds(
        DetectorReport(id="d", params={"a": 8.0, "b": "x*"}, defaults={"a": 16}, params_source="config+cli")
    ) == ("a = 8 (shipped 16), b = x*; from config and cli")
    assert thresholds(DetectorReport(id="d")) == ""
    assert trouble(DetectorReport(id="d", state="silent")) is None
    assert (
        trouble(DetectorReport(id="d", state="fired", error="e", failed_runs="1/5"))
        == "failed in 1/5 runs: e"
    )
    assert (
        under_the_bar(DetectorReport(id="d", rows_measured=2000, truncated=True))
        == "at least 2000 more rows under the bar"
    )
    assert under_the_bar(DetectorReport(id="d", rows=(Row(),), rows_measured=1)) is None
    assert under_the_bar(DetectorReport(id="d")) is None


def test_numbers() -> None:
    assert [ms(1200.594), whole(9), whole(9.5), whole(1234567.0)] == ["1200.59", "9", "9.5", "1234567"]
    assert [share(1, 1000), share(0, 10), share(5, 0), share(401, 1000)] == ["<1%", "0%", None, "40%"]
    assert [plural(1, "row"), plural(2, "row"), plural(0.5, "row")] == ["1 row", "2 rows", "0.5 rows"]
    assert listed("abcd", 2) == "a, b and 2 more"
    assert listed("ab", 2) == "a, b"


EVIL = (
    "\x1b[2J\x9b|[/]\n# head\n> ⚠️ quote\r\t`x` <script> **b** \u202e\u2028\udcffe" + "\u0301" * 50 + "漢" * 50
)


def hostile(value: Any) -> Any:
    """The same document with every text replaced, but for those that decide its meaning."""
    fixed = {
        "schema",
        "state",
        "severity",
        "rule",
        "kind",
        "runs",
        "failed_runs",
        "no_data_runs",
        "missed",
        "throttled_runs",
        "params_source",
    }
    if isinstance(value, dict):
        return {key: one if key in fixed else hostile(one) for key, one in value.items()}
    if isinstance(value, list):
        return [hostile(one) for one in value]
    return EVIL if isinstance(value, str) else value


def test_hostile_text_in_every_place_stays_text() -> None:
    report, _ = sample()
    document = json.loads(encode_report(report))
    document["detectors"][0]["rows"][0] |= {"thread": "t", "code": "c", "extra": {"own": "v"}}
    evil = decode_report(json.dumps(hostile(document)).encode(), where="evil")
    assert evil.notes == (EVIL,)
    assert evil.detectors[0].rows[0].location is not None
    shown = report_markdown(evil)
    assert all(line.isprintable() for line in shown.split("\n"))
    clean = report_markdown(report).split("\n")
    # A name can neither add a heading, a quote, a list entry nor a table row of its own.
    for start in ("#", "> ", "- ", "|"):
        assert (
            sum(line.startswith(start) for line in shown.split("\n"))
            == sum(line.startswith(start) for line in clean)
            or start == "#"
        )
    assert not re.search(r"(?<!\\)<script", shown)
    for view in VIEWS:
        for line in view(evil, 60):
            assert "\x1b" not in plain(line)
            assert plain(line).isprintable() or not plain(line)
            assert columns(plain(line)) <= 60


def test_a_trace_without_a_measurement_is_named_with_its_reason() -> None:
    report, _ = build_report(
        traces(answer("d")),
        plan_of(decision("d")),
        context=ReportContext(),
        unreadable=[Unreadable(path="bad|name", reason="no tables")],
    )
    assert "> ⚠️ bad\\|name was not measured: no tables" in report_markdown(report)
    assert "1** of 2 traces measured" in report_markdown(report)


def test_unset_parts_of_an_older_report_are_left_out() -> None:
    report: Report = decode_report(
        json.dumps({"detectors": [], "window": {"duration_ms": 5.0}}).encode(), where="x"
    )
    assert "- Scenario window: **5.00 ms**" in report_markdown(report)
    assert "Call stacks" not in report_markdown(report)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 5)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
SAMPLE: dict[str, Any] = json.loads(encode_report(sample()[0]))


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, one in inner for place in places(one, (*path, key)))]


@given(st.sampled_from([path for path in places(SAMPLE) if path not in ((), ("detectors",))]), JSON)
@settings(max_examples=200, deadline=None)
def test_every_view_shows_whatever_loads(path: tuple[Any, ...], value: object) -> None:
    document = json.loads(json.dumps(SAMPLE))
    inner: Any = document
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    report = decode_report(json.dumps(document).encode(), where="x")
    assert report_markdown(report).startswith("# Marker Report\n")
    for view in VIEWS:
        assert all(columns(plain(one)) <= 60 for one in view(report, 60))
    report_selection(report, [detector.id for detector in report.detectors], window=True, markers=True)


def test_json_of_a_selection() -> None:
    report, _ = sample()
    everything = json.loads(report_selection(report))
    assert list(everything) == ["window", "environment", "summary", "config", "markers", "detectors"]
    assert everything["markers"] == {"rows": 1, "absent": 1}
    assert everything["detectors"][:2] == [
        {"id": "main_thread_block", "state": "fired", "rows": 3},
        {"id": "frame_jank", "state": "no data", "rows": 0},
    ]
    some = json.loads(report_selection(report, ["own"], markers=True))
    assert list(some) == ["markers", "detectors"]
    assert some["detectors"][0]["failed_runs"] == "1/4"
    assert list(json.loads(report_selection(report, window=True))) == ["window", "environment"]
    with pytest.raises(EcholotError, match="no detector nope"):
        report_selection(report, ["nope"])
