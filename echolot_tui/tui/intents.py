"""What screens ask for. They send these up; the app hands them to the bridge."""

from __future__ import annotations

from textual.message import Message

from echolot_tui.compare.view import ViewOptions
from echolot_tui.tui.store import ComparisonAsk


class Compare(Message):
    """Compare these sides and show them."""

    def __init__(self, ask: ComparisonAsk) -> None:
        self.ask = ask
        super().__init__()


class CompareAgain(Message):
    """Compare what was compared last."""


class LookAt(Message):
    """Show other rows of the comparison, or in another order."""

    def __init__(self, options: ViewOptions) -> None:
        self.options = options
        super().__init__()


class ExportComparison(Message):
    """Write the comparison's files."""


class OpenReport(Message):
    """Show a report: a file, or the folder it lies in; the last one again where none is named."""

    def __init__(self, path: str | None) -> None:
        self.path = path
        super().__init__()


class FilterReport(Message):
    """Show only rows of the report that hold a text."""

    def __init__(self, text: str) -> None:
        self.text = text
        super().__init__()


class OpenDetectors(Message):
    """Show the detectors of a report; of the one that is open where none is named."""

    def __init__(self, path: str | None = None) -> None:
        self.path = path
        super().__init__()


class MoveThreshold(Message):
    """Judge a detector's rows under other parameters."""

    def __init__(self, detector: str, params: dict[str, int | float | str]) -> None:
        self.detector = detector
        self.params = params
        super().__init__()


class Copy(Message):
    """Put text on the person's clipboard."""

    def __init__(self, text: str, what: str) -> None:
        self.text = text
        self.what = what
        super().__init__()


class LookAround(Message):
    """Look again at what the project has on disk."""
