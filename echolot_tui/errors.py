"""The one error root: what happened, where, and what to do about it."""

from __future__ import annotations

from typing import Final

REFUSED: Final = 2
"""Exit code of a refusal: bad argument, unreadable file, config that does not load, no trace."""

FAILED: Final = 1
"""Exit code of a self-check that failed, or of a command that found nothing to act on."""


class EcholotError(Exception):
    """A failure that is told to a person in one sentence.

    Args:
        what: What happened, without a full stop.
        where: The file, key or trace it happened in; empty when ``what`` says it.
        todo: What to do about it; empty when nothing can be done.
        exit_code: Exit code of the command line.
    """

    prefix = "error"
    """What the command line puts before the sentence."""

    def __init__(self, what: str, *, where: str = "", todo: str = "", exit_code: int = REFUSED) -> None:
        """Keep the parts, and the sentence as the exception's text."""
        self.what = what
        self.where = where
        self.todo = todo
        self.exit_code = exit_code
        super().__init__(self.sentence)

    @property
    def sentence(self) -> str:
        """The parts as one sentence: ``where: what; todo``."""
        head = f"{self.where}: {self.what}" if self.where else self.what
        return f"{head}; {self.todo}" if self.todo else head

    def __reduce__(self) -> tuple[object, ...]:
        """Survive the way back from a worker process with all parts."""
        return _rebuild, (type(self), self.what, self.where, self.todo, self.exit_code)


class ConfigError(EcholotError):
    """``echolot.yml`` or ``local.yml`` does not load or says something that is not allowed."""

    prefix = "config error"


def _rebuild(kind: type[EcholotError], what: str, where: str, todo: str, exit_code: int) -> EcholotError:
    return kind(what, where=where, todo=todo, exit_code=exit_code)
