"""Threads the sources start without a name: in a trace they all look alike."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from echolot_tui.checkout.calls import arguments
from echolot_tui.checkout.declarations import without_comments
from echolot_tui.checkout.markers import TESTS
from echolot_tui.checkout.sources import Sources
from echolot_tui.frozen import Frozen

_POOL: Final = "pool-N-thread-M"
_UNNAMED: Final[dict[str, tuple[str, Callable[[Sequence[str]], bool]]]] = {
    "newFixedThreadPool": (_POOL, lambda given: len(given) == 1),
    "newCachedThreadPool": (_POOL, lambda given: not given),
    "newSingleThreadExecutor": (_POOL, lambda given: not given),
    "newScheduledThreadPool": (_POOL, lambda given: len(given) == 1),
    "newSingleThreadScheduledExecutor": (_POOL, lambda given: not given),
    "newWorkStealingPool": ("ForkJoinPool-N-worker-M", lambda _: True),
    "ThreadPoolExecutor": (_POOL, lambda given: not any("actory" in each for each in given)),
    "ScheduledThreadPoolExecutor": (_POOL, lambda given: not any("actory" in each for each in given)),
    "Timer": ("Timer-N", lambda given: given in ([], ["true"], ["false"])),
    "thread": ("Thread-N", lambda given: bool(given) and not any(each.startswith("name") for each in given)),
}
"""A call, what its threads are called by the JDK, and whether its arguments leave it at that."""
_CALL: Final = re.compile(
    rf"(?<![\w$])(?:Executors\s*\.\s*)?(?P<call>{'|'.join(sorted(_UNNAMED, key=len, reverse=True))})\s*\("
)
_WORDS: Final = (b"Thread", b"Executor", b"Timer", b"thread")
"""One of them is in every such call."""
_KOTLIN_THREAD: Final = re.compile(r"\bimport\s+kotlin\.concurrent\.(?:thread|\*)")
_DECLARED: Final = re.compile(r"\b(?:class|fun|import|void)\s+\Z")


class UnnamedThreads(Frozen, frozen=True, kw_only=True):
    """One place that starts threads under the JDK's own names."""

    file: str
    line: int
    call: str
    threads: str
    """What they are called in a trace."""


def unnamed_threads(sources: Sources) -> tuple[UnnamedThreads, ...]:
    """Every such place in the sources of the app, by file and line; tests are left out."""
    found = []
    for path in sources.paths:
        content = sources.content(path)
        if TESTS.search(path) or not any(word in content for word in _WORDS):
            continue
        text = without_comments(content.decode("utf-8", "replace"))
        for call in _CALL.finditer(text):
            name = call["call"]
            if _DECLARED.search(text, max(call.start() - 20, 0), call.start()):
                continue
            if name == "thread" and not _KOTLIN_THREAD.search(text):
                continue
            given = arguments(text, call.end() - 1)
            threads, is_unnamed = _UNNAMED[name]
            if given is not None and is_unnamed(given[0]):
                line = text.count("\n", 0, call.start("call")) + 1
                found.append(UnnamedThreads(file=path, line=line, call=name, threads=threads))
    return tuple(found)
