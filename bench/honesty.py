"""How often the statistics cry wolf, what they find, and whether the 95 % range keeps its word.

Run: ``python bench/honesty.py [--comparisons 1000] [--write]``. Takes about ten minutes at 1,000
comparisons; ``--write`` puts the tables into ``docs/how-sure.md``. Seeds are fixed: the same numpy gives the
same figures.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # tables this small are slower on two cores; before numpy

import numpy as np
import numpy.typing as npt

from echolot_tui.compare.compare import compare_reports
from echolot_tui.compare.inputs import CompareOptions, SideInput
from echolot_tui.compare.model import Comparison
from echolot_tui.report.model import DetectorReport, Repeat, Report, Row, WindowReport
from echolot_tui.stats.labels import ALPHA
from echolot_tui.stats.relabel import TableTest, relabel
from echolot_tui.stats.shift import cut, median, shift
from echolot_tui.units import round2

Values = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
PAGE = Path(__file__).parents[1] / "docs" / "how-sure.md"
SIZES = ((4, 4), (5, 5), (7, 7), (10, 10), (15, 15))


@dataclass(frozen=True)
class Scene:
    """Tables to draw: log-normal rows around 25 ms that share a factor per run."""

    before: int
    after: int
    rows: int = 60
    movers: int = 0
    move: float = 0.2
    spread: tuple[float, float] = (0.05, 0.25)
    shared: float = 0.04
    noisier_after: float = 1.0
    whole_run: float = 0.0

    @property
    def sides(self) -> list[bool]:
        """Per run whether it is after."""
        return [False] * self.before + [True] * self.after

    def draw(self, rng: np.random.Generator) -> Values:
        """Rows x runs, milliseconds to 2 decimals; the movers first."""
        runs = self.before + self.after
        spread = np.sqrt(np.log1p(rng.uniform(*self.spread, self.rows) ** 2))
        level = np.log(25) + rng.normal(0, 1, self.rows)
        strays = rng.normal(size=(self.rows, runs)) * spread[:, None]
        strays[:, self.before :] *= self.noisier_after
        logs = level[:, None] + strays + rng.normal(0, self.shared, runs)
        logs[: self.movers, self.before :] += np.log1p(self.move)
        logs[:, self.before :] += np.log1p(self.whole_run)
        values: Values = np.round(np.exp(logs), 2)
        return values


@dataclass
class Tally:
    """Counts over many comparisons of one scene."""

    comparisons: int = 0
    alarms: dict[str, int] = field(default_factory=dict)
    """Comparisons in which a row that did not move was called moved, by rule."""
    found: dict[str, int] = field(default_factory=dict)
    """Movers found, by rule."""

    def add(self, scene: Scene, flags: dict[str, Flags]) -> None:
        """Count one comparison's findings, by rule."""
        self.comparisons += 1
        for rule, flag in flags.items():
            self.alarms[rule] = self.alarms.get(rule, 0) + bool(flag[scene.movers :].any())
            self.found[rule] = self.found.get(rule, 0) + int(flag[: scene.movers].sum())

    def alarm(self, rule: str) -> str:
        """Share of comparisons that called a row moved which did not."""
        return f"{100 * self.alarms[rule] / self.comparisons:.1f} %"

    def power(self, rule: str, scene: Scene) -> str:
        """Share of the movers found."""
        return f"{100 * self.found[rule] / scene.movers / self.comparisons:.1f} %"


def compared(values: Values, scene: Scene, seed: int) -> Comparison:
    """The table as ``echolot compare`` judges it: every row of one detector, the window their sum."""
    before, after = np.hsplit(values, [scene.before])
    return compare_reports(_side("before", before), _side("after", after), options=CompareOptions(seed=seed))


def _side(name: str, values: Values) -> SideInput:
    runs = values.shape[1]
    lengths = tuple(map(round2, values.sum(axis=0)))
    rows = tuple(
        Row(
            location=str(at),
            runs=f"{runs}/{runs}",
            self_ms=round2(median(row)),
            by_run={"self_ms": tuple(map(float, row))},
        )
        for at, row in enumerate(values)
    )
    report = Report(
        detectors=(DetectorReport(id="drawn", rows=rows),),
        window=WindowReport(duration_ms=round2(median(values.sum(axis=0))), values=lengths),
        repeats=tuple(
            Repeat(label=str(at), trace=f"{name}/{at}", trace_index=at, sha256=f"{name}{at}")
            for at in range(runs)
        ),
        runs=runs,
        runs_given=runs,
        clipped=True,
    )
    return SideInput(name=name, path=name, report=report)


def tested(values: Values, scene: Scene, seed: int) -> TableTest:
    found = relabel(values, after=scene.sides, seed=seed)
    assert found is not None
    return found


def judge(values: Values, scene: Scene, seed: int) -> dict[str, Flags]:
    """Every rule's findings: the verdict, the family figures without a floor, and the range alone."""
    whole = tested(values, scene, seed)
    rows = sorted(compared(values, scene, seed).rows, key=lambda row: int(row.location or ""))
    return {
        "verdict": np.array([row.verdict in {"slower", "faster"} for row in rows]),
        "p_family": np.array([row.p_family <= ALPHA for row in whole.rows]),
        "q": np.array([row.q <= ALPHA for row in whole.rows]),
        "holds": np.array([bool(row.holds) for row in rows]),
        "holds and floor": np.array([bool(row.holds) and row.change != "steady" for row in rows]),
    }


def run(scene: Scene, comparisons: int, *, salt: int) -> Tally:
    tally = Tally()
    for at in range(comparisons):
        rng = np.random.default_rng([salt, scene.before, scene.after, at])
        tally.add(scene, judge(scene.draw(rng), scene, at))
    return tally


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def against(scene: Scene) -> str:
    return f"{scene.before} v {scene.after}"


def unchanged(comparisons: int) -> str:
    rows = []
    for before, after in SIZES:
        scene = Scene(before, after)
        tally = run(scene, comparisons, salt=1)
        rows.append([against(scene), *map(tally.alarm, ("verdict", "p_family", "holds and floor", "holds"))])
    return table(
        ["runs", "any `slower`/`faster`", "any p_family ≤ 0.05", "any `holds` over the floor", "any `holds`"],
        rows,
    )


def unequal(comparisons: int) -> str:
    ratios = (1.0, 2.0)
    rows = []
    for before, after in ((5, 5), (10, 10), (5, 10), (4, 12), (12, 4)):
        cells = []
        for ratio in ratios:
            scene = Scene(before, after, noisier_after=ratio)
            alarms = 0
            for at in range(comparisons):
                rng = np.random.default_rng([2, before, after, at])
                alarms += any(row.found for row in tested(scene.draw(rng), scene, at).rows)
            cells.append(f"{100 * alarms / comparisons:.1f} %")
        rows.append([against(scene), *cells])
    return table(["runs", "after strays as far", "twice as far"], rows)


def power(comparisons: int) -> str:
    scenes = [Scene(before, after, movers=3) for before, after in SIZES]
    scenes.append(Scene(5, 5, movers=3, spread=(0.03, 0.10)))
    rows = []
    for scene in scenes:
        tally = run(scene, comparisons, salt=3)
        label = against(scene) + (", quiet rows" if scene.spread[1] < 0.2 else "")
        shares = [tally.power(rule, scene) for rule in ("p_family", "q", "verdict", "holds")]
        rows.append([label, *shares, tally.alarm("p_family"), tally.alarm("holds")])
    return table(
        ["runs", "p_family", "q", "verdict", "`holds`", "false, by p_family", "false, by `holds`"], rows
    )


def whole_run(comparisons: int) -> str:
    rows = []
    for before, after in SIZES[1:4]:
        cells = []
        for move in (0.0, 0.2):
            scene = Scene(before, after, whole_run=move)
            said, found, following = 0, 0, 0
            for at in range(comparisons):
                rng = np.random.default_rng([4, before, at])
                comparison = compared(scene.draw(rng), scene, at)
                slower = [row for row in comparison.rows if row.verdict in {"slower", "faster"}]
                said += comparison.whole_run is not None
                found += len(slower)
                following += sum(row.follows is not None for row in slower)
            cells.append(f"{100 * said / comparisons:.1f} %")
        cells.append(f"{100 * found / scene.rows / comparisons:.1f} %")
        cells.append(f"{100 * following / found:.1f} %" if found else "-")
        rows.append([against(scene), *cells])
    head = [
        "runs",
        "said, unchanged build",
        "said, all 20 % slower",
        "rows `slower`",
        "of these `follows: window`",
    ]
    return table(head, rows)


def advice(comparisons: int) -> str:
    """Follow ``runs_needed``: record as many runs as a missed mover asked for, and look again."""
    asked: list[int] = []
    kept = 0
    scene = Scene(5, 5, movers=1, spread=(0.08, 0.12))
    for at in range(comparisons):
        rng = np.random.default_rng([5, at])
        row = tested(scene.draw(rng), scene, at).rows[0]
        if row.runs_needed is None:
            continue
        asked.append(row.runs_needed)
        again = replace(scene, before=min(row.runs_needed, 60), after=min(row.runs_needed, 60))
        kept += tested(again.draw(rng), again, at).rows[0].found
    quartiles = np.quantile(asked, (0.25, 0.5, 0.75), method="lower")
    return (
        f"A row of 8–12 % spread that became 20 % slower was missed in {len(asked)} of {comparisons} "
        f"comparisons at five a side. It then asked for {quartiles[1]} runs a side (middle half: "
        f"{quartiles[0]} to {quartiles[2]}); recorded anew with as many (at most 60), it was found in "
        f"{100 * kept / len(asked):.0f} %."
    )


SHAPES: dict[str, Callable[[np.random.Generator, int], Values]] = {
    "normal": lambda rng, n: 100 + 8 * rng.normal(size=n),
    "log-normal, long tail": lambda rng, n: 30 * rng.lognormal(0, 0.8, n),
    "exponential": lambda rng, n: 40 * rng.exponential(size=n),
    "two humps": lambda rng, n: 25 + 15 * rng.choice((-1.0, 1.0), n) + rng.normal(size=n),
    "counts of 10 ms samples": lambda rng, n: 10 * rng.poisson(2, n).astype(np.float64),
    "present in 3 of 5 runs": lambda rng, n: (rng.random(n) < 0.6) * rng.normal(30, 3, n),
}


def coverage(pairs: int) -> str:
    rows = []
    for salt, (name, shape) in enumerate(SHAPES.items()):
        cells = []
        for before, after in (*SIZES, (5, 10)):
            held = 0
            for at in range(pairs):
                rng = np.random.default_rng([6, salt, before, after, at])
                one = shift(np.round(shape(rng, before), 2), np.round(shape(rng, after) + 10, 2))
                held += one is not None and one.low_ms <= 10 <= one.high_ms
            cells.append(f"{100 * held / pairs:.1f} %")
        rows.append([name, *cells])
    head = ["runs", *(f"{n} v {m} (cut {cut(n, m)})" for n, m in (*SIZES, (5, 10)))]
    return table(head, rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--comparisons", type=int, default=1000)
    parser.add_argument("--write", action="store_true", help="put the tables into docs/how-sure.md")
    arguments = parser.parse_args()
    count = arguments.comparisons
    sections: dict[str, Callable[[], str]] = {
        "unchanged": lambda: unchanged(count),
        "power": lambda: power(count),
        "unequal": lambda: unequal(2 * count),
        "whole-run": lambda: whole_run(max(count // 4, 1)),
        "advice": lambda: advice(max(count // 2, 1)),
        "coverage": lambda: coverage(2 * count),
    }
    for name, make in sections.items():
        text = make()
        print(f"\n## {name}\n\n{text}", flush=True)
        if arguments.write:
            page = PAGE.read_text(encoding="utf-8")
            PAGE.write_text(_between_markers(page, name, text), encoding="utf-8")


def _between_markers(page: str, name: str, text: str) -> str:
    begin, end = f"<!-- bench/honesty.py: {name} -->", f"<!-- end: {name} -->"
    head, rest = page.split(begin)
    _, tail = rest.split(end)
    return f"{head}{begin}\n{text}\n{end}{tail}"


if __name__ == "__main__":
    main()
