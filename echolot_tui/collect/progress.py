"""``collect.json``: what anybody may read of the collect in flight, or of the last one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from echolot_tui.collect.live import facts_on, notes_on
from echolot_tui.collect.model import Progress, RunRecord, SetRecord
from echolot_tui.collect.owner import is_alive
from echolot_tui.collect.runner import CollectError
from echolot_tui.project.files import write_atomic

STOPPED_AFTER = "stopped after a run"
"""The reason of a set somebody ended in good order."""


def progress_of(
    sets: Sequence[SetRecord],
    *,
    pid: int,
    log: Path,
    settled: str | None = None,
    said: Sequence[str] = (),
) -> Progress:
    """Everything the sets tell, in one model. With two arms, the notes name the arm."""
    first = sets[0]
    asked = [each.iterations for each in sets]
    ended = all(each.ended for each in sets)
    return Progress(
        scenario=first.scenario,
        mode=first.mode,
        started=first.started_at,
        pid=pid,
        iterations=None if None in asked else sum(number or 0 for number in asked),
        done=sum(len(each.done) for each in sets),
        cooling=any(run.state == "cooling" for each in sets for run in each.runs),
        finished=max(each.finished_at or "" for each in sets) if ended else None,
        exit=exit_code(sets) if ended else None,
        traces=tuple(shown for each in sets for shown in traces_shown(each)),
        error=next((why for each in sets if (why := _error_of(each)) is not None), None),
        notes=_of_each(sets, notes_on),
        facts=_of_each(sets, facts_on),
        log=str(log),
        settled=settled,
        said=tuple(said),
        sets=tuple(sets),
    )


def _of_each(
    sets: Sequence[SetRecord], told: Callable[[Sequence[RunRecord]], Sequence[str]]
) -> tuple[str, ...]:
    return tuple(f"{each.arm}: {line}" if each.arm else line for each in sets for line in told(each.runs))


def traces_shown(record: SetRecord) -> tuple[str, ...]:
    """The set's traces under the names people expect, in run order."""
    newest = Path(record.newest) if record.newest else None
    paths = (Path(run.path) for run in record.done if run.path is not None)
    return tuple(str(newest / path.name if newest else path) for path in paths)


def exit_code(sets: Sequence[SetRecord]) -> int:
    """0 complete or stopped in good order, 130 stopped at once, 2 an error."""
    if any(each.status == "interrupted" for each in sets):
        return 130
    return 0 if all(_error_of(each) is None for each in sets) else 2


def _error_of(record: SetRecord) -> str | None:
    """Why a set is not what was asked for; an ending in good order is no reason."""
    if record.reason not in {None, STOPPED_AFTER}:
        return record.reason
    if record.ended and record.done and all(run.unreadable for run in record.done):
        return f"no trace of {record.arm or record.scenario} gave a measurement, all are kept"
    return None


def write_progress(path: Path, progress: Progress) -> None:
    """Replace the file.

    Raises:
        EcholotError: It cannot be written.
    """
    write_atomic(path, msgspec.json.format(msgspec.json.encode(progress), indent=1))


def read_progress(path: Path) -> Progress | None:
    """The last collect's progress, or ``None`` when there was none.

    Raises:
        CollectError: The file is damaged.
    """
    try:
        return msgspec.json.decode(path.read_bytes(), type=Progress)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.MsgspecError) as error:
        raise CollectError(
            f"the progress of the last collect cannot be read ({error})",
            where=str(path),
            todo="delete it; traces and reports stay",
        ) from error


def is_running(progress: Progress) -> bool:
    """Whether the process that records is there."""
    return progress.finished is None and any(
        each.owner is not None and is_alive(each.owner) for each in progress.sets
    )


def is_lost(progress: Progress) -> bool:
    """Whether the process ended without a word: killed, or the machine went down."""
    return progress.finished is None and not is_running(progress)


def standing(progress: Progress) -> str:
    """How the collect stands, in one line."""
    share = f"{progress.done}/{progress.iterations or '?'}"
    if is_running(progress):
        doing = "cooling" if progress.cooling else "running"
        return f"{progress.scenario}: {doing}, {share} done since {progress.started}"
    if progress.finished is None:
        return (
            f"{progress.scenario}: interrupted after {share}, its process is gone; echolot collect --resume"
        )
    if progress.exit == 0 and progress.error is None:
        return f"{progress.scenario}: {share} done {progress.finished}"
    head = "failed" if progress.exit == 2 else "stopped"  # 130
    return f"{progress.scenario}: {head} after {share}, {progress.finished}: {progress.error}"
