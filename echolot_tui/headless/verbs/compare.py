"""``echolot compare``: what moved between sets, and whether the move is real."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from echolot_tui.errors import EcholotError
from echolot_tui.headless import options, output
from echolot_tui.headless.diagnostics import talk
from echolot_tui.headless.setup import Flags, Project, open_project

if TYPE_CHECKING:
    from echolot_tui.compare.model import Comparison

DIRECTIONS = ("both", "slower", "faster")
VERDICTS = ("slower", "faster", "new", "gone", "can't tell", "no change")
SORTS = ("move", "ratio", "share", "verdict", "name", "detector")
IMPACTS = ("any", "noticeable", "large")


@click.command("compare")
@click.argument("sides", nargs=-1, metavar="BEFORE AFTER [MORE]...")
@options.config_flags
@options.window_flags
@options.threshold_flags
@click.option("--names", metavar="A,B", help="What to call the sides.")
@click.option(
    "--floor-ms",
    type=click.FloatRange(min=0),
    metavar="MS",
    help="A row moved when it moved by more than this  [5]",
)
@click.option(
    "--floor-pct",
    type=click.FloatRange(min=0),
    metavar="PCT",
    help="and by more than this share of itself  [10]",
)
@click.option(
    "--pin",
    "pins",
    multiple=True,
    metavar="GLOB",
    help="Row you decided on beforehand: judged by its own range.",
)
@click.option(
    "--direction",
    type=click.Choice(DIRECTIONS),
    default="both",
    help="Only rows slower, or faster, on the after side.",
)
@click.option(
    "--only",
    "verdicts",
    multiple=True,
    type=click.Choice(VERDICTS),
    help="Only rows of this verdict; repeatable.",
)
@click.option(
    "--detector", "detectors", multiple=True, metavar="ID", help="Only rows of this detector; repeatable."
)
@click.option(
    "--min-impact", type=click.Choice(IMPACTS), default="any", help="Least move as share of the window."
)
@click.option("--grep", default="", metavar="TEXT", help="Only rows whose name holds this.")
@click.option("--sort", type=click.Choice(SORTS), default="move", help="Order of the table.")
@click.option("--top", type=click.IntRange(min=1), metavar="N", help="At most this many rows.")
@options.out_flag
@options.jobs_flag
@options.json_flag
@click.pass_obj
def command(
    obj: dict[str, Any],
    /,
    *,
    sides: tuple[str, ...],
    names: str | None,
    out: str | None,
    as_json: bool,
    floor_ms: float | None,
    floor_pct: float | None,
    pins: tuple[str, ...],
    direction: str,
    verdicts: tuple[str, ...],
    detectors: tuple[str, ...],
    min_impact: str,
    grep: str,
    sort: str,
    top: int | None,
    **given: Any,
) -> int:
    """Compare sets of traces: each side is a report, a trace, a quoted glob, or a folder of either.

    With one side, it is compared with the project's latest report. More than two are each compared
    with the first. With a config or -o it writes comparison.json and comparison.md; with neither it
    prints the comparison and writes nothing.
    """
    import msgspec  # noqa: PLC0415 - not for --help

    from echolot_tui.compare.codec import encode_comparison  # noqa: PLC0415
    from echolot_tui.compare.view import ViewOptions  # noqa: PLC0415
    from echolot_tui.headless.clock import now  # noqa: PLC0415
    from echolot_tui.present.comparison_text import comparison_lines  # noqa: PLC0415

    flags = Flags(tp_binary=obj["tp_binary"], **given)
    project = _project(flags)
    view = msgspec.convert(
        {
            "direction": direction,
            "verdicts": verdicts,
            "detectors": detectors,
            "min_impact": min_impact,
            "text": grep,
            "sort": sort,
            "top": top,
        },
        ViewOptions,
    )
    comparison = compare(
        _with_latest(sides, project),
        project,
        flags,
        floor_ms=floor_ms,
        floor_pct=floor_pct,
        pins=pins,
        names=tuple(names.split(",")) if names else (),
        generated_at=now(),
    )
    data = encode_comparison(comparison)
    folder = project.output_folder(out)
    if folder is None:
        talk.note("no config and no -o: nothing is written")
    else:
        save(comparison, data, folder)
    if as_json:
        output.write_bytes(data)
    else:
        output.write_lines(comparison_lines(comparison, view, output.width()))
    return 0


def compare(
    sides: tuple[str, ...],
    project: Project,
    flags: Flags,
    *,
    floor_ms: float | None = None,
    floor_pct: float | None = None,
    pins: tuple[str, ...] = (),
    names: tuple[str, ...] = (),
    generated_at: str,
) -> Comparison:
    """Load or measure every side and compare them."""
    from echolot_tui.compare.compare import compare_sides  # noqa: PLC0415 - not for --help
    from echolot_tui.compare.inputs import CompareOptions  # noqa: PLC0415
    from echolot_tui.headless.sides import load_side  # noqa: PLC0415
    from echolot_tui.project.model import CompareBlock, Instrumentation  # noqa: PLC0415

    config = project.loaded.config if project.loaded else None
    block = config.compare if config else CompareBlock()
    loaded = [load_side(side, "", project, flags) for side in sides]
    return compare_sides(
        loaded,
        CompareOptions(
            floor_ms=block.floor_ms if floor_ms is None else floor_ms,
            floor_pct=block.floor_pct if floor_pct is None else floor_pct,
            pinned=(*block.pinned, *pins),
            temp_prefix=(config.instrumentation if config else Instrumentation()).temp_prefix,
            names=names,
            generated_at=generated_at,
        ),
    )


def save(comparison: Comparison, data: bytes, folder: Path) -> None:
    """Write ``comparison.json`` and ``comparison.md``."""
    from echolot_tui.present.comparison_markdown import comparison_markdown  # noqa: PLC0415 - only when writing
    from echolot_tui.project.files import write_atomic  # noqa: PLC0415

    for name, content in (
        ("comparison.md", comparison_markdown(comparison).encode()),
        ("comparison.json", data),
    ):
        write_atomic(folder / name, content)
        talk.wrote(folder / name)


def _project(flags: Flags) -> Project:
    """The project; a config nobody named that does not load costs the writing, not the comparison."""
    from echolot_tui.errors import ConfigError  # noqa: PLC0415
    from echolot_tui.project.scenario import Scenario  # noqa: PLC0415

    try:
        return open_project(flags)
    except ConfigError as error:
        if flags.config or flags.local or flags.scenario:
            raise
        talk.warn(f"{error.sentence}; the comparison is printed, nothing is written")
        scenario = Scenario(name="run", process=flags.process, start=flags.start, end=flags.end)
        return Project(loaded=None, scenario=scenario)


def _with_latest(sides: tuple[str, ...], project: Project) -> tuple[str, ...]:
    if len(sides) > 1:
        return sides
    if not sides:
        raise EcholotError(
            "a comparison needs two sides", todo="name two reports, folders of traces, or quoted globs"
        )
    folder = project.layout.out(project.scenario) if project.layout else None
    if folder is None or not (folder / "report.json").is_file():
        raise EcholotError(
            "only one side was named and the project has no latest report to compare it with",
            todo="name two sides, or run echolot analyze first",
        )
    return (*sides, str(folder / "report.json"))
