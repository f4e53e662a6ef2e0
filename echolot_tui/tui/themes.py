"""Four themes: dark, light, high contrast, and the terminal's own sixteen colours.

Slower is orange, faster is blue, in every theme: most colour-blind readers tell them apart, and each is
a word or a sign as well.
"""

from __future__ import annotations

from typing import Final

from textual.theme import BUILTIN_THEMES, Theme

PREFIX: Final = "echolot-"

DEFAULT_VARIABLES: Final = {
    "role-muted": "#8b949e",
    "role-strong": "#ffffff",
    "role-name": "#d2d8de",
    "role-warning": "#e3b341",
    "role-error": "#ff7b72",
    "role-ok": "#7ee787",
    "role-slower": "#ffa657",
    "role-faster": "#79c0ff",
    "role-cursor": "#264f78",
    "role-bar": "#21262d",
}

_LIGHT: Final = {
    "role-muted": "#59636e",
    "role-strong": "#000000",
    "role-name": "#1f2328",
    "role-warning": "#7d4e00",
    "role-error": "#a40e26",
    "role-ok": "#116329",
    "role-slower": "#953800",
    "role-faster": "#0550ae",
    "role-cursor": "#cfe4ff",
    "role-bar": "#eaeef2",
}

_CONTRAST: Final = {
    "role-muted": "#d0d0d0",
    "role-strong": "#ffffff",
    "role-name": "#ffffff",
    "role-warning": "#ffff00",
    "role-error": "#ff8080",
    "role-ok": "#80ff80",
    "role-slower": "#ffb000",
    "role-faster": "#66c2ff",
    "role-cursor": "#0000c0",
    "role-bar": "#303030",
}

_ANSI: Final = BUILTIN_THEMES["ansi-dark"].variables | {
    "role-muted": "ansi_default",
    "role-strong": "ansi_default",
    "role-name": "ansi_default",
    "role-warning": "ansi_yellow",
    "role-error": "ansi_red",
    "role-ok": "ansi_green",
    "role-slower": "ansi_yellow",
    "role-faster": "ansi_blue",
    "role-cursor": "ansi_default",
    "role-bar": "ansi_default",
}


def _theme(name: str, variables: dict[str, str], *, background: str, foreground: str, dark: bool) -> Theme:
    return Theme(
        name=PREFIX + name,
        primary=variables["role-faster"],
        secondary=variables["role-muted"],
        warning=variables["role-warning"],
        error=variables["role-error"],
        success=variables["role-ok"],
        accent=variables["role-slower"],
        foreground=foreground,
        background=background,
        surface=background,
        panel=variables["role-bar"],
        dark=dark,
        ansi=background == "ansi_default",
        variables=variables,
    )


THEMES: Final = (
    _theme("dark", DEFAULT_VARIABLES, background="#0d1117", foreground="#d2d8de", dark=True),
    _theme("light", _LIGHT, background="#ffffff", foreground="#1f2328", dark=False),
    _theme("contrast", _CONTRAST, background="#000000", foreground="#ffffff", dark=True),
    _theme("ansi", _ANSI, background="ansi_default", foreground="ansi_default", dark=True),
)
