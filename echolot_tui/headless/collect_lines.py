"""How far a collect is, told on stderr as it happens."""

from __future__ import annotations

from echolot_tui.collect.model import Progress, RunRecord, SetRecord
from echolot_tui.collect.runner import WARNING
from echolot_tui.headless.diagnostics import talk


class Teller:
    """Says what changed since the last time."""

    def __init__(self) -> None:
        self._told: set[tuple[str | None, int]] = set()
        self._aside: set[str] = set()
        self._settled: str | None = None
        self._said = 0

    def tell(self, progress: Progress) -> None:
        """Tell finished runs as lines, the run in flight as the line that is rewritten."""
        for record in progress.sets:
            if record.aside is not None and record.aside not in self._aside:
                self._aside.add(record.aside)
                talk.note(f"the earlier set is in {record.aside} now")
            for run in record.runs:
                self._tell_run(record, run)
        for text in progress.said[self._said :]:
            tell = talk.warn if text.startswith(WARNING) else talk.note
            tell(text.removeprefix(WARNING))
        self._said = len(progress.said)
        if progress.settled not in {None, self._settled}:
            self._settled = progress.settled
            talk.note(str(progress.settled))
        busy = next((line for record in progress.sets for line in _busy(record)), None)
        if busy is not None and progress.finished is None:
            talk.progress(f"{progress.done}/{progress.iterations or '?'} done · {busy}")

    def _tell_run(self, record: SetRecord, run: RunRecord) -> None:
        key = (record.arm, run.k)
        measured = run.facts is not None or run.unreadable is not None
        if run.state == "done" and measured and key not in self._told:
            self._told.add(key)
            window = run.facts.window_ms if run.facts else None
            length = "" if window is None else f", window {window:g} ms"
            talk.note(f"{_name(record, run)} done{length}")


def _busy(record: SetRecord) -> list[str]:
    busy = [run for run in record.runs if run.state not in {"waiting", "done", "failed"}]
    late = [run for run in record.done if run.facts is None and run.unreadable is None]
    return [f"{_name(record, run)} {run.state}" for run in busy] + [
        f"{_name(record, run)} analyzing" for run in late
    ]


def _name(record: SetRecord, run: RunRecord) -> str:
    of = f"/{record.iterations}" if record.iterations else ""
    return f"{record.arm} run {run.k + 1}{of}" if record.arm else f"run {run.k + 1}{of}"
