"""Hunts and rounds as lines: everything said in words, nothing wider than the room, nothing harmful."""

from __future__ import annotations

import pytest

from echolot_tui.investigate.drift import Drift
from echolot_tui.investigate.facts import RoundFacts
from echolot_tui.investigate.model import (
    ComparisonLink,
    Hunt,
    JournalLine,
    Note,
    ReportLink,
    Round,
    Run,
    Trace,
)
from echolot_tui.investigate.next_step import NextStep
from echolot_tui.investigate.view import HuntView
from echolot_tui.present.hunt_text import ago, hunt_lines, hunts_lines, journal_lines, lasted, round_lines
from echolot_tui.present.spans import Line, columns, plain

NOW = "2026-03-01T12:00:00Z"
HOSTILE = "\x1b[31m[/]|\n\u202e" + "x" * 300


def round_(k: int, *, states: tuple[str, ...] = ("done", "done"), reported: int | None = 2, **more) -> Round:
    return Round(
        id=k,
        hunt=1,
        k=k,
        scenario="cold",
        opened_at="2026-03-01T10:00:00Z",
        touched_at="2026-03-01T11:00:00Z",
        runs=tuple(Run(run=at, state=state, since=NOW) for at, state in enumerate(states)),
        traces=tuple(
            Trace(run=at, path=f"t/{at}.pftrace", sha256=f"{at}")
            for at, state in enumerate(states)
            if state == "done"
        ),
        report=None
        if reported is None
        else ReportLink(id=k, path="r/report.json", sha256="x", runs=tuple(range(reported))),
        **{"state": "complete", **more},
    )


def hunt(*rounds: Round, **more) -> Hunt:
    fields = {
        "n": 1,
        "question": "why is it 7 s?",
        "scenario": "cold",
        "state": "open",
        "opened_at": "2026-02-27T12:00:00Z",
        "touched_at": "2026-03-01T11:30:00Z",
        "rounds": rounds,
    }
    return Hunt(**(fields | more))


def text(lines: list[Line]) -> str:
    return "\n".join(map(plain, lines))


@pytest.mark.parametrize(
    ("then", "words"),
    [
        (NOW, "just now"),
        ("2026-03-01T11:59:01Z", "just now"),
        ("2026-03-01T11:59:00Z", "1 min ago"),
        ("2026-03-01T11:00:01Z", "59 min ago"),
        ("2026-03-01T11:00:00Z", "1 h ago"),
        ("2026-02-28T12:00:01Z", "23 h ago"),
        ("2026-02-28T12:00:00Z", "1 day ago"),
        ("2026-02-20T12:00:00Z", "9 days ago"),
        ("2026-03-02T12:00:00Z", "just now"),
    ],
)
def test_how_long_ago(then: str, words: str) -> None:
    assert ago(then, NOW) == words


def test_a_clock_that_was_set_back_is_no_negative_time() -> None:
    assert lasted("2026-03-02T12:00:00Z", NOW) == "0 min"


def test_a_hunt_says_where_it_stands() -> None:
    view = HuntView(
        hunt=hunt(
            round_(1, label="before", notes=(Note(at=NOW, text="hot room", k=1),)),
            round_(
                2,
                states=("done", "failed", "waiting"),
                reported=1,
                state="partial",
                comparison=ComparisonLink(before_k=1, before_report=1, after_report=2, path="c.json", at=NOW),
            ),
            round_(3, states=("waiting",), reported=None, state="planned"),
            current=True,
            since="the redesign",
            notes=(Note(at="2026-03-01T09:00:00Z", text="first note"),),
        ),
        facts=(
            RoundFacts(window_ms=3000.5, model="oriole", cpu_mhz=1668.2, throttled=True),
            RoundFacts(window_ms=7000.0),
            RoundFacts(),
        ),
        drift=(Drift(id="config_changed", text="another config"),),
        next=NextStep(word="resume-collect", todo="echolot collect --resume"),
    )
    lines = text(hunt_lines(view, NOW, 150)).splitlines()
    assert lines[0] == "hunt 1  why is it 7 s?"
    assert lines[1].startswith("open, current · scenario cold · since the redesign · opened 2026-02-27")
    assert lines[1].endswith("worked on 30 min ago")
    cells = [line.split() for line in lines[4:7]]
    assert cells[0][:6] == ["1", "before", "complete", "2/2", "3000.50", "ms"]
    assert "oriole · 1668 MHz · throttled" in lines[4]
    assert cells[1][:4] == ["2", "—", "partial", "1/3"]
    assert "with 1" in lines[5]
    assert cells[2][:4] == ["3", "—", "planned", "0/1"]
    notes = [line for line in lines if line.startswith("note")]
    assert [line.rpartition("Z  ")[2] for line in notes] == ["first note", "round 1: hot room"]
    assert "changed since: another config" in lines
    assert lines[-1] == "next  echolot collect --resume"


def test_a_report_of_fewer_runs_and_one_that_is_unusable_are_not_a_yes() -> None:
    partial = text(round_lines(round_(1, reported=1), RoundFacts(), NOW, 120))
    assert "of 1 run" in partial
    broken = text(round_lines(round_(1), RoundFacts(problem="r/report.json: is not JSON"), NOW, 120))
    assert "unusable" in broken
    assert "warning  r/report.json: is not JSON" in broken


def test_a_round_lists_its_runs_with_window_reason_and_trace() -> None:
    failed = round_(1, states=("done", "done"))
    lines = text(round_lines(failed, RoundFacts(values=(10.0, None)), NOW, 120)).splitlines()
    assert "run 0  done  10.00 ms  t/0.pftrace" in lines
    assert "run 1  done  t/1.pftrace" in lines
    lines = text(round_lines(failed, RoundFacts(values=(10.0, 9.0), gone=(1,)), NOW, 120)).splitlines()
    assert "run 1  done  9.00 ms  t/1.pftrace (gone)" in lines
    assert "2/2 (1 gone)" in lines[1]
    dark = Round(
        **{
            **{name: getattr(failed, name) for name in failed.__struct_fields__},
            "runs": (Run(run=0, state="failed", reason="dark screen", since=NOW),),
            "traces": (),
        }
    )
    assert "run 0  failed  dark screen" in text(round_lines(dark, RoundFacts(), NOW, 120)).splitlines()


@pytest.mark.parametrize("width", [40, 80, 200])
def test_hostile_words_neither_widen_nor_harm(width: int) -> None:
    bad = hunt(
        round_(1, label=HOSTILE, notes=(Note(at=NOW, text=HOSTILE, k=1),)),
        question=HOSTILE,
        conclusion=HOSTILE,
        since=HOSTILE,
        notes=(Note(at=NOW, text=HOSTILE),),
    )
    view = HuntView(hunt=bad, facts=(RoundFacts(model=HOSTILE, problem=HOSTILE),))
    journal = [JournalLine(id=1, at=NOW, subject="note", event="note", hunt=1, detail={"text": HOSTILE})]
    for lines in (
        hunt_lines(view, NOW, width),
        hunts_lines([bad], NOW, width),
        round_lines(bad.rounds[0], view.facts[0], NOW, width),
        journal_lines(journal, width),
    ):
        assert all(columns(plain(line)) <= width for line in lines)
        assert not set(text(lines)) & {"\x1b", "\u202e", "\r"}
        assert width < 80 or "\\x1b" in text(lines)


def test_what_people_wrote_is_shown_whole() -> None:
    words = " ".join(f"word{at}" for at in range(60))
    view = HuntView(hunt=hunt(question=words, notes=(Note(at=NOW, text=words),)))
    shown = " ".join(text(hunt_lines(view, NOW, 60)).split())
    assert shown.count(words) == 2


def test_the_journal_reads_as_steps() -> None:
    lines = text(
        journal_lines(
            [
                JournalLine(id=1, at=NOW, subject="hunt", event="open", hunt=1, target="open"),
                JournalLine(
                    id=2,
                    at=NOW,
                    subject="run",
                    event="fail",
                    hunt=1,
                    k=2,
                    run=3,
                    source="recording",
                    target="failed",
                    detail={"reason": "dark screen"},
                ),
                JournalLine(id=3, at=NOW, subject="comparison", event="compare", hunt=1, k=2),
            ],
            120,
        )
    ).splitlines()
    assert lines == [
        f"{NOW}  hunt 1  open  · → open",
        f"{NOW}  hunt 1 round 2 run 3  fail  recording → failed  reason: dark screen",
        f"{NOW}  hunt 1 round 2  comparison",
    ]
