"""Traces by the name of the round they were recorded or analyzed in."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from echolot_tui.errors import EcholotError
from echolot_tui.headless.diagnostics import talk
from echolot_tui.investigate.find import find_round
from echolot_tui.investigate.rounds import round_name
from echolot_tui.present.numbers import plural

if TYPE_CHECKING:
    from echolot_tui.investigate.model import Hunt, Round
    from echolot_tui.investigate.store import Store
    from echolot_tui.project.layout import Layout


def traces_of_rounds(given: Sequence[str], store: Store | None) -> tuple[tuple[str, ...], str | None]:
    """The arguments with every round's name replaced by its traces; and the scenario of those rounds.

    What is there as a file or folder is that; a pattern is a pattern. Anything else may be a round.

    Args:
        given: Files, patterns, folders and rounds (see :func:`find_round`).
        store: The project's record, if it has one.

    Raises:
        EcholotError: A round has no traces or lost them, or the rounds are of several scenarios.
    """
    hunts = store.hunts.all() if store is not None else ()
    rounds = _rounds(hunts, [each for each in given if _may_be_round(each)])
    if store is None or not rounds:
        return tuple(given), None
    scenarios = sorted({each.scenario for each in rounds.values()})
    if len(scenarios) > 1:
        raise EcholotError(
            f"the rounds are of different scenarios ({', '.join(scenarios)})", todo="name rounds of one"
        )
    arguments: list[str] = []
    for each in given:
        arguments += _traces(rounds[each], store.layout) if each in rounds else [each]
    return tuple(arguments), scenarios[0]


def _may_be_round(given: str) -> bool:
    return not (os.path.lexists(given) or glob.has_magic(given))


def _rounds(hunts: Sequence[Hunt], names: Sequence[str]) -> dict[str, Round]:
    found: dict[str, Round] = {}
    if not any(hunt.rounds for hunt in hunts):
        return found
    for each in names:
        try:
            found[each] = find_round(hunts, each)
        except EcholotError:
            if not Path(each).suffix:
                raise
            # With an ending it is a file that is missing, and the reader of traces knows the nearest name.
    return found


def _traces(of: Round, layout: Layout) -> list[str]:
    name = round_name(of.hunt, of.k)
    if not of.traces:
        raise EcholotError(f"{name} has no traces", todo="echolot round shows the runs of each")
    here = Path.cwd()
    paths = [layout.root / trace.path for trace in of.traces]
    gone = [path for path in paths if not path.is_file()]
    if gone:
        raise EcholotError(
            f"{len(gone)} of {plural(len(paths), 'trace')} of {name} are gone",
            where=str(gone[0]),
            todo="name the traces that are left",
        )
    label = f' "{of.label}"' if of.label else ""
    talk.note(f"{name}{label}: {plural(len(paths), 'trace')}")
    return [str(path.relative_to(here) if path.is_relative_to(here) else path) for path in paths]
