"""What to do next in a hunt: one word for programs, one line for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from echolot_tui.frozen import Frozen
from echolot_tui.investigate.drift import is_fresh
from echolot_tui.investigate.model import Hunt, Round
from echolot_tui.text import visible

HuntStep = Literal["wait", "resume-or-new", "collect", "resume-collect", "analyze", "compare", "conclude"]


class NextStep(Frozen, frozen=True, kw_only=True):
    """The next step of an investigation."""

    word: HuntStep
    todo: str


def next_step(hunts: Sequence[Hunt], now: str) -> NextStep | None:
    """The next step of the current hunt; without one, that of choosing; ``None`` when nothing is open.

    Args:
        hunts: All hunts of the project.
        now: The present moment.
    """
    hunt = next((each for each in hunts if each.current), None)
    if hunt is None:
        open_ones = [each for each in hunts if each.state == "open"]
        return _choose(open_ones) if open_ones else None
    recorded = next((each for each in hunt.rounds if each.state == "recording"), None)
    if recorded is not None:
        done = f"{len(recorded.done)}/{len(recorded.runs)}"
        return NextStep(
            word="wait",
            todo=f"{recorded.name} is being recorded, {done} done; echolot collect --attach shows it",
        )
    if not is_fresh(hunt, now):
        return _resume_or_new(hunt)
    return _of_rounds(hunt)


def last_pair(hunt: Hunt) -> tuple[Round, Round] | None:
    """The two rounds a plain comparison puts side by side: the last two that have a report."""
    measured = hunt.measured
    return (measured[-2], measured[-1]) if len(measured) > 1 else None


def is_compared(before: Round, after: Round) -> bool:
    """Whether the reports the two rounds have now were compared."""
    made = after.comparison
    return (
        made is not None
        and before.report is not None
        and after.report is not None
        and (made.before_report, made.after_report) == (before.report.id, after.report.id)
    )


def _choose(open_ones: Sequence[Hunt]) -> NextStep:
    numbers = ", ".join(str(each.n) for each in open_ones)
    word = "hunt" if len(open_ones) == 1 else "hunts"
    return NextStep(
        word="resume-or-new",
        todo=f"{word} {numbers} open: echolot hunt --resume N goes on with one; "
        'echolot hunt "QUESTION" opens a new one',
    )


def _resume_or_new(hunt: Hunt) -> NextStep:
    return NextStep(
        word="resume-or-new",
        todo=f'echolot hunt --resume goes on with "{visible(hunt.question, 60)}"; '
        'echolot hunt "QUESTION" opens a new one',
    )


def _of_rounds(hunt: Hunt) -> NextStep:
    last = hunt.rounds[-1] if hunt.rounds else None
    if last is None:
        return NextStep(
            word="collect", todo="echolot collect records the first round; echolot analyze TRACES takes one"
        )
    if last.state != "complete" and (last.report is None or last.state == "interrupted"):
        return NextStep(
            word="resume-collect",
            todo=f"{last.name} is {last.state}, {len(last.done)}/{len(last.runs)}: echolot collect --resume "
            "records what is missing; echolot analyze takes it as it is",
        )
    if last.done and not last.is_measured:
        return NextStep(word="analyze", todo=_unmeasured(last))
    pair = last_pair(hunt)
    if pair is None:
        return NextStep(word="collect", todo="make the change, then echolot collect records the other side")
    if not is_compared(*pair):
        return NextStep(word="compare", todo=f"echolot compare puts {pair[0].name} beside {pair[1].name}")
    return NextStep(
        word="conclude",
        todo='echolot hunt --done "ANSWER" closes the hunt; echolot collect records another round',
    )


def _unmeasured(last: Round) -> str:
    """What to do about traces without a report; where none gave a measurement, looking again gives none."""
    reasons = [run.reason for run in last.runs if run.state == "done"]
    if last.report is None and all(reasons):
        why = visible(reasons[0] or "", 120)
        return (
            f"no trace of {last.name} gave a measurement ({why}): correct the config and "
            f"{_analyze(last)}, or record again with echolot collect"
        )
    return f"{last.name} has traces without a report: {_analyze(last)}"


def _analyze(measured: Round) -> str:
    folders = sorted({path.rpartition("/")[0] or "." for path in (trace.path for trace in measured.traces)})
    return f"echolot analyze {' '.join(folders)}"
