"""``echolot watch``: a report that follows a folder some other tool fills."""

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
    from echolot_tui.collect.watch import FolderChange
    from echolot_tui.compare.inputs import SideInput
    from echolot_tui.compare.model import Comparison
    from echolot_tui.headless.pipeline import Analysis

INTERRUPTED = 130

_OF_THE_SCREEN = {"out", "as_json", "once", "tui"}


@click.command("watch")
@click.argument("folder", metavar="DIR")
@options.config_flags
@options.window_flags
@options.threshold_flags
@click.option("--against", metavar="SIDE", help="Compare with this: a report, a trace, a glob, a folder.")
@click.option(
    "--last", type=click.IntRange(min=1), metavar="N", help="Newest traces that make the set  [100]"
)
@click.option("--poll", is_flag=True, help="Look every second instead of waiting for events.")
@click.option("--once", is_flag=True, help="End when everything there is complete and measured.")
@options.out_flag
@options.jobs_flag
@options.json_flag
@options.tui_flag
@click.pass_obj
def command(
    obj: dict[str, Any],
    /,
    *,
    folder: str,
    against: str | None,
    last: int | None,
    poll: bool,
    once: bool,
    out: str | None,
    as_json: bool,
    tui: bool,
    **given: Any,
) -> int:
    """Follow DIR: measure each trace when it is complete, keep report and comparison up to date.

    Prints one line an update, with --json one JSON object. With a config or -o it writes the files
    analyze and compare write.
    """
    from echolot_tui.collect import watch as core  # noqa: PLC0415 - not for --help
    from echolot_tui.collect.waiting import Polling, waiter_for  # noqa: PLC0415
    from echolot_tui.headless import hunting  # noqa: PLC0415
    from echolot_tui.headless.sides import load_side  # noqa: PLC0415
    from echolot_tui.present.opening import Opening  # noqa: PLC0415

    screens = screens_of(obj, wanted=True) if tui else None
    if screens is not None:
        ctx = click.get_current_context()
        return screens.open(
            Opening(
                screen="watch",
                watched=folder,
                flags=flags_given(ctx, without=_OF_THE_SCREEN),
                config_flags=flags_given(ctx, only=CONFIG_FLAGS),
                root_flags=root_flags(obj),
            )
        )
    flags = Flags(tp_binary=obj["tp_binary"], **given)
    with hunting.beside(hunting.layout_of(flags.config)) as store:
        project = open_project(flags, preferred=hunting.scenario_of(store, flags))
    place = Path(folder)
    if not place.is_dir():
        raise core.WatchError("there is no such folder", where=folder, todo="make it, or name another")
    update = _Update(
        project,
        flags,
        place,
        against=load_side(against, "", project, flags) if against is not None else None,
        out=project.output_folder(out),
        as_json=as_json,
    )
    watched = core.Folder(place, latest=last or core.LATEST)
    try:
        with waiter_for(place, poll=poll) as waiter:
            if isinstance(waiter, Polling) and not poll:
                talk.note("no events come from this folder: it is looked at every second")
            for change in core.changes(watched, waiter, once=once):
                update.take(change)
    except KeyboardInterrupt:
        talk.note(f"no longer watching {folder}")
        return INTERRUPTED
    if not update.seen:
        raise core.WatchError(
            "the folder holds no traces", where=folder, todo="leave --once out to wait for some"
        )
    return 0


class _Update:
    """Report and comparison of what the folder holds, made anew at each change."""

    def __init__(
        self,
        project: Project,
        flags: Flags,
        folder: Path,
        *,
        against: SideInput | None,
        out: Path | None,
        as_json: bool,
    ) -> None:
        self._project = project
        self._flags = flags
        self._folder = folder
        self._against = against
        self._out = out
        self._as_json = as_json
        self.seen = False

    def take(self, change: FolderChange) -> None:
        """Measure what is new; a set nothing can be measured of is said, and watching goes on."""
        self.seen = True
        for what, names in (("new", change.new), ("replaced", change.replaced), ("gone", change.gone)):
            for name in names[:_SHOWN]:
                talk.note(f"{what}: {name}")
            if len(names) > _SHOWN:
                talk.note(f"{what}: {len(names) - _SHOWN} more")
        analysis, comparison, problem = None, None, None
        try:
            if not change.traces:
                raise EcholotError(
                    "the folder holds no traces any more", todo="the last report stays until there are some"
                )
            analysis = self._analyze(change)
            comparison = self._compare(analysis)
        except EcholotError as error:
            talk.error(error)
            problem = error.sentence
        self._print(change, analysis, comparison, problem)

    def _analyze(self, change: FolderChange) -> Analysis:
        from echolot_tui.headless import pipeline  # noqa: PLC0415 - numpy and the engine, not for --help
        from echolot_tui.measure.inputs import TracesInput  # noqa: PLC0415
        from echolot_tui.present.report_markdown import report_markdown  # noqa: PLC0415

        if change.older:
            talk.note(f"{change.older} older traces are not in the set")
        traces = TracesInput(given=str(self._folder), paths=tuple(map(Path, change.traces)))
        analysis = pipeline.analyze(traces, self._project, self._flags)
        if self._out is not None:
            pipeline.save(analysis, self._out, report_markdown(analysis.report))
        return analysis

    def _compare(self, analysis: Analysis) -> Comparison | None:
        if self._against is None:
            return None
        from echolot_tui.compare.codec import encode_comparison  # noqa: PLC0415 - not for --help
        from echolot_tui.compare.compare import compare_reports  # noqa: PLC0415
        from echolot_tui.compare.inputs import SideInput  # noqa: PLC0415
        from echolot_tui.headless.clock import now  # noqa: PLC0415
        from echolot_tui.headless.comparing import options_of  # noqa: PLC0415
        from echolot_tui.headless.verbs import compare  # noqa: PLC0415

        after = SideInput(name="", path=str(self._folder), report=analysis.report, all_rows=analysis.rows)
        comparison = compare_reports(self._against, after, options_of(self._project, generated_at=now()))
        if self._out is not None:
            compare.save(comparison, encode_comparison(comparison), self._out)
        return comparison

    def _print(
        self,
        change: FolderChange,
        analysis: Analysis | None,
        comparison: Comparison | None,
        problem: str | None,
    ) -> None:
        from echolot_tui.headless.watch_lines import update_line, update_of  # noqa: PLC0415 - not for --help

        update = update_of(change, analysis.report if analysis else None, comparison, problem)
        if self._as_json:
            from echolot_tui.report.codec import encode_json  # noqa: PLC0415 - not for --help

            output.write_bytes(encode_json(update))
        else:
            output.write(update_line(update))
            output.flush()


_SHOWN = 5
"""Names of files that are told one by one."""
