"""The history's part of the bridge: judge the store or a file of series, bless and unbless."""

from __future__ import annotations

from collections.abc import Sequence

from echolot_tui.errors import EcholotError
from echolot_tui.tui.bridge import Bridge
from echolot_tui.tui.decoding import decode_in_pieces
from echolot_tui.tui.process import run_verb
from echolot_tui.tui.store import Ready, Working


class HistoryBridge(Bridge):
    """Adds history to what :class:`Bridge` does."""

    def analyze_history(self) -> None:
        """Judge the project's store."""
        self._start("history", self._analyze_history())

    def bless_history(self, flags: Sequence[str], prefix: str, reason: str | None) -> None:
        """Accept a series' level at the checked-out commit, or take that back; then judge anew."""
        self._start("history", self._bless_history(tuple(flags), prefix, reason))

    def judge_history(self, file: str) -> None:
        """Judge a file of series."""
        self._start("history", self._judge_history(file))

    async def _analyze_history(self) -> None:
        arguments = ("history", "analyze", "--json", "--verbose", *self._config_flags)
        await self._show_history(arguments, "judging the recorded series")

    async def _judge_history(self, file: str) -> None:
        await self._show_history(("history", "judge", "--json", "--verbose", "--", file), f"judging {file}")

    async def _show_history(self, arguments: Sequence[str], text: str) -> None:
        # Deferred: 0.2 s that only this screen needs.
        from echolot_tui.history.model import HistoryReport, SeriesState  # noqa: PLC0415

        printed = await self._verb("history", arguments, text)
        report = await decode_in_pieces(
            printed, HistoryReport, field="every", item=SeriesState, what="history"
        )
        self._store.put(history=Ready(value=report))

    async def _bless_history(self, flags: tuple[str, ...], prefix: str, reason: str | None) -> None:
        """A refusal is said and costs no more than itself: the list comes back as it was."""
        verb = ("unbless",) if reason is None else ("bless", f"--reason={reason}")
        self._store.put(history=Working(text=f"{verb[0]}ing the series"))
        arguments = (*self._root_flags, "history", *verb, *self._config_flags, *flags, "--", prefix)
        try:
            printed = await run_verb(arguments, self._say)
        except EcholotError as error:
            self._say(error.sentence)
        else:
            if reason is None:
                self._say(printed.decode().strip())
        await self._analyze_history()
