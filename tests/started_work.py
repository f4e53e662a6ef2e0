"""Work a bridge starts, run when a test asks for it."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any


class Workers:
    """Runs what is started, one after the other."""

    def __init__(self) -> None:
        self.started: list[Coroutine[Any, Any, None]] = []

    def run_worker(self, work: Coroutine[Any, Any, None], **_: object) -> None:
        self.started.append(work)

    async def finish(self) -> None:
        while self.started:
            await self.started.pop(0)
