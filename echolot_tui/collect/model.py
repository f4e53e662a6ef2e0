"""What a collect asks for and how far it has come: the record every reader and the journal see."""

from __future__ import annotations

from typing import Literal

from echolot_tui.frozen import Frozen, always
from echolot_tui.project.model import Runner as RunnerSettings

Mode = Literal["launch", "command", "gradle", "host"]
RunState = Literal["waiting", "cooling", "recording", "pulling", "saving", "done", "failed"]
"""``saving``: the trace is complete under a temporary name and about to get its own."""

SetStatus = Literal["running", "complete", "partial", "interrupted", "failed"]
"""``partial``: ended by itself with fewer runs than asked; ``interrupted``: stopped at once, or its process
died; ``failed``: ended by an error without a single trace."""

EventKind = Literal["begun", "run", "trace", "aside", "measured", "log", "finished"]


class Owner(Frozen, frozen=True, kw_only=True):
    """The process that records. A pid alone may be another process by now, so its start is part of it."""

    pid: int
    started: str
    """When the operating system started it, in the system's own words."""
    host: str


class RunFacts(Frozen, frozen=True, kw_only=True):
    """What measuring one run told, for whoever watches the set fill."""

    window_ms: float | None = None
    cpu_mhz: float | None = None
    throttled: bool | None = None
    celsius: float | None = None
    """Hottest it was during the window."""
    lossy: bool = False


class RunRecord(Frozen, frozen=True, kw_only=True):
    """One run of a set."""

    k: int
    """From 0; the ``NNN`` of its file."""
    state: RunState = always("waiting")
    path: str | None = None
    """Where the trace is, or will be; absolute."""
    temporary: str | None = None
    """Where it is written while it is recorded."""
    sha256: str | None = None
    bytes: int | None = None
    error: str | None = None
    """Why it failed, one sentence."""
    launch_ms: float | None = None
    """What the device itself says the launch took; 0 when it had no time for it."""
    finished_at: str | None = None
    facts: RunFacts | None = None
    """Known once the trace is measured."""
    unreadable: str | None = None
    """Why measuring it gave nothing."""


class Arm(Frozen, frozen=True, kw_only=True):
    """One side of a collect that records two sides in random order."""

    name: str
    command: str


class UntilSettled(Frozen, frozen=True, kw_only=True):
    """Record in stages until the rows that matter are settled."""

    first: int
    """Runs a side at the first look."""
    most: int
    """Runs a side at which recording ends whatever is settled."""
    against: str | None = None
    """The side to compare with; null compares the two arms."""


class SetRecord(Frozen, frozen=True, kw_only=True):
    """One set: the repeats of one scenario, or of one arm of it."""

    collect: str
    """Identity of the collect; the arms of one collect share it."""
    scenario: str
    arm: str | None = None
    round: int | None = None
    """Id of the round it fills, for whoever keeps rounds."""
    mode: Mode
    folder: str
    """Where its traces go, and stay; absolute."""
    newest: str | None = None
    """Folder that shows the newest set under the names people expect: the same files once more. Absolute."""
    suffix: str
    recipe: str
    """SHA-256 of the settings that decide what is recorded: runs of two recipes are no set."""
    command: str | None = None
    """The shell line that records a run, or that an arm is told by."""
    until: UntilSettled | None = None
    iterations: int | None
    """Runs asked for; null while that is not known (gradle)."""
    seed: int = 0
    """Of the order of two arms' runs."""
    status: SetStatus = always("running")
    reason: str | None = None
    """Why it ended before it was complete, one sentence."""
    owner: Owner | None = None
    started_at: str
    finished_at: str | None = None
    aside: str | None = None
    """Folder the earlier set was moved to out of ``newest``."""
    runs: tuple[RunRecord, ...] = always(())

    @property
    def done(self) -> tuple[RunRecord, ...]:
        """Runs whose trace is complete under its own name, in order."""
        return tuple(run for run in self.runs if run.state == "done")

    @property
    def ended(self) -> bool:
        """Whether nothing more comes by itself."""
        return self.status != "running"


class CollectEvent(Frozen, frozen=True, kw_only=True):
    """One transition, told to the journal together with the record it leads to."""

    kind: EventKind
    text: str
    """One line for the log."""
    arm: str | None = None
    k: int | None = None


class CollectOrder(Frozen, frozen=True, kw_only=True):
    """Everything the recording process needs to know; handed over as JSON."""

    collect: str
    project: str
    """The folder of the config; absolute."""
    config: str
    local: str | None = None
    scenario: str
    settings: RunnerSettings
    arms: tuple[Arm, ...] = ()
    """None, or two."""
    seed: int = 0
    """Of the order of the runs of two arms."""
    until: UntilSettled | None = None
    resume: bool = False
    runs: int | None = None
    """Runs of the set, where somebody asked for another number than the config or the set to resume has."""
    out: str | None = None
    """Folder that shows the newest set; absolute."""
    tp_binary: str | None = None
    label: str | None = None
    """What the round is called."""


class Request(Frozen, frozen=True, kw_only=True):
    """What somebody asks of a collect in flight."""

    collect: str
    """Which one; another one ignores it."""
    stop: Literal["after run", "now"] | None = None
    iterations: int | None = None
    """Record this many runs (a side) instead."""


class Progress(Frozen, frozen=True, kw_only=True):
    """``collect.json``: the collect in flight, or the last one, for whoever reads it."""

    scenario: str
    mode: Mode
    started: str
    pid: int
    iterations: int | None
    """Of all sets together; null while not known."""
    done: int = always(0)
    cooling: bool = False
    finished: str | None = always(None)
    exit: int | None = always(None)
    traces: tuple[str, ...] = always(())
    error: str | None = always(None)
    notes: tuple[str, ...] = ()
    """What can still be helped: runs that spread, a first run far off, throttling, a trend, lost data."""
    facts: tuple[str, ...] = ()
    """What the set as a whole tells and asks nothing: how far its launches lie apart."""
    said: tuple[str, ...] = ()
    """What the runner had to say, in order: knobs a device refused, the telling lines of a failed build."""
    log: str | None = None
    settled: str | None = None
    """Of a collect that records until settled: what the last look said."""
    sets: tuple[SetRecord, ...] = ()
