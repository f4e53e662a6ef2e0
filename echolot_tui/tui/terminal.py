"""What this terminal can do, decided once: whether the app may run, colours, signs, mouse."""

from __future__ import annotations

import codecs
import locale
import os
import shutil
import sys
from collections.abc import Mapping
from typing import Final, Literal, Protocol, cast

from echolot_tui.errors import EcholotError
from echolot_tui.frozen import Frozen
from echolot_tui.present.glyphs import LEVELS, Level

Colours = Literal["none", "16", "256", "true"]
THEMES: Final = ("dark", "light", "contrast", "ansi")
Theme = Literal["dark", "light", "contrast", "ansi"]

GLYPHS_VARIABLE: Final = "ECHOLOT_GLYPHS"
THEME_VARIABLE: Final = "ECHOLOT_THEME"
MOUSE_VARIABLE: Final = "ECHOLOT_MOUSE"


class Capabilities(Frozen, frozen=True, kw_only=True):
    """What the terminal can do and how the app behaves on it."""

    refusal: str | None
    """Why no app can run here; ``None`` where it can."""
    term: str
    encoding: str
    colours: Colours
    glyphs: Level
    theme: Theme
    mouse: bool
    remote: bool
    """Over ssh."""
    multiplexed: bool
    """Inside tmux or screen."""
    width: int
    height: int


class Streams(Frozen, frozen=True, kw_only=True):
    """What is known of the standard streams."""

    stdin_tty: bool
    stdout_tty: bool
    stderr_tty: bool
    encoding: str


def capabilities(env: Mapping[str, str], streams: Streams, size: tuple[int, int]) -> Capabilities:
    """Decide from the environment, the streams and the size.

    Raises:
        EcholotError: A variable of ours has a value that means nothing.
    """
    remote = bool(env.get("SSH_CONNECTION") or env.get("SSH_TTY"))
    multiplexed = bool(env.get("TMUX") or env.get("STY"))
    colours = _colours(env)
    return Capabilities(
        refusal=_refusal(env, streams),
        term=env.get("TERM", ""),
        encoding=streams.encoding,
        colours=colours,
        glyphs=cast(
            "Level", _chosen(env, GLYPHS_VARIABLE, LEVELS, "blocks" if _is_utf8(streams) else "ascii")
        ),
        theme=cast("Theme", _chosen(env, THEME_VARIABLE, THEMES, "ansi" if colours == "16" else "dark")),
        mouse=_chosen(env, MOUSE_VARIABLE, ("on", "off"), "off" if remote or multiplexed else "on") == "on",
        remote=remote,
        multiplexed=multiplexed,
        width=size[0],
        height=size[1],
    )


def detect() -> Capabilities:
    """The terminal this process runs on."""
    streams = Streams(
        stdin_tty=sys.stdin.isatty(),
        stdout_tty=sys.stdout.isatty(),
        stderr_tty=sys.stderr.isatty(),
        encoding=locale.getencoding(),  # the streams' own was widened so that no text can break them
    )
    size = shutil.get_terminal_size()
    return capabilities(os.environ, streams, (size.columns, size.lines))


def policy(found: Capabilities) -> str:
    """What was decided, in one line for people."""
    where = [name for name, so in (("over ssh", found.remote), ("in a multiplexer", found.multiplexed)) if so]
    looks = [
        f"{found.colours} colours" if found.colours != "none" else "no colours (NO_COLOR)",
        f"{found.glyphs} signs",
        f"{found.theme} theme",
        f"mouse {'on' if found.mouse else 'off'}",
        f"{found.width}×{found.height}",
        found.encoding,
    ]
    runs = "screens" if found.refusal is None else f"printed views, no screens: {found.refusal}"
    return f"{runs} · {' · '.join([found.term or 'TERM is not set', *where, *looks])}"


class MouseDriver(Protocol):
    """The part of Textual's driver that switches the mouse, which has no public name."""

    _mouse: bool

    def _enable_mouse_support(self) -> None: ...

    def _disable_mouse_support(self) -> None: ...


def switch_mouse(driver: MouseDriver, *, on: bool) -> None:
    """Start or stop taking the mouse from the terminal, so that its own selection works again."""
    if on:
        driver._mouse = True
        driver._enable_mouse_support()
    else:
        driver._disable_mouse_support()
        driver._mouse = False


def _refusal(env: Mapping[str, str], streams: Streams) -> str | None:
    if not streams.stdin_tty or not streams.stdout_tty:
        return "this is not a terminal"
    if not streams.stderr_tty:
        return "stderr is redirected, and the screens are painted there"
    if env.get("TERM", "") in {"", "dumb"}:
        return f"the terminal ({env.get('TERM') or 'TERM is not set'}) cannot place text"
    return "this is a CI run" if env.get("CI") else None


def _colours(env: Mapping[str, str]) -> Colours:
    if "NO_COLOR" in env:
        return "none"
    if env.get("COLORTERM", "") in {"truecolor", "24bit"}:
        return "true"
    return "256" if "256" in env.get("TERM", "") else "16"


def _is_utf8(streams: Streams) -> bool:
    try:
        return codecs.lookup(streams.encoding).name == "utf-8"
    except LookupError:
        return False


def _chosen(env: Mapping[str, str], variable: str, known: tuple[str, ...], default: str) -> str:
    value = env.get(variable, default)
    if value not in known:
        raise EcholotError(f"{variable} is {value!r}", todo=f"set it to one of {', '.join(known)}")
    return value
