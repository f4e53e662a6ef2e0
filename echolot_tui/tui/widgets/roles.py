"""Lines with roles become strips: the only place where a role turns into a colour."""

from __future__ import annotations

from itertools import groupby
from typing import ClassVar, get_args

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.widget import Widget

from echolot_tui.present.glyphs import GLYPHS, Glyphs, Level, ascii_line
from echolot_tui.present.spans import Line, Role

_CLASS_OF: dict[Role, str] = {role: f"role--{role}" for role in get_args(Role)}


class RoleWidget(Widget):
    """A widget that draws lines with roles.

    Every role differs in more than its hue: by its word in the text, and without colours also by bold,
    underline or reverse.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {*_CLASS_OF.values(), "role--cursor", "role--bar"}

    DEFAULT_CSS = """
    RoleWidget {
        & > .role--muted { color: $role-muted; }
        & > .role--strong { color: $role-strong; text-style: bold; }
        & > .role--heading { color: $role-muted; text-style: bold; }
        & > .role--name { color: $role-name; }
        & > .role--warning { color: $role-warning; text-style: bold; }
        & > .role--error { color: $role-error; text-style: bold; }
        & > .role--ok { color: $role-ok; }
        & > .role--slower { color: $role-slower; text-style: bold; }
        & > .role--faster { color: $role-faster; text-style: bold; }
        & > .role--unsure { color: $role-muted; }
        & > .role--new { color: $role-slower; }
        & > .role--gone { color: $role-faster; }
        & > .role--cursor { background: $role-cursor; }
        & > .role--bar { background: $role-bar; }
        &:ansi > .role--muted { text-style: dim; }
        &:ansi > .role--unsure { text-style: dim; }
        &:ansi > .role--cursor { color: ansi_default; text-style: reverse; }
        &:ansi > .role--bar { color: ansi_default; text-style: reverse; }
        &:nocolor > .role--faster { text-style: underline; }
        &:nocolor > .role--gone { text-style: underline; }
        &:nocolor > .role--cursor { background: $foreground; color: $background; }
        &:nocolor:ansi > .role--cursor { color: ansi_default; text-style: reverse; }
    }
    """

    @property
    def glyphs(self) -> Glyphs:
        """The signs in force: the app's, or blocks where it has no opinion."""
        level: Level = getattr(self.app, "glyph_level", "blocks")
        return GLYPHS[level]

    def strip(self, spans: Line, width: int, *, over: str | None = None) -> Strip:
        """The line as a strip of exactly ``width`` columns; ``over`` lays a component's style over it."""
        if self.glyphs.level == "ascii":
            spans = ascii_line(spans)
        base = self.rich_style
        styled = [(span.text, base + self._style(span.role)) for span in spans]
        if over is not None:
            layer = self.get_component_rich_style(over, partial=True)
            base += layer
            styled = [(text, style + layer) for text, style in styled]
        segments = [
            Segment("".join(text for text, _ in same), style)
            for style, same in groupby(styled, key=lambda part: part[1])
        ]
        return Strip(segments).adjust_cell_length(width, base).simplify()

    def _style(self, role: Role) -> Style:
        if role in {"plain", "number"}:
            return Style.null()
        return self.get_component_rich_style(_CLASS_OF[role], partial=True)
