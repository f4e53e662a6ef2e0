"""The Marker Report: facts on top, the rows of every detector, and one row in full."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import ClassVar

from echolot_tui.present.glyphs import Glyphs
from echolot_tui.present.report_markdown import report_markdown, report_row_markdown
from echolot_tui.present.report_rows import row_cells
from echolot_tui.present.report_screen import (
    ROW_COLUMNS,
    head_lines,
    row_words,
    section_line,
    section_words,
    sql_lines,
)
from echolot_tui.present.spans import Line, Span, line
from echolot_tui.report.model import Row
from echolot_tui.report.view import Section
from echolot_tui.tui.actions import Where, bindings
from echolot_tui.tui.intents import Copy, FilterReport, OpenDetectors, OpenInPerfetto, OpenReport
from echolot_tui.tui.perfetto import PerfettoAsk
from echolot_tui.tui.screens.listing import ListScreen
from echolot_tui.tui.store import Ready, ShownReport, State
from echolot_tui.tui.widgets.grid import Banner, Cells, Grid
from echolot_tui.tui.widgets.lines import Lines


class ReportRows:
    """Detectors as banners, each with its rows under it unless it is folded."""

    columns = ROW_COLUMNS
    sorted_by: int | None = None

    def __init__(self, sections: Sequence[Section], folded: set[str], glyphs: Glyphs) -> None:
        self.items: list[tuple[Section, Row | None]] = []
        self._folded = folded
        self._glyphs = glyphs
        for section in sections:
            self.items.append((section, None))
            if section.detector.id not in folded:
                self.items += [(section, row) for row in section.rows]

    def __len__(self) -> int:
        return len(self.items)

    def row(self, at: int) -> Cells | Banner:
        """Cells of a row, or a detector's heading."""
        section, row = self.items[at]
        if row is not None:
            return row_cells(row)
        opened = section.detector.id not in self._folded
        return Banner(line=section_line(section, opened=opened, glyphs=self._glyphs))

    def key(self, at: int) -> Hashable:
        """Detector and what names the row."""
        section, row = self.items[at]
        name = None if row is None else (row.location, row.thread, row.detail)
        return section.detector.id, name


class ReportScreen(ListScreen):
    """Head, rows, and the row under the cursor in full."""

    WHERE: ClassVar[Where] = "report"
    BINDINGS = bindings("report")

    def __init__(self) -> None:
        super().__init__()
        self._shown: ShownReport | None = None
        self._rows: ReportRows | None = None
        self._folded: set[str] = set()
        self._facts_opened = False
        self._sql = False

    def on_state(self, state: State) -> None:
        """Show another report, or other rows of it."""
        slot = state.report
        if not isinstance(slot, Ready):
            self.show_not_ready(slot)
        elif slot.value is not self._shown:
            new = self._shown is None or self._shown.report is not slot.value.report
            self._shown = slot.value
            if new:
                self.query_one("#head", Lines).remake()
                self.say("")
            self._show()
        self.refresh_keys()

    def _show(self) -> None:
        if self._shown is None:
            return
        self._rows = ReportRows(self._shown.sections, self._folded, self.echolot.glyphs)
        nothing = f'no row holds "{self._shown.text}"' if self._shown.text else "the report has no detectors"
        self.query_one(Grid).show(self._rows, empty=line(Span(nothing, "muted")))
        self.show_pane("no rows")

    def _head(self, width: int) -> Sequence[Line]:
        if self._shown is None:
            return [self.title_line(), *self.failure_lines(self._failed, width)]
        most = 6 if self.size.height >= 30 else 4 if self.size.height >= 20 else 3
        return head_lines(self._shown.report, self._shown.path, width, most=most, opened=self._facts_opened)

    def on_grid_moved(self, message: Grid.Moved) -> None:
        """Another row."""
        del message
        self.show_pane("no rows")

    def _pane(self, width: int) -> Sequence[Line]:
        shown, item = self._shown, self._item
        if shown is None or item is None:
            return ()
        section, row = item
        width = max(width - 1, 1)
        if self._sql:
            decision = next((one for one in shown.decisions if one.detector.id == section.detector.id), None)
            return sql_lines(section.detector, decision, width)
        if row is None:
            return section_words(section, width)
        return row_words(row, section.detector, shown.report, width, glyphs=self.echolot.glyphs)

    @property
    def _item(self) -> tuple[Section, Row | None] | None:
        at = self.query_one(Grid).cursor
        return self._rows.items[at] if self._rows is not None and at < len(self._rows) else None

    def why_not(self, action_id: str) -> str | None:
        """Most need a report."""
        if self._shown is None:
            needs = action_id not in {"back", "reload", "help", "palette", "theme", "glyphs", "mouse", "quit"}
            return "there is no report yet" if needs else None
        item = self._item
        if action_id == "copy" and (item is None or item[1] is None):
            return "the cursor is on no row"
        if action_id == "perfetto" and not self._shown.report.repeats:
            return "the report does not say which traces it was made of"
        if action_id == "detectors":
            return self._shown.settings_note
        return None

    def do_open(self) -> None:
        """A heading folds; a row's pane takes the keys, to read on in it."""
        item = self._item
        if item is None:
            return
        section, row = item
        if row is None:
            self._folded ^= {section.detector.id}
            self._show()
        else:
            self._full_pane(on=not self.has_class("-full"))

    def on_grid_chosen(self, message: Grid.Chosen) -> None:
        """A double click."""
        del message
        self.do_open()

    def _full_pane(self, *, on: bool) -> None:
        """The pane alone, or beside the rows."""
        self.set_class(on, "-full")
        pane = self.query_one("#pane", Lines)
        pane.can_focus = on
        (pane if on else self.query_one(Grid)).focus()

    def do_back(self) -> None:
        """Opened facts first, then the pane, a filter, the screen."""
        if self._facts_opened:
            self.do_warnings()
        elif self.has_class("-full"):
            self._full_pane(on=False)
        elif self._shown is not None and self._shown.text:
            self.post_message(FilterReport(""))
        else:
            self.echolot.do_back()

    def do_filter(self) -> None:
        """Type a text; rows follow while it is typed."""
        old = self._shown.text if self._shown else ""
        self.ask_filter(old, lambda text: self.post_message(FilterReport(text)))

    def do_next_detector(self) -> None:
        """The next heading."""
        self._jump(1)

    def do_previous_detector(self) -> None:
        """The heading before."""
        self._jump(-1)

    def _jump(self, by: int) -> None:
        if self._rows is None:
            return
        grid = self.query_one(Grid)
        heads = [at for at, (_, row) in enumerate(self._rows.items) if row is None]
        further = [at for at in heads if (at > grid.cursor if by > 0 else at < grid.cursor)]
        if further:
            grid.move_to(further[0] if by > 0 else further[-1])

    def do_warnings(self) -> None:
        """Facts and warnings in full, or the first."""
        self._facts_opened = not self._facts_opened
        self.open_head(opened=self._facts_opened)

    def do_sql(self) -> None:
        """The query, or the numbers again."""
        self._sql = not self._sql
        self.show_pane("no rows")

    def do_copy(self) -> None:
        """The row as Markdown."""
        item = self._item
        if item is not None and item[1] is not None:
            self.post_message(Copy(report_row_markdown(item[1], item[0].detector), "the row"))

    def do_copy_table(self) -> None:
        """The whole report as Markdown."""
        if self._shown is not None:
            self.post_message(Copy(report_markdown(self._shown.report), "the report"))

    def do_perfetto(self) -> None:
        """The row's longest slice in the run in which it takes longest; on a heading, the window."""
        item = self._item
        if self._shown is not None:
            row = item[1].location if item is not None and item[1] is not None else None
            self.post_message(OpenInPerfetto(PerfettoAsk(target=self._shown.path, row=row)))

    def do_detectors(self) -> None:
        """The detectors behind the rows."""
        self.post_message(OpenDetectors())

    def do_reload(self) -> None:
        """Read the file again."""
        self.post_message(OpenReport(None))
