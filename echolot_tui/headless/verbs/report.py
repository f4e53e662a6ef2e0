"""``echolot report``: read a report that was written before."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from echolot_tui.errors import EcholotError
from echolot_tui.headless import options, output
from echolot_tui.headless.handover import CONFIG_FLAGS, flags_given, root_flags, screens_of
from echolot_tui.headless.setup import Flags
from echolot_tui.project.files import read_bytes


@click.command("report")
@click.argument("file", required=False, metavar="[FILE]")
@options.config_flags
@click.option(
    "-d", "--detector", "detectors", multiple=True, metavar="ID", help="One detector's rows; repeatable."
)
@click.option("--top", type=click.IntRange(min=1), metavar="N", help="Rows shown: 5 a detector, 15 markers.")
@click.option("--window", is_flag=True, help="The facts around the rows, run by run.")
@click.option("--markers", is_flag=True, help="The markers table.")
@click.option("--wide", is_flag=True, help="Cut no name and no evidence.")
@options.json_flag
@options.tui_flag
@click.pass_obj
def command(
    obj: dict[str, Any],
    /,
    *,
    file: str | None,
    detectors: tuple[str, ...],
    top: int | None,
    window: bool,
    markers: bool,
    wide: bool,
    as_json: bool,
    tui: bool,
    **given: Any,
) -> int:
    """Show a report: FILE (or the folder it lies in), else the project's latest."""
    from echolot_tui.present import report_text  # noqa: PLC0415 - not for --help
    from echolot_tui.present.opening import Opening  # noqa: PLC0415
    from echolot_tui.present.report_json import report_selection  # noqa: PLC0415
    from echolot_tui.report.codec import decode_report  # noqa: PLC0415

    path = _path(file, Flags(**given))
    screens = screens_of(obj, wanted=True) if tui else None
    if screens is not None:
        config_flags = flags_given(click.get_current_context(), only=CONFIG_FLAGS)
        return screens.open(
            Opening(screen="report", report=str(path), config_flags=config_flags, root_flags=root_flags(obj))
        )
    report = decode_report(read_bytes(path), where=str(path))
    if as_json:
        output.write_bytes(report_selection(report, detectors, window=window, markers=markers))
        return 0
    width = output.UNLIMITED if wide else output.width()
    if detectors:
        output.write_lines(
            report_text.report_detectors(
                report, detectors, width, top=top or report_text.ROWS_SHOWN, wide=wide
            )
        )
    if window:
        output.write_lines(report_text.report_window(report, width))
    if markers:
        output.write_lines(report_text.report_markers(report, width, top=top or report_text.MARKERS_SHOWN))
    if not (detectors or window or markers):
        output.write_lines(report_text.report_overview(report, width))
    return 0


def _path(file: str | None, flags: Flags) -> Path:
    if file is not None:
        path = Path(file)
        return path / "report.json" if path.is_dir() else path
    from echolot_tui.headless.hunting import project_of  # noqa: PLC0415 - not for --help

    folder = project_of(flags).output_folder(None)
    if folder is None:
        raise EcholotError("no report was named and there is no project here", todo="name a report.json")
    path = folder / "report.json"
    if not path.is_file():
        raise EcholotError("there is no report yet", where=str(path), todo="run echolot analyze first")
    return path
