"""What a collect needs remembered: whoever keeps hunts and rounds implements this."""

from __future__ import annotations

from typing import Protocol

from echolot_tui.collect.model import CollectEvent, SetRecord


class Journal(Protocol):
    """The memory of the sets of one project.

    Each call is one transaction and returns when it will survive the machine: the recorder calls it
    *before* the work it announces and counts on what it wrote.
    """

    def save(self, record: SetRecord, event: CollectEvent) -> None:
        """Keep ``record`` as the state of its set and ``event`` as a line of the log.

        A set is named by ``(record.collect, record.arm)``. The event ``begun`` is the first of a set, also
        of one that is resumed; ``trace`` says that ``record.runs[event.k]`` is complete, with path and
        SHA-256; ``aside`` that the names in ``record.newest`` are about to move to ``record.aside``;
        ``finished`` closes the set. After an interruption the same transition may be told again.
        """
