"""``echolot compare``: what moved between sets, and whether the move is real."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from echolot_tui.errors import EcholotError
from echolot_tui.headless import options, output
from echolot_tui.headless.diagnostics import talk
from echolot_tui.headless.handover import CONFIG_FLAGS, flags_given, root_flags, screens_of
from echolot_tui.headless.setup import Flags, Project, open_project

if TYPE_CHECKING:
    from echolot_tui.compare.model import Comparison
    from echolot_tui.compare.view import ViewOptions
    from echolot_tui.present.opening import Opening
DIRECTIONS = ("both", "slower", "faster")
VERDICTS = ("slower", "faster", "new", "gone", "can't tell", "no change")
SORTS = ("move", "ratio", "share", "verdict", "name", "detector")
IMPACTS = ("any", "noticeable", "large")

_OF_THE_SCREEN = {"names", "out", "no_write", "as_json", "tui", "wanted"}
_OF_THE_VIEW = {"direction", "verdicts", "detectors", "min_impact", "grep", "sort", "top"}


@click.command("compare")
@click.argument("sides", nargs=-1, metavar="BEFORE AFTER [MORE]...")
@options.config_flags
@options.window_flags
@options.threshold_flags
@click.option("--hunt", "wanted", metavar="N|WORDS", help="The first and the last report of this hunt.")
@click.option("--names", metavar="A,B", help="What to call the sides.")
@click.option(
    "--floor-ms",
    type=options.FiniteNumber(min=0),
    metavar="MS",
    help="Least move that counts  [5]",
)
@click.option(
    "--floor-pct",
    type=options.FiniteNumber(min=0),
    metavar="PCT",
    help="and its least share of the row  [10]",
)
@click.option(
    "--pin",
    "pins",
    multiple=True,
    metavar="GLOB",
    help="Decided on beforehand: judged by its own range.",
)
@click.option(
    "--direction",
    type=click.Choice(DIRECTIONS),
    default="both",
    metavar="WHICH",
    help="Only rows slower or faster after; or both.",
)
@click.option(
    "--only",
    "verdicts",
    multiple=True,
    type=click.Choice(VERDICTS),
    metavar="VERDICT",
    help="slower, faster, new, gone, can't tell, no change.",
)
@click.option(
    "--detector", "detectors", multiple=True, metavar="ID", help="Only rows of this detector; repeatable."
)
@click.option(
    "--min-impact",
    type=click.Choice(IMPACTS),
    default="any",
    metavar="STEP",
    help="any, noticeable or large: share of the window.",
)
@click.option("--grep", default="", metavar="TEXT", help="Only rows whose name holds this.")
@click.option(
    "--sort",
    type=click.Choice(SORTS),
    default="move",
    metavar="BY",
    help="Order: move, ratio, share, verdict, name, detector.",
)
@click.option("--top", type=click.IntRange(min=1), metavar="N", help="At most this many rows.")
@options.out_flag
@click.option("--no-write", is_flag=True, help="Print only; write no file.")
@options.jobs_flag
@options.json_flag
@options.tui_flag
@click.pass_obj
def command(
    obj: dict[str, Any],
    /,
    *,
    sides: tuple[str, ...],
    wanted: str | None,
    names: str | None,
    out: str | None,
    no_write: bool,
    as_json: bool,
    tui: bool,
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

    With none, the last two rounds of the current hunt. With one, it is compared with the project's
    latest report. More than two are each compared with the first. With a config or -o it writes
    comparison.json and comparison.md; with neither it prints the comparison and writes nothing.
    """
    import msgspec  # noqa: PLC0415 - not for --help

    from echolot_tui.compare.codec import encode_comparison  # noqa: PLC0415
    from echolot_tui.compare.view import ViewOptions  # noqa: PLC0415
    from echolot_tui.headless import hunting  # noqa: PLC0415
    from echolot_tui.headless.clock import now  # noqa: PLC0415
    from echolot_tui.present.comparison_text import comparison_lines  # noqa: PLC0415

    flags = Flags(tp_binary=obj["tp_binary"], **given)
    if wanted is not None and sides:
        raise EcholotError("--hunt and named sides are two comparisons", todo="leave one of them out")
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
    called = tuple(names.split(",")) if names else ()
    screens = screens_of(obj, wanted=True) if tui else None
    if screens is not None:
        return screens.open(_opening(obj, flags, sides, called, view, out))
    with hunting.beside(hunting.layout_of(flags.config)) as store:
        pair = None if sides else hunting.pair_to_compare(store, wanted)
        about = pair[0].scenario if pair else _scenario_of(sides, flags) or hunting.scenario_of(store, flags)
        project = _project(flags, about)
        if store is not None and pair is not None:
            sides = tuple(hunting.side_of(each, store.layout) for each in pair)
            called = called or hunting.names_of(pair)
        comparison = compare(
            _with_latest(sides, project),
            project,
            flags,
            floor_ms=floor_ms,
            floor_pct=floor_pct,
            pins=pins,
            names=called,
            generated_at=now(),
        )
        data = encode_comparison(comparison)
        folder = None if no_write else project.output_folder(out)
        if folder is not None:
            save(comparison, data, folder)
        elif not no_write:
            talk.note("no config and no -o: nothing is written")
        if store is not None and pair is not None:
            hunting.keep_comparison(store, pair, comparison, data)
    if as_json:
        output.write_bytes(data)
    else:
        output.write_lines(comparison_lines(comparison, view, output.width()))
    return 0


def _opening(  # noqa: PLR0917 - called once, with what the verb was given
    obj: dict[str, Any],
    flags: Flags,
    sides: tuple[str, ...],
    names: tuple[str, ...],
    view: ViewOptions,
    out: str | None,
) -> Opening:
    """The comparison's screen: it runs this verb again, with ``--json``."""
    from echolot_tui.present.opening import Opening  # noqa: PLC0415 - not for --help

    ctx = click.get_current_context()
    folder = _project(flags, _scenario_of(sides, flags)).output_folder(out)
    return Opening(
        screen="comparison",
        sides=sides,
        names=names,
        view=view,
        folder=None if folder is None else str(folder),
        flags=flags_given(ctx, without=_OF_THE_SCREEN | _OF_THE_VIEW),
        first_flags=flags_given(ctx, only={"wanted"}),
        config_flags=flags_given(ctx, only=CONFIG_FLAGS),
        root_flags=root_flags(obj),
    )


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

    if len(names) > len(sides):
        raise EcholotError(f"--names has {len(names)} names for {len(sides)} sides", todo="name one a side")
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


def _project(flags: Flags, preferred: str | None) -> Project:
    """The project; a config nobody named that does not load costs the writing, not the comparison."""
    from echolot_tui.errors import ConfigError  # noqa: PLC0415
    from echolot_tui.project.scenario import Scenario  # noqa: PLC0415

    try:
        return open_project(flags, preferred=preferred)
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
            "a comparison needs two sides",
            todo="name two reports, folders of traces, or quoted globs; inside a hunt its rounds are meant",
        )
    folder = project.layout.out(project.scenario) if project.layout else None
    if folder is None or not (folder / "report.json").is_file():
        raise EcholotError(
            "only one side was named and the project has no latest report to compare it with",
            todo="name two sides, or run echolot analyze first",
        )
    return (*sides, str(folder / "report.json"))


def _scenario_of(sides: tuple[str, ...], flags: Flags) -> str | None:
    """The scenario of the first side that is a report, where nobody named one and the config has several."""
    from echolot_tui.headless import hunting  # noqa: PLC0415 - not for --help
    from echolot_tui.measure.inputs import ReportInput, resolve_side  # noqa: PLC0415
    from echolot_tui.project.files import read_bytes  # noqa: PLC0415
    from echolot_tui.report.codec import decode_report  # noqa: PLC0415

    loaded = hunting.config_of(flags) if flags.scenario is None else None
    if loaded is None or len(loaded.config.scenarios or ()) < 2:
        return None
    for found in map(resolve_side, sides):
        if isinstance(found, ReportInput):
            return decode_report(read_bytes(found.path), where=str(found.path)).scenario
    return None
