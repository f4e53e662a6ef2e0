"""What a collect tells becomes the state of the round it fills."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from echolot_tui.collect.model import CollectEvent, RunRecord, SetRecord
from echolot_tui.investigate.recording import Recording
from echolot_tui.investigate.states import RunState


class RoundJournal:
    """A journal of collect that writes to the rounds being recorded.

    Args:
        recordings: The round of each arm; of a collect without arms under ``None``.
    """

    def __init__(self, recordings: Mapping[str | None, Recording]) -> None:
        self._recordings = recordings

    def save(self, record: SetRecord, event: CollectEvent) -> None:
        """Bring the round to where the set is."""
        recording = self._recordings[record.arm]
        known = {run.run: run.state for run in recording.round.runs}
        lacking = (record.iterations or len(record.runs)) - len(known)
        if lacking > 0:
            known |= dict.fromkeys(recording.extend(lacking), "waiting")
        for run in record.runs:
            if event.k in {None, run.k}:
                _bring(recording, run, known[run.k])
        if event.kind == "finished":
            recording.finish()


def _bring(recording: Recording, run: RunRecord, known: RunState) -> None:
    """The steps from the round's state of a run to the set's; a repeated one is none."""
    if run.state == "done":
        if known not in {"analyzing", "done"}:
            assert run.path is not None
            assert run.sha256 is not None
            recording.trace_finished(run.k, Path(run.path), run.sha256)
            known = "analyzing"
        if known == "analyzing" and (run.facts is not None or run.unreadable is not None):
            recording.run_state(run.k, "done", run.unreadable)
    elif run.state == "saving":
        return  # for the round it is still being recorded until it has its name
    elif run.state != known:
        if known == "failed" and run.state != "waiting":
            recording.run_state(run.k, "waiting")
        recording.run_state(run.k, run.state, run.error)
