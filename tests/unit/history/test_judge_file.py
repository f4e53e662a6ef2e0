"""Files of series: what is read, what is refused, and how the report says it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from echolot_tui.errors import EcholotError
from echolot_tui.headless.verbs.schema import schema_of
from echolot_tui.history.codec import encode_history
from echolot_tui.history.finding import Line
from echolot_tui.history.judge import judge_branch, judge_history
from echolot_tui.history.judge_file import read_series
from echolot_tui.history.model import HistoryReport
from echolot_tui.present.history_markdown import history_markdown
from echolot_tui.present.history_text import history_lines
from echolot_tui.present.spans import plain
from scatter import scattered

STEP = scattered("clean_step", [100] * 10 + [130] * 10)


def read(document: Any, **options: bool) -> HistoryReport:
    given = read_series(json.dumps(document).encode(), where="s.json", **options)
    judge = judge_branch if given.mode == "branch" else judge_history
    return judge(given.series, Line(given.line), every=True)


def test_a_step_is_found_and_named() -> None:
    report = read({"series": [{"name": "start", "unit": "ms", "values": STEP}]})
    finding = json.loads(encode_history(report))["findings"][0]
    assert {key: finding[key] for key in ("name", "unit", "method", "direction")} == {
        "name": "start",
        "unit": "ms",
        "method": "step",
        "direction": "regression",
    }
    assert finding["relative"] == pytest.approx(0.29574488, abs=5e-9)
    assert finding["commit"]["index"] == 10


def test_the_report_fits_its_schema() -> None:
    validator = Draft202012Validator(schema_of("history"))
    for context in ({}, {"context": 160.0}):
        report = read({"series": [{"name": "a|b", "unit": None, "values": STEP, **context}]})
        assert report.findings
        validator.validate(json.loads(encode_history(report)))


def test_values_may_be_runs_or_missing() -> None:
    values = [[each - 1, each, each + 1] for each in STEP]
    report = read({"series": [{"name": "a", "values": [*values[:10], None, None, *values[10:]]}]})
    (finding,) = report.findings
    assert finding.commit.index == 12
    assert finding.suspects == ("10", "11", "12")
    assert finding.baseline == pytest.approx(100.36830218253652)


def test_commits_may_be_named() -> None:
    names = [f"c{at}" for at in range(20)]
    report = read({"commits": names, "series": [{"name": "a", "values": STEP}]})
    assert report.findings[0].commit.id == "c10"
    with pytest.raises(EcholotError, match="names 19 commits for 20 positions"):
        read({"commits": names[:19], "series": [{"name": "a", "values": STEP}]})


def test_higher_may_be_better() -> None:
    fall = STEP[::-1]
    assert not read({"series": [{"name": "fps", "values": fall}]}).findings
    (finding,) = read({"series": [{"name": "fps", "values": fall, "better": "higher"}]}).findings
    assert finding.direction == "regression"
    assert finding.relative < 0


def test_the_last_value_may_be_a_branchs() -> None:
    values = [*scattered("branch-base", [100] * 20), 130.0]
    report = read({"series": [{"name": "a", "values": values}]}, newest_is_branch=True)
    assert report.mode == "branch"
    (finding,) = report.findings
    assert finding.method == "branch"
    assert finding.latest == 130.0
    assert finding.relative == pytest.approx(0.25586, abs=5e-6)
    assert finding.commit.index == 20


def test_a_series_without_a_branch_value_is_counted() -> None:
    report = read({"series": [{"name": "a", "values": STEP, "context": 99.0}, {"name": "b", "values": STEP}]})
    assert report.census.reasons == {"not_measured_on_branch": 1}


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        (b"", "is no file of series"),
        (b"[]", "is no file of series"),
        (b'{"series": [{"name": "a"}]}', "values"),
        (b'{"series": [{"name": "a", "values": [1, "2"]}]}', "is no file of series"),
        (b'{"series": [{"name": "a", "values": [1, true]}]}', "is no file of series"),
        (b'{"series": [{"name": "a", "values": [NaN]}]}', "is no file of series"),
        (b'{"series": [{"name": "a", "values": [1, 1e999]}]}', "out of range"),
        (b'{"series": [{"name": "a", "values": [1, 1e200]}]}', "value 1 of .a. is beyond 1e.150, too large"),
        (b'{"series": [{"name": "a", "values": [1, [2, -1e300]]}]}', "value 1 of .a. is beyond"),
        (b'{"series": [{"name": "a", "values": [1, "nan"]}]}', "is no file of series"),
        (b'{"series": [{"name": "a", "values": [[]]}]}', "empty list"),
        (b"\xff\xfe", "is no file of series"),
    ],
)
def test_what_is_refused(raw: bytes, says: str) -> None:
    with pytest.raises(EcholotError, match=says):
        read_series(raw, where="s.json")


def test_no_series_is_said() -> None:
    report = read({"series": []})
    assert report.census.state == "no_series"
    assert any("no series" in plain(line) for line in history_lines(report, 100))


HOSTILE = "a|b\x1b[31m\n[red]`x`" + "y" * 500


@pytest.mark.parametrize("width", [40, 80, 200])
def test_text_fits_and_is_harmless(width: int) -> None:
    report = read({"series": [{"name": HOSTILE, "unit": HOSTILE, "values": STEP}]})
    assert report.findings
    lines = [plain(line) for line in history_lines(report, width)]
    assert all(len(line) <= width or "not run" in line for line in lines)
    assert not any(sign in "".join(lines) for sign in "\x1b\n")
    text = history_markdown(report)
    assert "\x1b" not in text
    assert "a\\|b" in text


def test_text_says_what_moved_and_what_was_judged() -> None:
    document = {
        "series": [
            {"name": "clean", "unit": "ms", "values": STEP},
            {"name": "short", "unit": "ms", "values": [1, 2, 3]},
        ]
    }
    report = read(document)
    text = "\n".join(plain(line) for line in history_lines(report, 100))
    assert "Judged: 1 of 2 series in scope" in text
    assert "+29.57 % regression, step: 100.4 ms → 130.1 ms, somewhere near 10" in text
    assert "unjudged: fewer than 10 points (3 here)" in text
    assert "**1 of 2 series in scope**" in history_markdown(report)


def test_a_summary_names_the_rest() -> None:
    document = {"series": [{"name": f"s{at}", "values": [each + at for each in STEP]} for at in range(12)]}
    report = read(document)
    assert len(report.findings) == 12
    summary = history_markdown(report, most=10)
    assert summary.count("\n### ") == 10
    assert "2 more findings" in summary
    assert report.groups[0].findings == 12


def test_silence_says_what_it_covers() -> None:
    flat = scattered("flat", [100] * 30)
    report = read({"series": [{"name": "flat", "values": flat}, {"name": "s", "values": [1]}]})
    assert not report.findings
    text = "\n".join(plain(line) for line in history_lines(report, 100))
    assert "This silence covers the judged series only." in text
    assert "1 × fewer than 10 points" in text
