"""What the history verbs do between the command line and the core."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from msgspec.structs import replace

from echolot_tui.history.finding import Line
from echolot_tui.history.judge import judge_branch, judge_history
from echolot_tui.history.judge_file import read_series
from echolot_tui.history.model import HistoryReport
from echolot_tui.project.files import read_bytes

STDIN = "-"


def judge_file(file: str, *, newest_is_branch: bool, jobs: int | None, every: bool) -> HistoryReport:
    """Judge the series of a file.

    Raises:
        EcholotError: There is no such file, or it holds no series.
    """
    raw = sys.stdin.buffer.read() if file == STDIN else read_bytes(Path(file))
    given = read_series(raw, where=file, newest_is_branch=newest_is_branch)
    judge = judge_branch if given.mode == "branch" else judge_history
    report = judge(given.series, Line(given.line), jobs=workers(jobs), every=every)
    return replace(report, source=file)


def workers(jobs: int | None) -> int:
    """How many processes."""
    return jobs or os.cpu_count() or 1
