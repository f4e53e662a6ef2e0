"""``echolot profile``: which functions grew between two sets of profiles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from echolot_tui.errors import EcholotError
from echolot_tui.headless import options, output
from echolot_tui.headless.diagnostics import talk
from echolot_tui.headless.handover import CONFIG_FLAGS, flags_given, root_flags, screens_of
from echolot_tui.headless.setup import Flags, open_project

if TYPE_CHECKING:
    from pathlib import Path

    from echolot_tui.headless.setup import Project
    from echolot_tui.present.opening import Opening
    from echolot_tui.profiles.model import ProfileDiff
    from echolot_tui.profiles.stacks import Selection

_OF_THE_SCREEN = {"out", "no_write", "as_json", "tui", "top"}


@click.command("profile")
@click.argument("before")
@click.argument("after")
@options.config_flags
@options.window_flags
@click.option("--thread", metavar="GLOB", help="Only samples of these threads; main is the main thread.")
@click.option("--between", metavar="MS,MS", help="Only this part of each run, from its first sample.")
@click.option(
    "--control", metavar="RUNS", help="More runs of the build before: how far unchanged code strays."
)
@click.option("--absolute", is_flag=True, help="Read findings from amounts instead of shares.")
@click.option(
    "--bins",
    "bin_ms",
    type=options.FiniteNumber(min=0),
    metavar="MS",
    help="Cut runs into bins and judge those; 0 never  [1000 when a side has under four runs]",
)
@click.option(
    "--min-samples",
    type=options.FiniteNumber(min=0),
    metavar="N",
    help="Fold frames with fewer into their callers  [10]",
)
@click.option("--no-modules", is_flag=True, help="Leave the file out of a frame's name.")
@click.option(
    "--buckets",
    type=click.Choice(("auto",)),
    help="Choose parts of the tree whose deltas add up to the whole.",
)
@click.option(
    "--split-at",
    "boundary_ms",
    type=options.FiniteNumber(min=0, min_open=True),
    metavar="MS",
    help="Where early ends inside a run  [its middle]",
)
@click.option("--names", metavar="A,B", help="What to call the sides.")
@click.option("--top", type=click.IntRange(min=1), metavar="N", help="At most this many rows of the tree.")
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
    before: str,
    after: str,
    thread: str | None,
    between: str | None,
    control: str | None,
    absolute: bool,
    bin_ms: float | None,
    min_samples: float | None,
    no_modules: bool,
    buckets: str | None,
    boundary_ms: float | None,
    names: str | None,
    top: int | None,
    out: str | None,
    no_write: bool,
    as_json: bool,
    tui: bool,
    **given: Any,
) -> int:
    """Lay the stacks of two sets of runs over each other: which functions grew, and is it more than noise?

    Each side is a file, a folder or a quoted glob of traces with callstack samples, perf data or script,
    pprof, collapsed stacks, Firefox, Chrome or speedscope profiles. A trace without samples is compared by
    its nested slices. With a config or -o it writes profile.json, profile.md and flame.svg.
    """
    screens = screens_of(obj, wanted=True) if tui else None
    if screens is not None:
        return screens.open(_opening(obj, (before, after), out))
    from echolot_tui.headless.mapping import with_names  # noqa: PLC0415 - numpy, not for --help
    from echolot_tui.headless.profiling import read_side  # noqa: PLC0415
    from echolot_tui.headless.setup import engine_choice  # noqa: PLC0415
    from echolot_tui.present.profile_text import profile_lines  # noqa: PLC0415
    from echolot_tui.profiles.codec import encode_profile  # noqa: PLC0415
    from echolot_tui.profiles.diff import compare_profiles  # noqa: PLC0415
    from echolot_tui.profiles.sides import ProfileOptions  # noqa: PLC0415

    flags = Flags(tp_binary=obj["tp_binary"], **given)
    project = open_project(flags)
    choice = with_names(project, engine_choice(flags, project))
    selections = _selections(flags, project, thread, _between(between))
    called = _names(names)
    sides = [
        read_side(one, name, *selections, choice, jobs=flags.jobs)
        for one, name in zip(
            (before, after, *([control] if control else [])), (*called, "control"), strict=False
        )
    ]
    profile = compare_profiles(
        sides[0],
        sides[1],
        ProfileOptions(
            absolute=absolute,
            bin_ms=bin_ms,
            count_floor=min_samples,
            modules=not no_modules,
            boundary_ms=boundary_ms,
            buckets=buckets is not None,
        ),
        control=sides[2] if control else None,
    )
    data = encode_profile(profile)
    folder = None if no_write else project.output_folder(out)
    if folder is not None:
        save(profile, folder)
    elif not no_write:
        talk.note("no config and no -o: nothing is written")
    if as_json:
        output.write_bytes(data)
    else:
        output.write_lines(profile_lines(profile, output.width(), top=top))
    return 0


def _opening(obj: dict[str, Any], sides: tuple[str, str], out: str | None) -> Opening:
    """The screen, which runs this verb again for its model."""
    from echolot_tui.present.opening import Opening  # noqa: PLC0415 - not for --help

    ctx = click.get_current_context()
    return Opening(
        screen="profile",
        sides=sides,
        folder=out,
        flags=flags_given(ctx, without=_OF_THE_SCREEN | CONFIG_FLAGS),
        config_flags=flags_given(ctx, only=CONFIG_FLAGS),
        root_flags=root_flags(obj),
    )


def save(profile: ProfileDiff, folder: Path) -> None:
    """Write every file of it, the model last."""
    from echolot_tui.present.profile_files import profile_files  # noqa: PLC0415 - only when writing
    from echolot_tui.project.files import write_atomic  # noqa: PLC0415

    for name, content in profile_files(profile).items():
        write_atomic(folder / name, content)
        talk.wrote(folder / name)


def _selections(
    flags: Flags, project: Project, thread: str | None, part: tuple[float | None, float | None]
) -> tuple[Selection, Selection]:
    """Which samples count in traces, where a scenario's process and window apply, and in other files."""
    from echolot_tui.profiles.stacks import Selection  # noqa: PLC0415 - numpy, not for --help

    scenario = project.scenario
    traces = Selection(
        process=scenario.process,
        thread=thread,
        start=scenario.start,
        end=scenario.end,
        from_ms=part[0],
        to_ms=part[1],
    )
    others = Selection(
        process=flags.process, thread=thread, start=flags.start, end=flags.end, from_ms=part[0], to_ms=part[1]
    )
    return traces, others


def _between(given: str | None) -> tuple[float | None, float | None]:
    if given is None:
        return None, None
    first, comma, last = given.partition(",")
    try:
        low, high = (float(part) if part.strip() else None for part in (first, last))
    except ValueError:
        comma = ""
        low = high = None
    if not comma or (low is not None and high is not None and low >= high):
        raise EcholotError(f'--between "{given}" is not two growing numbers', todo="write --between 500,1500")
    return low, high


def _names(given: str | None) -> tuple[str, str]:
    if given is None:
        return "before", "after"
    first, comma, second = given.partition(",")
    if not (comma and first.strip() and second.strip()):
        raise EcholotError(f'--names "{given}" is not two names', todo="write --names old,new")
    return first.strip(), second.strip()
