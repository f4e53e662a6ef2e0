"""A virtual table: only the rows on screen are ever formatted, so ten thousand cost what fifty do."""

from __future__ import annotations

from collections.abc import Hashable
from typing import ClassVar, Final, Protocol

from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.strip import Strip

from echolot_tui.frozen import Frozen
from echolot_tui.present.spans import Line, Span, columns, cut_line
from echolot_tui.present.table import Cell, Column, fit_columns, text_cells, text_row
from echolot_tui.text import visible
from echolot_tui.tui.widgets.roles import RoleWidget

_SAMPLE: Final = 100
"""Rows whose cells decide how wide columns are before a row further down asks for more."""

_GUTTER: Final = 2


class Banner(Frozen, frozen=True, kw_only=True):
    """A row that goes over all columns: a heading, or one that opens."""

    line: Line


Cells = tuple[Cell | None, ...]


class GridSource(Protocol):
    """What a grid shows."""

    @property
    def columns(self) -> tuple[Column, ...]:
        """Its columns."""

    @property
    def sorted_by(self) -> int | None:
        """The column the rows are ordered by."""

    def __len__(self) -> int:
        """How many rows."""

    def row(self, at: int) -> Cells | Banner:
        """The cells of a row, or a banner."""

    def key(self, at: int) -> Hashable:
        """What a row is known by when the rows change."""


class NoRows:
    """A source without rows."""

    columns: tuple[Column, ...] = ()
    sorted_by: int | None = None

    def __len__(self) -> int:
        """None."""
        return 0

    def row(self, at: int) -> Cells | Banner:
        """There is none."""
        raise IndexError(at)

    def key(self, at: int) -> Hashable:
        """There is none."""
        raise IndexError(at)


class Layout:
    """The lines of a source for a width; column widths only grow, with the rows that were seen."""

    def __init__(self, source: GridSource) -> None:
        self.source = source
        self._seen: dict[int, tuple[Span, ...] | Banner] = {}
        self._natural = [0] * len(source.columns)
        self._sizes: dict[int, int] = {}
        self._sizes_width = -1
        for at in range(min(len(source), _SAMPLE)):
            self.see(at)

    def see(self, at: int) -> bool:
        """Format a row; whether it made a column wider."""
        if at in self._seen:
            return False
        found = self.source.row(at)
        if isinstance(found, Banner):
            self._seen[at] = found
            return False
        spans = text_cells(self.source.columns, found)
        self._seen[at] = spans
        sizes = [0 if value is None else columns(span.text) for span, value in zip(spans, found, strict=True)]
        grew = any(size > natural for size, natural in zip(sizes, self._natural, strict=True))
        if grew:
            self._natural = list(map(max, sizes, self._natural))
            self._sizes_width = -1
        return grew

    def sizes(self, width: int) -> dict[int, int]:
        """Width of each column that is shown; one in which no row seen has a value is not."""
        if width != self._sizes_width:
            heads = self.source.columns
            used = [at for at in range(len(heads)) if self._natural[at] > 0]
            natural = [max(self._natural[at], columns(self._title(at, " "))) for at in used]
            fitted = fit_columns([heads[at] for at in used], natural, width)
            self._sizes = {used[at]: size for at, size in fitted.items()}
            self._sizes_width = width
        return self._sizes

    def line(self, at: int, width: int) -> Line:
        """One row."""
        self.see(at)
        found = self._seen[at]
        if isinstance(found, Banner):
            return cut_line(found.line, width)
        return text_row(self.source.columns, self.sizes(width), found, width)

    def header(self, width: int, mark: str) -> Line:
        """Column titles, the one the rows are ordered by marked."""
        spans = tuple(Span(self._title(at, mark), "heading") for at in range(len(self.source.columns)))
        return text_row(self.source.columns, self.sizes(width), spans, width)

    def _title(self, at: int, mark: str) -> str:
        title = visible(self.source.columns[at].title)
        return f"{title} {mark}" if at == self.source.sorted_by else title


class Grid(RoleWidget, can_focus=True):
    """A table with a cursor. Its first line is the header; the cursor's row is marked by a sign too."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", show=False),
        Binding("down,j", "move(1)", show=False),
        Binding("pageup", "page(-1)", show=False),
        Binding("pagedown", "page(1)", show=False),
        Binding("home", "move(-1000000)", show=False),
        Binding("end", "move(1000000)", show=False),
    ]

    class Moved(Message):
        """The cursor is on another row."""

        def __init__(self, grid: Grid, at: int) -> None:
            self.grid = grid
            self.at = at
            super().__init__()

        @property
        def control(self) -> Grid:
            """The grid."""
            return self.grid

    class Chosen(Moved):
        """The row under the cursor was clicked twice."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._layout = Layout(NoRows())
        self._empty: Line = ()
        self._top = 0
        self.cursor = 0

    @property
    def source(self) -> GridSource:
        """What is shown."""
        return self._layout.source

    @property
    def place(self) -> str:
        """Which row of how many the cursor is on; nothing where there are none."""
        total = len(self.source)
        return f"{self.cursor + 1} of {total}" if total else ""

    @property
    def is_lit(self) -> bool:
        """Whether the cursor's row is drawn as such all over, not only by its sign."""
        return True

    def show(self, source: GridSource, *, empty: Line = ()) -> None:
        """Show other rows; the cursor stays on its row where that is still there, else on its place.

        Args:
            source: The rows.
            empty: Said when there are none.
        """
        key = self.source.key(self.cursor) if self.cursor < len(self.source) else None
        self._layout = Layout(source)
        self._empty = empty
        found = next((at for at in range(len(source)) if source.key(at) == key), None) if key else None
        self.cursor = min(self.cursor, max(len(source) - 1, 0)) if found is None else found
        self._keep_cursor_in_view()
        wanted = self.styles.height
        self.refresh(layout=wanted is not None and wanted.is_auto)
        self.post_message(self.Moved(self, self.cursor))

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        """Header and rows, where the height is ``auto``."""
        return len(self.source) + 1 + (not len(self.source))

    def render_line(self, y: int) -> Strip:
        """The header, or one row."""
        width = self.size.width
        inner = max(width - _GUTTER - 1, 1)
        if y == 0:
            gap = (Span(" " * _GUTTER),)
            return self.strip(
                gap + self._layout.header(inner, self.glyphs.open_sign), width, over="role--bar"
            )
        at = self._top + y - 1
        if at >= len(self.source):
            shown = self._empty if y == 1 and not len(self.source) else ()
            return self.strip((Span(" " * _GUTTER), *shown), width)
        return self._row_strip(at, width, inner)

    def action_move(self, by: int) -> None:
        """Move the cursor."""
        self.move_to(self.cursor + by)

    def action_page(self, by: int) -> None:
        """Move the cursor by a page."""
        self.move_to(self.cursor + by * max(self._page - 1, 1))

    def move_to(self, at: int) -> None:
        """Put the cursor on a row, or on the nearest there is."""
        at = min(max(at, 0), max(len(self.source) - 1, 0))
        if at == self.cursor:
            return
        left, self.cursor = self.cursor, at
        if self._keep_cursor_in_view() or self._see_page():
            self.refresh()
        else:
            self.refresh(self._region_of(left), self._region_of(at))
        self.post_message(self.Moved(self, at))

    def on_resize(self) -> None:
        """Keep the cursor on the screen: what was painted for the new size knew the old first row."""
        if self._keep_cursor_in_view():
            self.refresh()

    def on_click(self, event: events.Click) -> None:
        """Move the cursor to where the pointer is; twice chooses."""
        at = self._top + event.y - 1
        if event.y > 0 and at < len(self.source):
            self.move_to(at)
            if event.chain > 1:
                self.post_message(self.Chosen(self, at))

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """The wheel."""
        event.stop()
        self.action_move(3)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """The wheel."""
        event.stop()
        self.action_move(-3)

    @property
    def _page(self) -> int:
        """Rows on the screen."""
        return max(self.size.height - 1, 1)

    def _row_strip(self, at: int, width: int, inner: int) -> Strip:
        spans = self._layout.line(at, inner)
        if at != self.cursor:
            return self.strip((Span(" " * _GUTTER), *spans), width)
        sign = Span(self.glyphs.cursor + " ", "strong")
        return self.strip((sign, *spans), width, over="role--cursor" if self.is_lit else None)

    def _keep_cursor_in_view(self) -> bool:
        """Scroll as far as needed; whether that was any way at all."""
        last_top = max(len(self.source) - self._page, 0)
        top = min(max(self._top, self.cursor - self._page + 1), self.cursor, last_top)
        moved, self._top = top != self._top, top
        return moved

    def _see_page(self) -> bool:
        """Format what is on the screen; whether a column became wider."""
        shown = range(self._top, min(self._top + self._page, len(self.source)))
        return sum(self._layout.see(at) for at in shown) > 0

    def _region_of(self, at: int) -> Region:
        return Region(0, at - self._top + 1, self.size.width, 1)
