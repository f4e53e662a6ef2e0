"""One update of a watched folder in words: nothing untested is told as unmoved."""

from __future__ import annotations

import pytest

from echolot_tui.collect.watch import FolderChange
from echolot_tui.compare.compare import compare_reports
from echolot_tui.headless.watch_lines import update_line, update_of
from reports_by_hand import detector, report, row, sides

BEFORE = (100.0, 101.0, 99.0, 100.5, 99.5)


@pytest.mark.parametrize(
    ("after", "untested", "said"),
    [
        ((140.0,), 1, "1 row moved, too few runs to say whether that is real"),
        ((100.5,), 0, "no row moved"),
        ((140.0, 141.0, 139.0, 140.5, 142.0), 0, "1 slower"),
    ],
)
def test_a_move_in_too_few_runs_is_told_as_one(after: tuple[float, ...], untested: int, said: str) -> None:
    one = detector("main_thread_block", row("work", BEFORE))
    other = report(detector("main_thread_block", row("work", after)), runs=len(after), side="b")
    comparison = compare_reports(*sides(report(one), other))
    update = update_of(FolderChange(new=("a",)), other, comparison, None)
    assert update.untested == untested
    assert update_line(update).endswith(f" · {said}") or update_line(update).split(" · ")[1] == said


def test_without_a_comparison_no_row_is_spoken_of() -> None:
    alone = report(runs=3)
    assert update_line(update_of(FolderChange(), alone, None, None)) == "3 runs"
