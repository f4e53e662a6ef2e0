"""What a checkout of 20,000 sources costs a report.

Run: ``python bench/checkout.py [--rounds N]``. Every figure is a ratio to reading each of its files once with
``Path.read_bytes``, within this run; the machine's speed cancels out. Bars: listing 0.4, the declared
packages 1, places of 200 rows and all markers together 1.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from echolot_tui.checkout.find import SourceFinder
from echolot_tui.checkout.markers import temporary_markers
from echolot_tui.checkout.sources import Sources
from echolot_tui.report.model import AllRows, DetectorReport, Report, Row
from echolot_tui.report.places import place_rows

FILES = 20_000
BODY = "".join(
    f"    fun step{number}(a: Int): Int {{\n        return a + {number}\n    }}\n" for number in range(40)
)


def write(root: Path) -> None:
    for number in range(FILES):
        package = f"com.example.feature{number // 200}.part{number // 10 % 20}"
        path = (
            root
            / f"feature{number // 200}/src/main/kotlin"
            / package.replace(".", "/")
            / f"Screen{number}.kt"
        )
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"package {package}\n\nclass Screen{number} {{\n{BODY}}}\n")


def report_of(root: Path) -> None:
    """What ``analyze`` does with a checkout."""
    locations = [f"com.example.feature{n}.part{n % 20}.Screen{n * 200 + n % 20 * 10}" for n in range(100)]
    locations += [f"com.elsewhere.part{n}.Widget{n}" for n in range(100)]
    section = DetectorReport(id="app_init", rows=tuple(Row(location=name) for name in locations))
    sources = Sources(root)
    report, _ = place_rows(
        Report(detectors=(section,)), AllRows(report_sha256="", detectors=(section,)), SourceFinder(sources)
    )
    assert sum(row.code is not None for row in report.detectors[0].rows) == 100
    assert temporary_markers(sources, "AGENTTMP_").markers == ()


def read_each(root: Path) -> None:
    for path in Sources(root).paths:
        (root / path).read_bytes()


def seconds(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        write(root)
        tasks: dict[str, Callable[[], object]] = {
            "reading each file": lambda: read_each(root),
            "listing": lambda: Sources(root).paths,
            "declared packages": lambda: Sources(root).packages,
            "places and markers": lambda: report_of(root),
        }
        best = {title: min(seconds(task) for _ in range(rounds)) for title, task in tasks.items()}
        for title, value in best.items():
            print(f"{title:<20} {value:.2f} s: {value / best['reading each file']:.2f}")


if __name__ == "__main__":
    main()
