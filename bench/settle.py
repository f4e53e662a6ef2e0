"""What looking several times costs: error, power and runs of ``collect --until-settled``.

Run: ``python bench/settle.py [--collects 400] [--write]``; ``--write`` puts the table into the page
``docs/collecting.md``. Every look is a comparison as the program makes it. Seeds are fixed: the same numpy
gives the same figures.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # tables this small are slower on two cores; before numpy

import numpy as np
import numpy.typing as npt

from echolot_tui.collect.settle import Seen, Settling, looks_at, unsettled
from echolot_tui.compare.compare import compare_reports
from echolot_tui.compare.inputs import CompareOptions, SideInput
from echolot_tui.compare.model import Comparison
from echolot_tui.report.model import DetectorReport, Repeat, Report, Row, Spread, WindowReport
from echolot_tui.stats.labels import ALPHA

Values = npt.NDArray[np.float64]
PAGE = Path(__file__).parents[1] / "docs" / "collecting.md"
BEGIN, END = "<!-- bench/settle.py -->\n", "<!-- end -->\n"
CALLED = {"slower", "faster", "new", "gone"}
FIRST, MOST = 5, 20
ROWS = 12


@dataclass(frozen=True)
class Scene:
    """A program of twelve rows; the first takes a quarter of the window and may be slower after."""

    name: str
    move: float
    spread: float

    def draw(self, rng: np.random.Generator) -> tuple[Values, Values]:
        """Rows x ``MOST`` runs of each side, milliseconds."""
        level = np.array([100.0, *np.geomspace(60, 8, ROWS - 1)])
        run = rng.normal(0, self.spread / 2, 2 * MOST)
        strays = rng.normal(0, self.spread, (ROWS, 2 * MOST))
        values = level[:, None] * np.exp(strays + run)
        values[0, MOST:] *= 1 + self.move
        rounded = np.round(values, 2)
        return rounded[:, :MOST], rounded[:, MOST:]


@dataclass(frozen=True)
class Outcome:
    """How one collect ended."""

    runs: int
    settled: bool
    moved_row: bool
    other_row: bool
    window: bool


def row(at: int, values: tuple[float, ...]) -> Row:
    """A row that every run has."""
    return Row(
        location=f"row {at}",
        self_ms=round(float(np.median(values)), 2),
        runs=f"{len(values)}/{len(values)}",
        spread={"self_ms": Spread(min=min(values), max=max(values), values=values)},
        by_run={"self_ms": values},
    )


def side(values: Values, letter: str) -> SideInput:
    """A report with these rows, one column a run."""
    runs = values.shape[1]
    lengths = tuple(float(value) for value in np.round(values.sum(axis=0), 2))
    rows = tuple(
        Row(
            location=f"row {at}",
            self_ms=round(float(np.median(line)), 2),
            runs=f"{runs}/{runs}",
            spread={
                "self_ms": Spread(min=float(min(line)), max=float(max(line)), values=tuple(map(float, line)))
            },
            by_run={"self_ms": tuple(map(float, line))},
        )
        for at, line in enumerate(values)
    )
    report = Report(
        detectors=(DetectorReport(id="main_thread_block", rows=rows, state="fired"),),
        runs=runs,
        runs_given=runs,
        clipped=True,
        window=WindowReport(
            duration_ms=round(float(np.median(lengths)), 2), values=lengths, process="com.example.app"
        ),
        repeats=tuple(
            Repeat(label=str(run + 1), trace=f"{letter}{run}", trace_index=run, sha256=f"{letter}{run}")
            for run in range(runs)
        ),
    )
    return SideInput(name="", path=letter, report=report)


def until_settled(before: Values, after: Values) -> Outcome:
    """Record as ``collect --until-settled`` does."""
    seen: list[Seen] = []

    def compare(each: int, level: float) -> Comparison:
        return compared(before, after, each, level)

    stages, each = Settling(FIRST, MOST, compare, seen.append), 0
    while more := stages.next(each):
        each += more
    return outcome(each, seen[-1].comparison)


def first_finding(before: Values, after: Values) -> Outcome:
    """Look as often, at 5 % each time, and stop when something shows: what one does without a rule."""
    for each in looks_at(FIRST, MOST):
        comparison = compared(before, after, each, ALPHA)
        if any(each.verdict in CALLED for each in comparison.rows):
            break
    return outcome(each, comparison)


def compared(before: Values, after: Values, each: int, level: float) -> Comparison:
    sides = side(before[:, :each], "a"), side(after[:, :each], "b")
    return compare_reports(*sides, CompareOptions(level=level))


def outcome(each: int, last: Comparison) -> Outcome:
    called = {each.location for each in last.rows if each.verdict in CALLED}
    return Outcome(
        runs=each,
        settled=not unsettled(last),
        moved_row="row 0" in called,
        other_row=bool(called - {"row 0"}),
        window=last.window.verdict in CALLED,
    )


RULES: dict[str, Callable[[Values, Values], Outcome]] = {
    "until settled": until_settled,
    "until something shows": first_finding,
}


def figures(scene: Scene, collects: int, rule: str) -> list[Outcome]:
    """The outcomes of so many collects."""
    rng = np.random.default_rng(2026)
    return [RULES[rule](*scene.draw(rng)) for _ in range(collects)]


def line(scene: Scene, rule: str, outcomes: Sequence[Outcome]) -> str:
    """One row of the table."""

    def percent(hits: Sequence[bool]) -> str:
        return f"{100 * sum(hits) / len(hits):.1f} %"

    wrong = [each.other_row or (each.moved_row and not scene.move) for each in outcomes]
    found = percent([each.moved_row for each in outcomes]) if scene.move else "–"
    runs = sum(each.runs for each in outcomes) / len(outcomes)
    cells = (
        scene.name,
        rule,
        percent(wrong),
        found,
        percent([each.window for each in outcomes]),
        percent([each.settled for each in outcomes]),
        f"{runs:.1f}",
    )
    return "| " + " | ".join(cells) + " |"


def table(collects: int) -> str:
    """All scenes under both rules, as Markdown."""
    scenes = (
        Scene("nothing changed, 5 % spread", 0.0, 0.05),
        Scene("nothing changed, 15 % spread", 0.0, 0.15),
        Scene("nothing changed, 40 % spread", 0.0, 0.40),
        Scene("one row +30 %, 5 % spread", 0.3, 0.05),
        Scene("one row +30 %, 15 % spread", 0.3, 0.15),
        Scene("one row +15 %, 10 % spread", 0.15, 0.10),
    )
    lines = [
        "| scene | rule | a row called wrongly | moved row found | window called | settled | runs a side |",
        "|---|---|---|---|---|---|---|",
    ]
    for scene in scenes:
        for rule in RULES:
            lines.append(line(scene, rule, figures(scene, collects, rule)))
            print(lines[-1], flush=True)
    return "\n".join(lines) + "\n"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--collects", type=int, default=400)
    options.add_argument("--write", action="store_true", help="put the table into the page")
    given = options.parse_args()
    made = table(given.collects)
    if given.write:
        text = PAGE.read_text(encoding="utf-8")
        head, rest = text.split(BEGIN, 1)
        _, tail = rest.split(END, 1)
        PAGE.write_text(f"{head}{BEGIN}{made}{END}{tail}", encoding="utf-8")


if __name__ == "__main__":
    main()
