"""``echolot hunt``: investigations, from the question to the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from echolot_tui.errors import EcholotError
from echolot_tui.headless import options, output
from echolot_tui.headless.diagnostics import talk
from echolot_tui.headless.handover import CONFIG_FLAGS, flags_given, root_flags, screens_of
from echolot_tui.headless.setup import Flags, open_project

if TYPE_CHECKING:
    from echolot_tui.investigate.model import Hunt
    from echolot_tui.investigate.store import Store

_CURRENT = ""
"""``--resume`` without a hunt means the current one."""


@click.command("hunt")
@click.argument("question", nargs=-1, metavar="[QUESTION]...")
@click.option("--since", metavar="CHANGE", help="The change a new question is about.")
@click.option("--list", "listed", is_flag=True, help="All hunts, newest first.")
@click.option("--show", metavar="N|WORDS", help="One hunt, whole.")
@click.option(
    "--resume",
    is_flag=False,
    flag_value=_CURRENT,
    metavar="[N|WORDS]",
    help="Go on with a hunt: it becomes the current one.",
)
@click.option("--done", metavar="TEXT", help="Conclude the current hunt with this answer.")
@click.option("--abandon", is_flag=True, help="Close the current hunt without an answer.")
@click.option("--reopen", metavar="N|WORDS", help="Open a closed hunt again.")
@click.option("--journal", is_flag=True, help="Every transition of the hunt; with --list of all.")
@options.config_flags
@options.json_flag
@options.tui_flag
@click.pass_obj
def command(
    obj: dict[str, Any],
    /,
    *,
    question: tuple[str, ...],
    since: str | None,
    listed: bool,
    show: str | None,
    resume: str | None,
    done: str | None,
    abandon: bool,
    reopen: str | None,
    journal: bool,
    as_json: bool,
    tui: bool,
    **given: Any,
) -> int:
    """Open a hunt with QUESTION; without one, show where the current hunt stands.

    Several hunts may be open; collect, analyze and compare work in the current one.
    """
    from echolot_tui.headless import hunting  # noqa: PLC0415 - not for --help

    flags = Flags(**given)
    asked = " ".join(question)
    _one_thing(
        {
            "a question": bool(question),
            "--list": listed,
            "--show": show is not None,
            "--resume": resume is not None,
            "--done": done is not None,
            "--abandon": abandon,
            "--reopen": reopen is not None,
        }
    )
    _since_what(since, question)
    _a_question(asked.strip())
    with hunting.opened(flags) as store:
        if listed:
            return _journal(store, None, as_json=as_json) if journal else _list(store, as_json=as_json)
        if question:
            hunt = hunting.open_hunt(store, open_project(flags), asked, since)
        elif resume is not None:
            hunt = store.hunts.choose(hunting.named(store, resume or None).n)
        elif done is not None:
            hunt = store.hunts.conclude(hunting.named(store, None).n, done)
        elif abandon:
            hunt = store.hunts.abandon(hunting.named(store, None).n)
        elif reopen is not None:
            hunt = store.hunts.reopen(hunting.named(store, reopen).n)
        elif show is not None:
            hunt = hunting.named(store, show)
        else:
            hunt = hunting.current_or_last(store)
        if journal:
            return _journal(store, hunt.n, as_json=as_json)
        if not tui:
            return _show(store, flags, hunt, as_json=as_json)
    return _open(obj, flags, hunt)


def _open(obj: dict[str, Any], flags: Flags, hunt: Hunt) -> int:
    """Home at this hunt, where the app can run."""
    from echolot_tui.headless import hunting  # noqa: PLC0415 - not for --help
    from echolot_tui.present.opening import Opening  # noqa: PLC0415

    screens = screens_of(obj, wanted=True)
    if screens is None:
        with hunting.opened(flags) as store:
            return _show(store, flags, hunt, as_json=False)
    config_flags = flags_given(click.get_current_context(), only=CONFIG_FLAGS)
    return screens.open(Opening(hunt=hunt.n, config_flags=config_flags, root_flags=root_flags(obj)))


def _since_what(since: str | None, question: tuple[str, ...]) -> None:
    if since is not None and not question:
        raise EcholotError("--since belongs to a new question", todo="name the question as well")


def _a_question(asked: str) -> None:
    if asked.isdecimal():
        raise EcholotError(
            f"{asked} is no question",
            todo=f"--show {asked} shows that hunt, --resume {asked} goes on with it",
        )


def _one_thing(asked: dict[str, bool]) -> None:
    names = [name for name, is_asked in asked.items() if is_asked]
    if len(names) > 1:
        raise EcholotError(f"{' and '.join(names)} are two things", todo="ask for one at a time")


def _show(store: Store, flags: Flags, hunt: Hunt, *, as_json: bool) -> int:
    from echolot_tui.headless.clock import now  # noqa: PLC0415
    from echolot_tui.headless.hunting import config_of  # noqa: PLC0415
    from echolot_tui.headless.marking import left_over  # noqa: PLC0415
    from echolot_tui.investigate.view import hunt_view  # noqa: PLC0415
    from echolot_tui.present.hunt_text import hunt_lines  # noqa: PLC0415

    at = now()
    config = config_of(flags)
    view = hunt_view(hunt, store.hunts.all(), store.layout, config, at)
    if as_json:
        output.write_json(view)
    else:
        output.write_lines(hunt_lines(view, at, output.width()))
        left = left_over(config) if hunt.current and config is not None else None
        if left is not None:
            talk.warn(left)
    return 0


def _list(store: Store, *, as_json: bool) -> int:
    from echolot_tui.headless.clock import now  # noqa: PLC0415
    from echolot_tui.present.hunt_text import hunts_lines  # noqa: PLC0415

    hunts = sorted(store.hunts.all(), key=lambda hunt: -hunt.n)
    if as_json:
        output.write_json(hunts)
    elif hunts:
        output.write_lines(hunts_lines(hunts, now(), output.width()))
    else:
        talk.note('there is no hunt yet; echolot hunt "QUESTION" opens one')
    return 0


def _journal(store: Store, hunt: int | None, *, as_json: bool) -> int:
    from echolot_tui.present.hunt_text import journal_lines  # noqa: PLC0415

    lines = store.journal(hunt)
    if as_json:
        output.write_json(lines)
    else:
        output.write_lines(journal_lines(lines, output.width()))
    return 0
