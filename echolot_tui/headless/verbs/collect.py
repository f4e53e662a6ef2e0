"""``echolot collect``: record a set of traces, in a process of its own."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from echolot_tui.headless import options, output
from echolot_tui.headless.diagnostics import talk
from echolot_tui.headless.setup import Flags, Project, open_project

if TYPE_CHECKING:
    from echolot_tui.collect.files import CollectFiles
    from echolot_tui.collect.model import Arm, CollectOrder, Progress

INTERRUPTED = 130


@click.command("collect")
@options.config_flags
@click.option("-n", "--iterations", type=click.IntRange(min=1), metavar="N", help="Runs of the set.")
@click.option("--device", metavar="SERIAL", help="Device to record; else the single ready one.")
@click.option("-o", "--out", metavar="DIR", help="Where the newest set is shown  [.echolot/traces]")
@click.option("--label", metavar="TEXT", help="What to call the round.")
@click.option("--arm", "arms", multiple=True, metavar="NAME=CMD", help="Twice: record both, in random order.")
@click.option("--seed", type=int, metavar="N", help="Of that order; else drawn, and stored.")
@click.option("--until-settled", is_flag=True, help="Record until the rows that matter are settled.")
@click.option("--max", "most", type=click.IntRange(min=1), metavar="N", help="At most N runs a side.")
@click.option("--against", metavar="SIDE", help="What an unsettled set is compared with.")
@click.option("--resume", is_flag=True, help="Record what the last set lacks.")
@click.option("--detach", is_flag=True, help="Start it and return.")
@click.option("--attach", is_flag=True, help="Follow the collect in flight.")
@click.option(
    "--stop",
    is_flag=False,
    flag_value="after",
    type=click.Choice(["after", "now"]),
    help="End it after this run, or now.",
)
@click.option("--trust", is_flag=True, help="Confirm the config's commands without asking.")
@click.pass_obj
def command(obj: dict[str, Any], /, *, attach: bool, stop: str | None, detach: bool, **given: Any) -> int:
    """Record a set of traces and its report.

    Recording is a process of its own: it goes on when this command, the terminal or the connection
    ends. Prints one trace path a line.
    """
    from echolot_tui.headless import hunting  # noqa: PLC0415 - not for --help
    from echolot_tui.headless.collecting import files_of  # noqa: PLC0415

    shared = {key: given.pop(key) for key in ("config", "local", "scenario")}
    flags = Flags(tp_binary=obj["tp_binary"], **shared)
    with hunting.beside(hunting.layout_of(flags.config)) as store:
        project = open_project(flags, preferred=hunting.scenario_of(store, flags))
        hunting.warn_of_drift(store, project)
    files = files_of(project)
    if stop is not None:
        return _stop(files, now=stop == "now")
    if attach:
        return _follow(files, _in_flight(files).sets[0].collect)
    order = _order(project, flags, files, given)
    return _begin(order, files, detach=detach)


def _order(project: Project, flags: Flags, files: CollectFiles, given: dict[str, Any]) -> CollectOrder:
    """What to record, checked as far as it can be here; the config's commands are confirmed."""
    import secrets  # noqa: PLC0415 - not for --help

    from msgspec.structs import replace  # noqa: PLC0415

    from echolot_tui.collect.model import CollectOrder  # noqa: PLC0415
    from echolot_tui.collect.sets import SetFiles  # noqa: PLC0415
    from echolot_tui.headless.collecting import (  # noqa: PLC0415
        new_identity,
        new_sets,
        resumed_order,
        runners_of,
        until_of,
    )

    assert project.loaded is not None
    settings = project.scenario.runner
    if given["iterations"] is not None:
        if settings.mode == "gradle":
            talk.note("-n does not apply in mode gradle: the benchmark decides how many runs there are")
        settings = replace(settings, iterations=given["iterations"])
    if given["device"] is not None:
        settings = replace(settings, device=given["device"])
    arms = _arms(given["arms"])
    until = until_of(given["most"], given["against"], settings.iterations) if given["until_settled"] else None
    root = project.loaded.path.resolve().parent
    order = CollectOrder(
        collect=new_identity(),
        project=str(root),
        config=str(project.loaded.path.resolve()),
        local=str(project.loaded.local.resolve()) if project.loaded.local else None,
        scenario=project.scenario.name,
        settings=settings,
        arms=arms,
        seed=secrets.randbelow(2**31) if given["seed"] is None else given["seed"],
        until=until,
        resume=given["resume"],
        runs=given["iterations"],
        out=str(root / Path(given["out"]).expanduser()) if given["out"] else None,
        tp_binary=flags.tp_binary,
        label=given["label"],
    )
    _refuse_half_asked(order, given)
    if order.resume:
        sets = SetFiles(files.sets).latest(order.scenario)
        order = resumed_order(order, sets)
    else:
        sets = new_sets(order, project, files)
    runners_of(order, sets, project, files)
    _confirm(order, typed=arms, trusted=given["trust"])
    return order


def _arms(given: tuple[str, ...]) -> tuple[Arm, ...]:
    from echolot_tui.collect.model import Arm  # noqa: PLC0415 - not for --help
    from echolot_tui.collect.runner import CollectError  # noqa: PLC0415

    arms = []
    for text in given:
        name, equals, line = text.partition("=")
        if not (equals and name.strip() and line.strip()):
            raise CollectError(
                f'--arm "{text}" is not of the form NAME=COMMAND', todo='write --arm before="./app --old"'
            )
        arms.append(Arm(name=name.strip(), command=line.strip()))
    if arms and (len(arms) != 2 or arms[0].name == arms[1].name):
        raise CollectError(
            "--arm is given twice, with two names", todo="name the side before, then the side after"
        )
    return tuple(arms)


def _refuse_half_asked(order: CollectOrder, given: dict[str, Any]) -> None:
    from echolot_tui.collect.runner import CollectError  # noqa: PLC0415 - not for --help

    if order.resume and order.arms:
        raise CollectError("a resumed set keeps the arms it was begun with", todo="leave --arm out")
    if order.settings.mode == "gradle" and (order.arms or order.until is not None):
        raise CollectError(
            "a gradle task records all its runs at once, so "
            + ("two arms cannot take turns" if order.arms else "nobody can look between them"),
            todo="collect one build after the other, then echolot compare; or mode launch with --arm",
        )
    if order.until is None and (given["most"] is not None or given["against"] is not None):
        raise CollectError("--max and --against belong to --until-settled", todo="add it, or leave them out")
    if order.until is not None and not order.arms and order.until.against is None:
        raise CollectError(
            "--until-settled needs a side to compare with", todo="name it with --against, or give --arm twice"
        )
    if order.until is not None and order.arms and order.until.against is not None:
        raise CollectError("two arms are compared with each other", todo="leave --against out")


def _confirm(order: CollectOrder, *, typed: tuple[Arm, ...], trusted: bool) -> None:
    """Show the commands once and ask; what was typed on this command line needs no asking.

    Raises:
        CollectError: Nobody confirmed them.
    """
    from echolot_tui.collect.recipe import commands_of  # noqa: PLC0415 - not for --help
    from echolot_tui.collect.runner import CollectError  # noqa: PLC0415
    from echolot_tui.headless.collecting import trust  # noqa: PLC0415
    from echolot_tui.text import visible  # noqa: PLC0415

    root, known = Path(order.project), trust()
    if typed:
        known.give(root, [arm.command for arm in typed])
    asked = [arm.command for arm in order.arms] or list(commands_of(order.settings))
    if not asked or known.has(root, asked):
        return
    for line in asked:
        talk.note(f"{order.config} has this run here: {visible(line)}")
    if not trusted:
        if not sys.stdin.isatty():
            raise CollectError(
                "the config's commands were never confirmed on this machine, and nobody is there to ask",
                todo="read them and add --trust",
            )
        if not click.confirm("Run it?", err=True):
            raise CollectError(
                "the commands were not confirmed, so nothing was run", todo="start again to be asked again"
            )
    known.give(root, asked)


def _begin(order: CollectOrder, files: CollectFiles, *, detach: bool) -> int:
    import os  # noqa: PLC0415 - not for --help

    from echolot_tui.collect.detach import start  # noqa: PLC0415
    from echolot_tui.headless.collecting import PROCESS  # noqa: PLC0415

    pid = start(PROCESS, order, files, os.environ)
    if detach:
        talk.note(f"recording in process {pid}; echolot collect --attach follows it, --stop ends it")
        return 0
    return _follow(files, order.collect)


def _in_flight(files: CollectFiles) -> Progress:
    from echolot_tui.collect.progress import is_running, read_progress  # noqa: PLC0415 - not for --help
    from echolot_tui.collect.runner import CollectError  # noqa: PLC0415
    from echolot_tui.errors import FAILED  # noqa: PLC0415

    progress = read_progress(files.progress)
    if progress is None or not is_running(progress):
        raise CollectError(
            "no collect is running in this project",
            todo="echolot status tells how the last one ended; echolot collect starts one",
            exit_code=FAILED,
        )
    return progress


def _stop(files: CollectFiles, *, now: bool) -> int:
    from echolot_tui.collect.control import leave_request  # noqa: PLC0415 - not for --help
    from echolot_tui.collect.model import Request  # noqa: PLC0415

    collect = _in_flight(files).sets[0].collect
    leave_request(files.request, Request(collect=collect, stop="now" if now else "after run"))
    return _follow(files, collect, stopping=True)


def _follow(files: CollectFiles, collect: str, *, stopping: bool = False) -> int:
    """Show progress until the collect ends; ending this ends nothing."""
    from echolot_tui.collect.detach import follow  # noqa: PLC0415 - not for --help
    from echolot_tui.collect.runner import CollectError  # noqa: PLC0415
    from echolot_tui.headless.collect_lines import Teller  # noqa: PLC0415

    teller = Teller()
    last = None
    try:
        for last in follow(files, collect):
            teller.tell(last)
    except KeyboardInterrupt:
        talk.warn("recording goes on; echolot collect --attach follows it, --stop ends it")
        return INTERRUPTED
    finally:
        talk.done()
    assert last is not None
    for fact in last.facts:
        talk.note(fact)
    for note in last.notes:
        talk.warn(note)
    for trace in last.traces:
        output.write(trace)
    if last.error is not None and last.exit == CollectError("").exit_code:
        raise CollectError(last.error)
    if last.error is not None:
        talk.warn(f"{last.error}; {last.done} traces are kept, echolot collect --resume records the rest")
    return 0 if stopping else last.exit or 0
