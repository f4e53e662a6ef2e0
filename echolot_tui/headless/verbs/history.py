"""``echolot history``: did a level move over the commits, and where."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from echolot_tui.headless import options, output

if TYPE_CHECKING:
    from echolot_tui.history.model import HistoryReport


@click.group("history", context_settings={"max_content_width": 100})
def command() -> None:
    """Series of reports over commits: what got worse, where, and what was not judged.

    Findings never change the exit code.
    """


verbose_flag = click.option("--verbose", is_flag=True, help="List every series with its gates.")
markdown_flag = click.option("--markdown", metavar="FILE", help="Write the report as Markdown too.")
summary_flag = click.option(
    "--summary", metavar="FILE", help="Write the ten largest findings as Markdown too."
)


@command.command("judge")
@click.argument("file", metavar="FILE")
@click.option(
    "--branch", is_flag=True, help="The last value of each series is a branch's, the others its base."
)
@verbose_flag
@markdown_flag
@summary_flag
@options.jobs_flag
@options.json_flag
def judge(
    *,
    file: str,
    branch: bool,
    verbose: bool,
    markdown: str | None,
    summary: str | None,
    jobs: int | None,
    as_json: bool,
) -> int:
    """Judge any series: FILE holds {"series": [{"name", "unit", "values"}]}, oldest value first.

    A value is a number, the list of its runs, or null where nothing was measured. - reads stdin.
    """
    from echolot_tui.headless.history_analysis import judge_file  # noqa: PLC0415 - numpy, not for --help

    report = judge_file(file, newest_is_branch=branch, jobs=jobs, every=verbose)
    return _show(report, as_json=as_json, markdown=markdown, summary=summary)


def _show(report: HistoryReport, *, as_json: bool, markdown: str | None, summary: str | None) -> int:
    from echolot_tui.history.codec import encode_history  # noqa: PLC0415 - not for --help
    from echolot_tui.present.history_markdown import SUMMARY, history_markdown  # noqa: PLC0415
    from echolot_tui.present.history_text import history_lines  # noqa: PLC0415

    for path, most in ((markdown, None), (summary, SUMMARY)):
        if path is not None:
            _write(Path(path), history_markdown(report, most=most))
    if as_json:
        output.write_bytes(encode_history(report))
    else:
        output.write_lines(history_lines(report, output.width()))
    return 0


def _write(path: Path, text: str) -> None:
    from echolot_tui.headless.diagnostics import talk  # noqa: PLC0415 - beside the file's writer
    from echolot_tui.project.files import write_atomic  # noqa: PLC0415 - not for --help

    write_atomic(path, text.encode())
    talk.wrote(path)
