"""How often the history detection is wrong, what it sees, how far it reaches, and how fast it is.

Run: ``python bench/history.py [--draws N] [--write]``. Seeds are fixed, so the tables come out the same on
every machine; only the times differ. ``--write`` puts the tables between the markers of docs/history.md.
Apache Otava runs with its defaults on the same series, in an environment this benchmark makes.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
from history_draws import NOISES, Floats, draws, excursion, lognormal, normal, ramp, spiked, step
from history_otava import Otava, percent

from echolot_tui.history.branch import read_branch
from echolot_tui.history.detect import Candidate, detect
from echolot_tui.history.levels import Levels
from echolot_tui.history.parallel import over_series

DOCS = Path(__file__).parents[1] / "docs" / "history.md"
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"
LENGTHS = (20, 40, 100)
FAMILIES = (1, 100, 1_000)
JOBS = os.cpu_count() or 1


def candidate_of(values: Floats, *, family: int) -> Candidate | None:
    return detect(Levels.of(values), 0.0, family).candidate


def candidates(series: Sequence[Floats], family: int = 1) -> list[Candidate | None]:
    return over_series(partial(candidate_of, family=family), series, jobs=JOBS)


def reported(found: Sequence[Candidate | None], family: int) -> int:
    """Regressions a family of this size would let through alone."""
    return sum(each is not None and each.delta > 0 and each.chance <= 0.10 / family for each in found)


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    rule = ["---", *["---:"] * (len(heads) - 1)]
    return [f"| {' | '.join(row)} |" for row in (heads, rule, *rows)]


def false_findings(many: int, otava: Otava) -> list[str]:
    rows = []
    for title, noise in NOISES.items():
        batches = [draws(title, noise, n, many) for n in LENGTHS]
        found = [[each for each in candidates(series) if each is not None] for series in batches]
        rows.append(
            [
                title,
                *(percent(len(each), many) for each in found),
                *(percent(sum(one.serial.dependent for one in each), many) for each in found),
                *(otava.share(series) for series in batches),
            ]
        )
    heads = [
        f"{what} {n}" for what in ("any finding %,", "of it marked %,", f"{otava.name} %,") for n in LENGTHS
    ]
    return table(["noise", *heads], rows)


def power(many: int, otava: Otava) -> list[str]:
    rows = []
    for n in LENGTHS:
        for move in (0.03, 0.05, 0.08, 0.12):
            series = draws(f"step {move}", normal(0.025), n, many, step(n, move))
            found = candidates(series, family=max(FAMILIES))
            near = sum(
                each is not None and each.at is not None and abs(each.at - n // 2) <= 1 for each in found
            )
            rows.append(
                [
                    f"+{100 * move:.0f} % at the middle",
                    str(n),
                    *(percent(reported(found, family), many) for family in FAMILIES),
                    percent(near, many),
                    otava.share(series),
                ]
            )
    heads = ["step", "points", *(f"family of {family} %" for family in FAMILIES)]
    return table([*heads, "within a commit %", f"{otava.name} %"], rows)


def shapes(many: int, otava: Otava) -> list[str]:
    rows = []
    for before, during, back in ((20, 14, 6), (20, 20, 3), (30, 40, 5), (30, 40, 8), (10, 10, 10)):
        n = before + during + back
        series = draws(f"back {during}", normal(0.025), n, many, excursion(before, during, back))
        title = f"{before} at 100, {during} at 140, {back} at 100"
        rows.append([title, percent(reported(candidates(series), 1), many), otava.share(series)])
    for total in (0.05, 0.10, 0.20):
        series = draws(f"ramp {total}", normal(0.025), 40, many, ramp(40, total))
        title = f"drift of +{100 * total:.0f} % over 40"
        rows.append([title, percent(reported(candidates(series), 1), many), otava.share(series)])
    return table(["shape", "reported %", f"{otava.name} %"], rows)


def reach() -> list[str]:
    """The largest family that reports a lone perfect step in the middle."""
    lengths = (10, 11, 12, 14, 16, 18, 20, 21, 22, 24, 30, 40)
    reached = []
    for n in lengths:
        values = np.arange(n) / 1e4 + np.where(np.arange(n) < n // 2, 100.0, 130.0)
        found = candidate_of(values, family=10**12 if n <= 20 else 1)
        assert found is not None
        reached.append(f"{math.floor(0.10 / found.chance * (1 + 1e-9)):,}")
    return table(["points", *map(str, lengths)], [["largest family", *reached]])


def branch(many: int) -> list[str]:
    rows = []
    noises = {
        "normal, cv 2.5 %": normal(0.025),
        "lognormal, cv 5 %": lognormal(0.05),
        "lognormal, cv 10 %": lognormal(0.10),
        "normal, cv 2 %, with 3 % spikes": spiked,
    }
    bases, moves = (10, 20, 40, 128), (0.0, 0.10, 0.15)
    for title, noise in noises.items():
        shown = []
        for move in moves:
            for k in bases:
                series = draws(f"branch {title}", noise, k + 1, many)
                found = over_series(partial(excursion_found, move=move), series, jobs=JOBS)
                shown.append(percent(sum(found), many))
        rows.append([title, *shown])
    heads = [f"{what}, {k}" for what in ("unchanged %", "+10 % seen %", "+15 % seen %") for k in bases]
    return table(["noise", *heads], rows)


def excursion_found(values: Floats, *, move: float) -> bool:
    base, tip = Levels.of(values[:-1]), Levels.of(values[-1:] * (1 + move))
    found = read_branch(base, tip, 0.0).excursion
    return found is not None and (move == 0 or found.excess > 0)


def scale(folder: Path) -> list[str]:
    rows = []
    cases = (
        ("10,000 × 128, 2 % with a step", 10_000, 128, 0.02, None),
        ("1,000 × 40, 5 % with a step", 1_000, 40, 0.05, None),
        ("1,000 × 20, 5 % with a step", 1_000, 20, 0.05, None),
        ("1,000 × 20, all with a small step", 1_000, 20, 1.0, None),
        ("1,000 × 20, all with a small step, rounded to tenths", 1_000, 20, 1.0, 1),
    )
    for title, many, n, changed, decimals in cases:
        path = folder / "scale.json"
        path.write_text(json.dumps({"series": scale_series(many, n, changed, decimals)}))
        begin = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-m", "echolot_tui", "history", "judge", str(path), "--json"],
            check=True,
            capture_output=True,
        )
        took = time.perf_counter() - begin
        rows.append([title, str(len(json.loads(done.stdout)["findings"])), f"{took:.1f}"])
    return table(["series × points", "findings", "seconds"], rows)


def scale_series(many: int, n: int, changed: float, decimals: int | None) -> list[dict[str, object]]:
    rng = np.random.default_rng(many + n)
    made: list[dict[str, object]] = []
    for at in range(many):
        values = normal(0.025)(rng, n)
        if at < changed * many:
            values = values * step(n, rng.uniform(0.03, 0.08 if changed == 1 else 0.3))
        told = values if decimals is None else values.round(decimals)
        made.append({"name": f"s{at}", "unit": "ms", "values": told.tolist()})
    return made


def measured(many: int) -> list[str]:
    lines: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        otava = Otava(folder)
        if otava.version is None:
            lines += [f"Apache Otava could not be installed ({otava.reason}); its columns are empty.", ""]
        sections = (
            (
                f"**Unchanged series**, {many:,} a row, each judged alone",
                partial(false_findings, many, otava),
            ),
            (f"**Steps** in normal noise of 2.5 %, {many // 2:,} a row", partial(power, many // 2, otava)),
            (f"**Other shapes** in the same noise, {many // 4:,} a row", partial(shapes, many // 4, otava)),
            ("**Reach**: the largest family that reports one perfect step in the middle", reach),
            (f"**Branch**, {2 * many:,} a row", partial(branch, 2 * many)),
            (f"**Time** on {JOBS} cores, process start included", partial(scale, folder)),
        )
        for title, make in sections:
            begin = time.perf_counter()
            lines += [f"{title}.", "", *make(), ""]
            print(f"{title} took {time.perf_counter() - begin:.0f} s", file=sys.stderr)
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=1_000)
    parser.add_argument("--write", action="store_true", help="Put the tables into docs/history.md.")
    options = parser.parse_args()
    text = "\n".join(measured(options.draws))
    print(text)
    if options.write:
        before, _, rest = DOCS.read_text(encoding="utf-8").partition(BEGIN)
        _, _, after = rest.partition(END)
        DOCS.write_text(f"{before}{BEGIN}\n\n{text}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
