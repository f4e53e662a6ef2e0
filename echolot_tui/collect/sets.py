"""The recorder's own memory: one small file a scenario, replaced whole at every transition."""

from __future__ import annotations

from pathlib import Path

import msgspec

from echolot_tui.collect.model import CollectEvent, SetRecord
from echolot_tui.collect.runner import CollectError
from echolot_tui.frozen import Frozen
from echolot_tui.project.files import write_atomic


class _Sets(Frozen, frozen=True, kw_only=True):
    collect: str
    sets: tuple[SetRecord, ...]


class SetFiles:
    """A :class:`~echolot_tui.collect.journal.Journal` of files; what ``--resume`` goes by.

    Args:
        folder: Where they lie.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def save(self, record: SetRecord, event: CollectEvent) -> None:  # noqa: ARG002 - the record says it all
        """Replace this set's record; a set of another collect retires those of the last one."""
        kept = self._read(record.scenario)
        others = kept.sets if kept is not None and kept.collect == record.collect else ()
        sets = {each.arm: each for each in others} | {record.arm: record}
        file = _Sets(collect=record.collect, sets=tuple(sets.values()))
        write_atomic(self._path(record.scenario), msgspec.json.encode(file))

    def latest(self, scenario: str) -> tuple[SetRecord, ...]:
        """The sets of the last collect of this scenario.

        Raises:
            CollectError: Their file is damaged.
        """
        found = self._read(scenario)
        return found.sets if found else ()

    def _read(self, scenario: str) -> _Sets | None:
        path = self._path(scenario)
        try:
            return msgspec.json.decode(path.read_bytes(), type=_Sets)
        except FileNotFoundError:
            return None
        except (OSError, msgspec.MsgspecError) as error:
            raise CollectError(
                f"the record of the last collect cannot be read ({error})",
                where=str(path),
                todo="delete it to start a new set; the traces stay",
            ) from error

    def _path(self, scenario: str) -> Path:
        return self._folder / f"{scenario}.json"
