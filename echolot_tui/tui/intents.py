"""What screens ask for. They send these up; the app hands them to the bridge."""

from __future__ import annotations

from textual.message import Message

from echolot_tui.compare.view import ViewOptions
from echolot_tui.tui.perfetto import PerfettoAsk
from echolot_tui.tui.store import ComparisonAsk, ProfileAsk


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


class ShowHunt(Message):
    """Show the rounds of another hunt."""

    def __init__(self, n: int) -> None:
        self.n = n
        super().__init__()


class AskHunt(Message):
    """Ask a new question, about a change where one is named."""

    def __init__(self, question: str, since: str) -> None:
        self.question = question
        self.since = since
        super().__init__()


class ResumeHunt(Message):
    """Go on with a hunt; a closed one is opened again."""

    def __init__(self, n: int, *, closed: bool) -> None:
        self.n = n
        self.closed = closed
        super().__init__()


class ConcludeHunt(Message):
    """Close the current hunt with an answer."""

    def __init__(self, answer: str) -> None:
        self.answer = answer
        super().__init__()


class WriteNote(Message):
    """Write something down about a hunt, or about one of its rounds."""

    def __init__(self, n: int, k: int | None, text: str) -> None:
        self.n = n
        self.k = k
        self.text = text
        super().__init__()


class LabelRound(Message):
    """Name a round."""

    def __init__(self, n: int, k: int, text: str) -> None:
        self.n = n
        self.k = k
        self.text = text
        super().__init__()


class Analyze(Message):
    """Measure traces that are here already, and show their report."""

    def __init__(self, traces: tuple[str, ...]) -> None:
        self.traces = traces
        super().__init__()


class OpenCollect(Message):
    """Show the collect in flight, or what would be recorded."""

    def __init__(self, more: int = 0) -> None:
        self.more = more
        """Runs to record beyond those of the last set."""
        super().__init__()


class BeginCollect(Message):
    """Record a set, or what the last one lacks; the person has seen the commands."""

    def __init__(self, *, label: str = "", runs: int | None = None, resume: bool = False) -> None:
        self.label = label
        self.runs = runs
        self.resume = resume
        super().__init__()


class StopCollect(Message):
    """End the collect in flight after this run, or now."""

    def __init__(self, *, at_once: bool) -> None:
        self.at_once = at_once
        super().__init__()


class MoreRuns(Message):
    """Record another run in the collect in flight."""


class Watch(Message):
    """Follow a folder that another tool fills."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        super().__init__()


class OpenSetup(Message):
    """Make a config, step by step."""


class LookInto(Message):
    """List what a trace holds: its processes, and of one of them what makes good anchors."""

    def __init__(self, trace: str, process: str | None) -> None:
        self.trace = trace
        self.process = process
        super().__init__()


class WriteConfig(Message):
    """Write the config that was shown."""

    def __init__(self, text: str) -> None:
        self.text = text
        super().__init__()


class Calibrate(Message):
    """Derive thresholds from healthy runs."""

    def __init__(self, traces: tuple[str, ...], report_size: int | None = None) -> None:
        self.traces = traces
        self.report_size = report_size
        super().__init__()


class WriteCalibration(Message):
    """Write the section beside the config."""


class OpenHistory(Message):
    """Show levels over commits."""


class AnalyzeHistory(Message):
    """Judge the project's store again."""


class BlessHistory(Message):
    """Accept the level a series has now, or take that back; ``reason`` is ``None`` to take it back."""

    def __init__(self, flags: tuple[str, ...], prefix: str, reason: str | None) -> None:
        self.flags = flags
        self.prefix = prefix
        self.reason = reason
        super().__init__()


class JudgeHistory(Message):
    """Judge a file of series."""

    def __init__(self, file: str) -> None:
        self.file = file
        super().__init__()


class OpenInPerfetto(Message):
    """Show a trace in Perfetto's own UI."""

    def __init__(self, ask: PerfettoAsk) -> None:
        self.ask = ask
        super().__init__()


class OpenDoctor(Message):
    """Let the machine check itself, and show that beside what the terminal can do."""


class CompareProfiles(Message):
    """Lay the stacks of two sides over each other and show them; the last ones again where none are named."""

    def __init__(self, ask: ProfileAsk | None = None) -> None:
        self.ask = ask
        super().__init__()


class ExportProfile(Message):
    """Write the profile's files."""
