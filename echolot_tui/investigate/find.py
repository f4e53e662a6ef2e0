"""Which hunt a person means by a number or by words of its question, and which round by number or label."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from echolot_tui.errors import EcholotError
from echolot_tui.investigate.hunts import no_hunt
from echolot_tui.investigate.model import Hunt, Round
from echolot_tui.text import visible

_ROUND_NUMBER: Final = re.compile(r"(?:round[ -]?)?([0-9]{1,9})", re.IGNORECASE)
_LISTED: Final = 12


def find_hunt(hunts: Sequence[Hunt], wanted: str) -> Hunt:
    """The hunt of that number, or the only one whose question holds all the words.

    Raises:
        EcholotError: None is meant, or more than one.
    """
    words = wanted.casefold().split()
    if len(words) == 1 and words[0].removeprefix("#").isdecimal():
        number = int(words[0].removeprefix("#"))
        found = [hunt for hunt in hunts if hunt.n == number]
    else:
        found = [hunt for hunt in hunts if words and all(word in hunt.question.casefold() for word in words)]
    if not found:
        raise no_hunt(wanted)
    if len(found) > 1:
        numbers = ", ".join(str(hunt.n) for hunt in found)
        raise EcholotError(
            f'"{visible(wanted, 60)}" could mean hunts {numbers}', todo="name one by its number"
        )
    return found[0]


def find_round(hunts: Sequence[Hunt], wanted: str) -> Round:
    """The round of that number or label in the current hunt, else in the last one; ``HUNT/ROUND`` names both.

    Args:
        hunts: All of them.
        wanted: ``2``, ``round 2``, a label as in ``before``, or either after a hunt's number: ``1/before``.

    Raises:
        EcholotError: No round is meant, or more than one; the sentence names those there are.
    """
    of_hunt, slash, name = wanted.rpartition("/")
    meant = (
        [hunt for hunt in hunts if str(hunt.n) == of_hunt.strip().removeprefix("#")]
        if slash
        else sorted(hunts, key=lambda hunt: (hunt.current, hunt.touched_at, hunt.n))[-1:]
    )
    rounds = [each for hunt in meant for each in hunt.rounds]
    number = _ROUND_NUMBER.fullmatch(name.strip())
    found = [each for each in rounds if number and each.k == int(number[1])]
    if not found:
        label = name.strip().casefold()
        found = [each for each in rounds if each.label is not None and each.label.casefold() == label]
    if len(found) == 1:
        return found[0]
    shown = visible(wanted, 60)
    what = f'"{shown}" could mean several rounds' if found else f'there is no file and no round "{shown}"'
    raise EcholotError(what, todo=_rounds_there_are(hunts))


def _rounds_there_are(hunts: Sequence[Hunt]) -> str:
    newest = [(hunt, each) for hunt in reversed(hunts) for each in reversed(hunt.rounds)]
    if not newest:
        return "no hunt has a round yet; echolot collect records one, echolot analyze TRACES takes one"
    names = ", ".join(_named(hunt, each) for hunt, each in newest[:_LISTED])
    more = f" and {len(newest) - _LISTED} more" if len(newest) > _LISTED else ""
    return f"there is {names}{more}"


def _named(hunt: Hunt, of: Round) -> str:
    return f"{hunt.n}/{of.k}" + (f' "{visible(of.label, 30)}"' if of.label else "")
