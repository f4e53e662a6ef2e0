"""Fifteen runs of one build, split at random: what is found when one side is made a fifth slower.

Run: ``python bench/resample.py [--splits N] [--write]``. Records a small program of this file fifteen times
with viztracer, measures the recordings, and splits them at random into a before and an after, with every
time after as it is or multiplied by 1.2. Figures go to docs/how-sure.md with ``--write``.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from msgspec.structs import replace

from echolot_tui.compare.compare import compare_reports
from echolot_tui.compare.inputs import SideInput
from echolot_tui.compare.model import Comparison, Face, Row
from echolot_tui.engine.model import EngineChoice
from echolot_tui.frozen import Cell
from echolot_tui.measure.catalogue import load_catalogue
from echolot_tui.measure.measure_set import measure_set
from echolot_tui.measure.model import Measurement, Occurrence
from echolot_tui.measure.plan import Plan, plan
from echolot_tui.measure.spec import MeasureSpec
from echolot_tui.report.build import ReportContext, build_report

RUNS = 15
FACTOR = 1.2
PAGE = Path(__file__).parents[1] / "docs" / "how-sure.md"
MARK = "resample"

PROGRAM = """
import hashlib, json, random, zlib

def make(n):
    random.seed(7)
    return [{"id": i, "name": "row %d" % i, "value": random.random()} for i in range(n)]

def encode(rows):
    return [json.dumps(rows) for _ in range(4)]

def decode(texts):
    return [json.loads(text) for text in texts]

def order(tables):
    return [sorted(table, key=lambda row: row["value"]) for table in tables]

def pack(texts):
    return [zlib.compress(text.encode(), 6) for text in texts]

def digest(packed):
    return [hashlib.sha256(block * 40).hexdigest() for block in packed]

def count(tables):
    seen = {}
    for table in tables:
        for row in table:
            key = row["name"][-2:]
            seen[key] = seen.get(key, 0) + 1
    return seen

def main():
    texts = encode(make(12000))
    tables = decode(texts)
    order(tables)
    count(tables)
    digest(pack(texts))

main()
"""


def record(folder: Path) -> list[Path]:
    """Fifteen recordings of the program, one after the other."""
    program = folder / "program.py"
    program.write_text(PROGRAM)
    paths = [folder / f"run_iter{run:03}.json" for run in range(RUNS)]
    options = ["--quiet", "--ignore_c_function", "--min_duration", "0.2ms"]
    for path in paths:
        command = [sys.executable, "-m", "viztracer", *options, "-o", str(path), str(program)]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return paths


def slower(measurement: Measurement) -> Measurement:
    """The measurement with every time of every row, and the window, a fifth longer."""
    occurrences = tuple(map(_slower_occurrence, measurement.occurrences))
    return replace(measurement, occurrences=occurrences)


def _slower_occurrence(occurrence: Occurrence) -> Occurrence:
    detectors = tuple(
        replace(
            each, rows=tuple(replace(row, columns=_longer(row.columns)) for row in each.rows), coverage=None
        )
        for each in occurrence.detectors
    )
    return replace(occurrence, detectors=detectors, duration_ms=occurrence.duration_ms * FACTOR)


def _longer(columns: dict[str, Cell]) -> dict[str, Cell]:
    return {
        name: value * FACTOR if name.endswith("_ms") and isinstance(value, int | float) else value
        for name, value in columns.items()
    }


def compared(before: Sequence[Measurement], after: Sequence[Measurement], asked: Plan) -> Comparison:
    sides = []
    for name, measurements in (("before", before), ("after", after)):
        report, rows = build_report(measurements, asked, context=ReportContext())
        sides.append(SideInput(name=name, path=name, report=report, all_rows=rows))
    return compare_reports(*sides)


def tally(comparisons: Iterable[Comparison]) -> dict[str, float]:
    """Shares in percent: of rows that are found by each rule, and of comparisons with any finding."""
    counts: Counter[str] = Counter()
    for comparison in comparisons:
        counts["comparisons"] += 1
        counts["any"] += any(row.verdict in {"slower", "faster"} for row in comparison.rows)
        for row in comparison.rows:
            if row.before is None or row.after is None:
                continue
            over = row.change != "steady"
            counts["rows"] += 1
            counts["apart"] += over and apart(row)
            counts["holds"] += over and bool(row.holds)
            counts["verdict"] += row.verdict in {"slower", "faster"}
    shares = {name: 100 * counts[name] / max(counts["rows"], 1) for name in ("apart", "holds", "verdict")}
    return shares | {"any": 100 * counts["any"] / max(counts["comparisons"], 1)}


def apart(row: Row) -> bool:
    """The rule of old: no run of one side inside the range of the other."""
    before, after = _ends(row.before), _ends(row.after)
    return after[0] > before[1] or after[1] < before[0]


def _ends(face: Face | None) -> tuple[float, float]:
    assert face is not None
    values = [value for value in face.by_run or () if value is not None]
    return min(values), max(values)


def table(measurements: Sequence[Measurement], asked: Plan, splits: int) -> list[str]:
    lines = [
        "| runs | made slower | ranges apart | holds | verdict | comparisons with any verdict |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for sizes in ((5, 5), (7, 8)):
        for title, change in (("no", None), ("by a fifth", slower)):
            rng = random.Random(f"{sizes} {title}")
            comparisons = []
            for _ in range(splits):
                chosen = rng.sample(list(measurements), sum(sizes))
                after = chosen[sizes[0] :]
                comparisons.append(
                    compared(chosen[: sizes[0]], [change(each) for each in after] if change else after, asked)
                )
            shares = tally(comparisons)
            cells = [f"{shares[name]:.1f} %" for name in ("apart", "holds", "verdict", "any")]
            lines.append(f"| {sizes[0]} v {sizes[1]} | {title} | {' | '.join(cells)} |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--splits", type=int, default=300)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    asked = plan(load_catalogue())
    with tempfile.TemporaryDirectory() as name:
        paths = record(Path(name))
        spec = MeasureSpec(detectors=asked.detectors, claimed_globs=asked.claimed_globs)
        measured = measure_set(paths, spec, EngineChoice(), jobs=2, cache=None)
        lines = table(measured.measurements, asked, given.splits)
    print("\n".join(lines))
    if given.write:
        text = PAGE.read_text(encoding="utf-8")
        head, rest = text.split(f"<!-- bench/resample.py: {MARK} -->\n", 1)
        _, tail = rest.split(f"<!-- end: {MARK} -->", 1)
        body = "\n".join(lines)
        PAGE.write_text(
            f"{head}<!-- bench/resample.py: {MARK} -->\n{body}\n<!-- end: {MARK} -->{tail}", encoding="utf-8"
        )


if __name__ == "__main__":
    main()
