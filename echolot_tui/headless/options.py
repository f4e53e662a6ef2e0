"""Flags that several verbs share, declared once."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])
C = TypeVar("C", bound=click.Command)


class FiniteNumber(click.FloatRange):
    """A number of at least ``min``; ``nan`` and ``inf``, which Python also reads as numbers, are none."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number."""
        number: float = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{number} is not a finite number.", param, ctx)
        return number


def _all(*options: Callable[[F], F]) -> Callable[[F], F]:
    def decorate(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


config_flags = _all(
    click.option("-c", "--config", metavar="FILE", help="Config; else echolot.yml here or above."),
    click.option("--local", metavar="FILE", help="Overlay; else local.yml beside the config."),
    click.option("--scenario", metavar="NAME", help="Which scenario of the config."),
)

window_flags = _all(
    click.option("--process", metavar="GLOB", help="Process name, or pid:N."),
    click.option("--start", metavar="GLOB", help="Slice the window starts with."),
    click.option("--end", metavar="GLOB", help="Slice whose end closes the window."),
)

threshold_flags = _all(
    click.option(
        "--set", "overrides", metavar="D.P=V", multiple=True, help="One threshold, for this run; repeatable."
    ),
    click.option("--defaults", is_flag=True, help="Leave the config's thresholds and switches out."),
)

root_flag = click.option("--root", metavar="DIR", default=".", show_default=True, help="The checkout.")

jobs_flag = click.option(
    "--jobs", type=click.IntRange(min=1), metavar="N", help="Worker processes; as many as cores."
)

out_flag = click.option("-o", "--out", metavar="DIR", help="Where to write; from the config's folder.")

json_flag = click.option("--json", "as_json", is_flag=True, help="Print the model as JSON.")

tui_flag = click.option("--tui", is_flag=True, help="Open it in the full-screen app.")


def with_engine_flag(command: C) -> C:
    """Let ``--tp-binary`` stand behind the verb as well as in front of it; the last one counts."""
    if isinstance(command, click.Group):
        for inner in command.commands.values():
            with_engine_flag(inner)
    if all("--tp-binary" not in param.opts for param in command.params):
        command.params.append(
            click.Option(
                ["--tp-binary"], metavar="PATH", expose_value=False, hidden=True, callback=_take_engine
            )
        )
    return command


def _take_engine(ctx: click.Context, _: click.Parameter, value: str | None) -> None:
    if value is not None:
        ctx.obj["tp_binary"] = value
