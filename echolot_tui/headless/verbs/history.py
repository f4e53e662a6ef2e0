"""``echolot history``: did a level move over the commits, and where."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from echolot_tui.headless import options, output
from echolot_tui.headless.diagnostics import talk
from echolot_tui.text import visible

if TYPE_CHECKING:
    from echolot_tui.headless.history_store import Added, Where
    from echolot_tui.history.analysis import Asked
    from echolot_tui.history.model import HistoryReport
    from echolot_tui.history.select import Filters
    from echolot_tui.present.spans import Line

F = TypeVar("F", bound=Callable[..., Any])


@click.group("history", context_settings={"max_content_width": 100})
def command() -> None:
    """Series of reports over commits: what got worse, where, and what was not judged.

    Findings never change the exit code.
    """


def _all(*flags: Callable[[F], F]) -> Callable[[F], F]:
    def decorate(function: F) -> F:
        for flag in reversed(flags):
            function = flag(function)
        return function

    return decorate


store_flags = _all(
    click.option("-c", "--config", metavar="FILE", help="Config whose project is meant; else the one here."),
    click.option(
        "--store", metavar="FILE", help="The store; else .echolot/history.db of project or checkout."
    ),
)
filter_flags = _all(
    click.option("--scenario", metavar="NAME", help="Only sets of this scenario."),
    click.option("--machine", metavar="NAME", help="Only sets of this device or machine."),
    click.option("--engine", metavar="NAME", help="Only sets of this engine."),
)
base_flag = click.option("--base", metavar="REF", help="What it is a branch of  [the default branch]")
line_flags = _all(
    click.option("--context", metavar="REF", help="The analysed commit  [HEAD]"),
    base_flag,
    click.option(
        "--since", metavar="DATE", help="Oldest commit, or all  [half a year; all of a branch's base]"
    ),
    click.option(
        "--order", type=click.Choice(("git", "stored")), help="Order of commits  [git's, where it knows them]"
    ),
)
report_flags = _all(
    click.option("--verbose", is_flag=True, help="List every series with its gates."),
    click.option("--markdown", metavar="FILE", help="Write the report as Markdown too."),
    click.option("--summary", metavar="FILE", help="Write the ten largest findings as Markdown too."),
    options.jobs_flag,
    options.json_flag,
)
commit_flag = click.option("--commit", metavar="REF", help="At which commit  [HEAD]")
everything_flag = click.option("--all", "everything", is_flag=True, help="Every series.")


@command.command("add")
@click.argument("reports", nargs=-1, required=True, metavar="REPORT...")
@click.option("--commit", metavar="REF", help="What was measured  [HEAD]")
@click.option("--branch", metavar="NAME", help="On which branch  [the checked-out one]")
@click.option("--machine", metavar="NAME", help="Instead of the device model the traces name.")
@click.option("--dirty/--clean", default=None, help="Whether the tree had uncommitted changes  [git's word]")
@store_flags
@options.json_flag
def add(
    *,
    reports: tuple[str, ...],
    commit: str | None,
    branch: str | None,
    machine: str | None,
    dirty: bool | None,
    as_json: bool,
    **where: Any,
) -> int:
    """Put reports into the store: report.json files, or folders that hold one."""
    from echolot_tui.headless import history_store  # noqa: PLC0415 - numpy, not for --help

    added = history_store.add(
        _where(where), reports, commit=commit, branch=branch, dirty=dirty, machine=machine
    )
    return _show_added(added, as_json=as_json)


@command.command("import")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--commit", metavar="REF", help="Of all of it; else what each file or its name says.")
@click.option("--scenario", metavar="NAME", help="What to call it.")
@click.option("--machine", metavar="NAME", help="Instead of the machine the files name.")
@store_flags
@options.json_flag
def import_results(
    *,
    paths: tuple[str, ...],
    commit: str | None,
    scenario: str | None,
    machine: str | None,
    as_json: bool,
    **where: Any,
) -> int:
    """Put results into the store: files or folders of report.json, and the JSON of other tools.

    Known are pyperf, Google Benchmark, hyperfine, and Android's Macrobenchmark. A file belongs to the
    commit it names itself, or whose hash is in its name or its folder's; else its name is the commit,
    in natural order.
    """
    from echolot_tui.headless import history_store  # noqa: PLC0415 - numpy, not for --help

    added = history_store.import_results(
        _where(where), paths, commit=commit, scenario=scenario, machine=machine
    )
    return _show_added(added, as_json=as_json)


@command.command("analyze")
@line_flags
@filter_flags
@store_flags
@report_flags
def analyze(
    *,
    context: str | None,
    base: str | None,
    since: str | None,
    order: str | None,
    scenario: str | None,
    machine: str | None,
    engine: str | None,
    verbose: bool,
    jobs: int | None,
    **rest: Any,
) -> int:
    """Judge every series: steps and drifts along the base, or a branch's commit against its base.

    Which of the two follows from the commit: its own base's clean state is history, all else a branch.
    """
    from echolot_tui.headless.history_analysis import workers  # noqa: PLC0415 - not for --help
    from echolot_tui.headless.history_store import analyze_store  # noqa: PLC0415

    asked = _asked(context, base, since, order, _filters(scenario, machine, engine))
    where = _where({key: rest.pop(key) for key in ("store", "config")})
    return _show(analyze_store(where, asked, jobs=workers(jobs), every=verbose), **rest)


@command.command("examine")
@click.argument("name", metavar="SERIES")
@click.argument("metric", metavar="METRIC")
@click.option("--gates", is_flag=True, help="How it was judged, gate by gate.")
@line_flags
@filter_flags
@store_flags
@options.jobs_flag
@options.json_flag
def examine(
    *,
    name: str,
    metric: str,
    gates: bool,
    context: str | None,
    base: str | None,
    since: str | None,
    order: str | None,
    scenario: str | None,
    machine: str | None,
    engine: str | None,
    jobs: int | None,
    as_json: bool,
    **where: Any,
) -> int:
    """Every recorded value of one series, commit by commit, with a chart."""
    from echolot_tui.headless.history_analysis import workers  # noqa: PLC0415 - not for --help
    from echolot_tui.headless.history_store import examine_store  # noqa: PLC0415
    from echolot_tui.present.history_examine import examination_lines  # noqa: PLC0415

    asked = _asked(context, base, since, order, _filters(scenario, machine, engine))
    found = examine_store(_where(where), name, metric, asked, jobs=workers(jobs), gates=gates)
    return _show_lines(found, examination_lines(found, output.width()), as_json=as_json)


@command.command("bless")
@click.argument("prefixes", nargs=-1, metavar="[PREFIX]...")
@everything_flag
@commit_flag
@base_flag
@click.option("--reason", default="", metavar="TEXT", help="Why the change is meant.")
@filter_flags
@store_flags
@options.json_flag
def bless(
    *,
    prefixes: tuple[str, ...],
    everything: bool,
    commit: str | None,
    base: str | None,
    reason: str,
    scenario: str | None,
    machine: str | None,
    engine: str | None,
    as_json: bool,
    **where: Any,
) -> int:
    """Accept a change: series whose name begins with PREFIX are judged anew from the commit on."""
    from echolot_tui.headless.history_store import bless_store  # noqa: PLC0415 - not for --help
    from echolot_tui.present.history_examine import blessing_lines  # noqa: PLC0415

    filters = _filters(scenario, machine, engine)
    done = bless_store(
        _where(where),
        prefixes,
        everything=everything,
        commit=commit,
        base=base,
        filters=filters,
        reason=reason,
    )
    for warning in done.warnings:
        talk.warn(warning)
    return _show_lines(done, blessing_lines(done.blessings, output.width()), as_json=as_json)


@command.command("unbless")
@click.argument("prefixes", nargs=-1, metavar="[PREFIX]...")
@everything_flag
@commit_flag
@filter_flags
@store_flags
@options.json_flag
def unbless(
    *,
    prefixes: tuple[str, ...],
    everything: bool,
    commit: str | None,
    scenario: str | None,
    machine: str | None,
    engine: str | None,
    as_json: bool,
    **where: Any,
) -> int:
    """Take back the blessings of these prefixes at one commit."""
    from echolot_tui.headless.history_store import unbless_store  # noqa: PLC0415 - not for --help
    from echolot_tui.present.numbers import plural  # noqa: PLC0415

    filters = _filters(scenario, machine, engine)
    gone = unbless_store(_where(where), prefixes, everything=everything, commit=commit, filters=filters)
    if as_json:
        _write_json({"taken_back": gone})
    else:
        output.write(f"{plural(gone, 'blessing')} taken back")
    return 0


@command.command("blessings")
@filter_flags
@store_flags
@options.json_flag
def list_blessings(
    *, scenario: str | None, machine: str | None, engine: str | None, as_json: bool, **where: Any
) -> int:
    """List the blessings in force."""
    from echolot_tui.headless.history_store import blessings  # noqa: PLC0415 - not for --help
    from echolot_tui.present.history_examine import blessing_lines  # noqa: PLC0415

    found = blessings(_where(where), _filters(scenario, machine, engine))
    return _show_lines(found, blessing_lines(found, output.width()), as_json=as_json)


@command.command("judge")
@click.argument("file", metavar="FILE")
@click.option("--branch", is_flag=True, help="The last value is a branch's, those before it are its base.")
@report_flags
def judge(*, file: str, branch: bool, verbose: bool, jobs: int | None, **rest: Any) -> int:
    """Judge any series: FILE holds {"series": [{"name", "unit", "values"}]}, oldest value first.

    A value is a number, the list of its runs, or null where nothing was measured. - reads stdin.
    """
    from echolot_tui.headless.history_analysis import judge_file  # noqa: PLC0415 - numpy, not for --help

    return _show(judge_file(file, newest_is_branch=branch, jobs=jobs, every=verbose), **rest)


def _show_lines(model: object, lines: Sequence[Line], *, as_json: bool) -> int:
    """The model itself, or the lines that say it."""
    if as_json:
        _write_json(model)
    else:
        output.write_lines(lines)
    return 0


def _where(given: dict[str, Any]) -> Where:
    from echolot_tui.headless.history_store import Where  # noqa: PLC0415 - not for --help

    return Where(**given)


def _filters(scenario: str | None, machine: str | None, engine: str | None) -> Filters:
    from echolot_tui.history.select import Filters  # noqa: PLC0415 - not for --help

    return Filters(scenario=scenario, machine=machine, engine=engine)


def _asked(
    context: str | None, base: str | None, since: str | None, order: str | None, filters: Filters
) -> Asked:
    import msgspec  # noqa: PLC0415 - not for --help

    from echolot_tui.history.analysis import Asked  # noqa: PLC0415

    given = {"context": context, "base": base, "since": since, "order": order}
    return msgspec.structs.replace(msgspec.convert(given, Asked), filters=filters)


def _show(report: HistoryReport, *, as_json: bool, markdown: str | None, summary: str | None) -> int:
    from echolot_tui.history.codec import encode_history  # noqa: PLC0415 - not for --help
    from echolot_tui.present.history_markdown import SUMMARY, history_markdown  # noqa: PLC0415
    from echolot_tui.present.history_text import history_lines  # noqa: PLC0415

    for path, most in ((markdown, None), (summary, SUMMARY)):
        if path is not None:
            _write_file(Path(path), history_markdown(report, most=most))
    if as_json:
        output.write_bytes(encode_history(report))
    else:
        output.write_lines(history_lines(report, output.width()))
    return 0


def _show_added(added: list[Added], *, as_json: bool) -> int:
    if as_json:
        _write_json(added)
        return 0
    for each in added:
        tree = " (dirty)" if each.dirty else ""
        kept = f"{each.points} values" if each.added else "was there already"
        output.write(visible(f"{each.commit[:40]}{tree}  {each.path}  {kept}"))
    return 0


def _write_json(value: object) -> None:
    import msgspec  # noqa: PLC0415 - not for --help

    from echolot_tui.report.codec import encode_json  # noqa: PLC0415

    output.write_bytes(msgspec.json.format(encode_json(value), indent=2))


def _write_file(path: Path, text: str) -> None:
    from echolot_tui.project.files import write_atomic  # noqa: PLC0415 - not for --help

    write_atomic(path, text.encode())
    talk.wrote(path)
