"""Files in, recordings out: each side of a profile is files of any kind, a folder or a pattern."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from pathlib import Path

from echolot_tui.engine.formats import sniff
from echolot_tui.engine.model import EngineChoice
from echolot_tui.engine.pool import Event, Finished, Job, Note, run_jobs
from echolot_tui.errors import EcholotError
from echolot_tui.headless.diagnostics import talk
from echolot_tui.measure.inputs import natural_key
from echolot_tui.profiles.formats import KINDS, profile_kind, read_profile, unpacked
from echolot_tui.profiles.from_trace import record_of
from echolot_tui.profiles.sides import SideRecordings
from echolot_tui.profiles.stacks import ProfileError, Recording, Selection, select
from echolot_tui.project.files import read_bytes
from echolot_tui.text import visible


def read_side(
    given: str, name: str, traces: Selection, others: Selection, choice: EngineChoice, *, jobs: int | None
) -> SideRecordings:
    """Every run of one side; a file that cannot be read is left out, with its reason.

    Args:
        given: A file, a folder, or a pattern.
        name: What the side is called.
        traces: Which samples of a trace count.
        others: Which samples of another file count.
        choice: The engine, for traces.
        jobs: Worker processes.

    Raises:
        EcholotError: Nothing there, or no file that could be read.
    """
    read: dict[Path, Recording] = {}
    failed: list[EcholotError] = []
    asked: list[Path] = []
    paths = profile_files(given)
    for path in paths:
        try:
            recording = _own_reader(path, others)
        except EcholotError as error:
            failed.append(error)
            continue
        if recording is None:
            asked.append(path)
        else:
            read[path] = recording
    for outcome in _ask(asked, traces, choice, jobs):
        if isinstance(outcome, Recording):
            read[Path(outcome.path)] = outcome
        else:
            failed.append(outcome)
    if not read:
        raise failed[0]
    for failure in failed:
        talk.warn(f"{failure.sentence}; this run is left out")
    return SideRecordings(name, tuple(read[path] for path in paths if path in read))


def profile_files(given: str) -> list[Path]:
    """The files an argument names, in natural order.

    Raises:
        EcholotError: Nothing there.
    """
    path = Path(given)
    if path.is_file():
        return [path]
    if path.is_dir():
        files = [
            one
            for one in path.iterdir()
            if one.is_file() and not one.name.startswith(".") and _is_profile(one)
        ]
        if not files:
            raise EcholotError("the folder holds no profiles", where=given, todo=f"echolot reads {KINDS}")
    else:
        files = [Path(one) for one in glob.glob(given, recursive=True) if Path(one).is_file()]  # noqa: PTH207 - keeps its spelling
        if not files:
            raise EcholotError("there is no such file, nor does it match as a pattern", where=given)
    return sorted(files, key=lambda one: natural_key(str(one)))


def _is_profile(path: Path) -> bool:
    if sniff(path) is not None:
        return True
    try:
        return profile_kind(unpacked(path.read_bytes(), path=str(path))) is not None
    except EcholotError:
        return False


def _own_reader(path: Path, selection: Selection) -> Recording | None:
    """Read by this program; ``None`` for a trace, which the engine reads.

    Raises:
        EcholotError: The file is damaged, of no known kind, or holds no sample that counts.
    """
    form = sniff(path)
    if form is not None and form.kind != "gecko":
        return None
    content = unpacked(read_bytes(path), path=str(path))
    kind = profile_kind(content)
    if kind is None:
        raise ProfileError("is no profile", where=visible(str(path)), todo=f"echolot reads {KINDS}")
    if selection.by_anchors:
        raise ProfileError(
            "has no slices a window could be cut by", where=str(path), todo="use --between instead"
        )
    return select(read_profile(content, kind, path=str(path)), selection)


def _ask(
    paths: Sequence[Path], selection: Selection, choice: EngineChoice, jobs: int | None
) -> list[Recording | EcholotError]:
    if not paths:
        return []
    wanted = [Job(run=record_of, path=path, payload=selection) for path in paths]
    try:
        outcomes = run_jobs(wanted, workers=jobs or os.cpu_count() or 1, choice=choice, on_event=_tell)
    finally:
        talk.done()
    found: list[Recording | EcholotError] = []
    for outcome in outcomes:
        result = outcome.error or outcome.result
        assert result is not None
        found.append(result)
    return found


def _tell(event: Event) -> None:
    if isinstance(event, Note):
        talk.progress(event.text, milestone=True)
    elif isinstance(event, Finished):
        talk.progress(f"read {event.outcome.path.name}")
    else:
        talk.progress(f"loading {event.path.name}")
