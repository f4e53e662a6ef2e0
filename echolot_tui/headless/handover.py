"""How a verb hands over to the full-screen app, without knowing it."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any, Protocol

import click

from echolot_tui.headless.diagnostics import talk

if TYPE_CHECKING:
    from echolot_tui.present.opening import Opening

CONFIG_FLAGS = frozenset({"config", "local", "scenario"})


class Screens(Protocol):
    """The app, as far as verbs see it; the entry point passes it in."""

    def refusal(self) -> str | None:
        """Why it cannot run on this terminal; ``None`` when it can."""

    def terminal(self) -> str:
        """What this terminal can do and what follows from it, in one line.

        Raises:
            EcholotError: A variable that sets it has a value that means nothing.
        """

    def open(self, opening: Opening) -> int:
        """Run it; the exit code."""


def screens_of(obj: dict[str, Any], *, wanted: bool) -> Screens | None:
    """The app where it can run; ``None``, and a note to who ``wanted`` it, where not."""
    screens: Screens | None = None if obj.get("headless") else obj.get("screens")
    refusal = "--headless was given" if screens is None else screens.refusal()
    if refusal is None:
        return screens
    if wanted:
        talk.note(f"{refusal}, so this is the printed view")
    return None


def flags_given(
    ctx: click.Context, *, only: Collection[str] = (), without: Collection[str] = ()
) -> tuple[str, ...]:
    """The verb's options as they were typed, to run it again."""
    again: list[str] = []
    for param in ctx.command.params:
        name = param.name or ""
        typed = ctx.get_parameter_source(name) == click.core.ParameterSource.COMMANDLINE
        if not typed or not param.expose_value:  # such a one is an option of the root's: see root_flags
            continue
        if isinstance(param, click.Option) and name not in without and (not only or name in only):
            again += _option(param, ctx.params[name])
    return tuple(again)


def root_flags(obj: dict[str, Any]) -> tuple[str, ...]:
    """Options in front of the verb, to run another one in the same way."""
    return ("--tp-binary", obj["tp_binary"]) if obj.get("tp_binary") else ()


def _option(param: click.Option, value: Any) -> list[str]:
    if param.is_flag:
        return [param.opts[0]]
    values = value if param.multiple else [value]
    return [part for one in values for part in (param.opts[0], str(one))]
