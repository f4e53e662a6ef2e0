"""Which hunt a person means by a number or by words of its question."""

from __future__ import annotations

from collections.abc import Sequence

from echolot_tui.errors import EcholotError
from echolot_tui.investigate.hunts import no_hunt
from echolot_tui.investigate.model import Hunt
from echolot_tui.text import visible


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
