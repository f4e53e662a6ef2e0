"""A function over many series, in worker processes where that pays; results in the order of the series."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from typing import Final, TypeVar

from echolot_tui.errors import EcholotError

T = TypeVar("T")
R = TypeVar("R")

_WORTH_IT: Final = 200
"""Series from which on starting processes pays."""


def over_series(run: Callable[[T], R], items: Sequence[T], *, jobs: int) -> list[R]:
    """``[run(item) for item in items]``.

    Args:
        run: A function at the top of a module, or a partial of one: workers import it.
        items: Picklable.
        jobs: Worker processes; 1 stays in this one.

    Raises:
        EcholotError: A worker died, for want of memory for instance.
    """
    if jobs == 1 or len(items) < _WORTH_IT:
        return [run(item) for item in items]
    # Fresh processes: a fork of one that runs threads, as the screens do, may hang.
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        try:
            return list(pool.map(run, items, chunksize=max(len(items) // (jobs * 16), 1)))
        except BrokenProcessPool as error:
            raise EcholotError("a worker process died", todo="try again with --jobs 1") from error
