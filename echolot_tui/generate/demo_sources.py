"""The demo app's sources: as much of them as its traces name, at the lines they name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_ROOT: Final = "app/src/main/kotlin/com/example/app"

FLUSH_LINE: Final = 118
"""In ``SyncEngine.flush``, which holds the lock."""
SNAPSHOT_LINE: Final = 64
"""In ``FeedStore.snapshot``, which waits for it."""
HEADER_LINE: Final = 31
"""Of the composable ``FeedHeader``."""

_ENGINE_HEAD: Final = """\
package com.example.app.sync

import com.example.app.feed.FeedStore

/** Sends what changed on the phone. Part of an echolot demo: this app does not exist. */
class SyncEngine(private val store: FeedStore) {
    private val endpoints = listOf("""
_ENGINE_TAIL: Final = """\
    )

    fun flush() {
        synchronized(store) {
            endpoints.forEach { store.write(it) }
        }
    }
}
"""
_STORE_HEAD: Final = """\
package com.example.app.feed

/** What the first screen shows. Part of an echolot demo: this app does not exist. */
class FeedStore {
    private val items = mutableListOf("""
_STORE_TAIL: Final = """\
    )

    @Synchronized
    fun snapshot(): List<String> {
        return items.toList()
    }

    fun write(item: String) {
        items += item
    }
}
"""
_HEADER_HEAD: Final = """\
package com.example.app.ui

import androidx.compose.runtime.Composable

/** Part of an echolot demo: this app does not exist. */
private val GREETINGS = listOf("""
_HEADER_TAIL: Final = """\
)

@Composable
fun FeedHeader() {
    GREETINGS.forEach { Greeting(it) }
}
"""


def demo_sources() -> Mapping[str, str]:
    """Text of each source by its path in the project."""
    return {
        f"{_ROOT}/sync/SyncEngine.kt": _at_line(
            FLUSH_LINE, _ENGINE_HEAD, "store.write", _ENGINE_TAIL, "        "
        ),
        f"{_ROOT}/feed/FeedStore.kt": _at_line(
            SNAPSHOT_LINE, _STORE_HEAD, "items.toList", _STORE_TAIL, "        "
        ),
        f"{_ROOT}/ui/FeedHeader.kt": _at_line(
            HEADER_LINE, _HEADER_HEAD, "fun FeedHeader", _HEADER_TAIL, "    "
        ),
    }


def _at_line(line: int, head: str, text: str, tail: str, indent: str) -> str:
    """Head, a list just long enough to bring ``text`` to its line, and tail."""
    after = next(at for at, one in enumerate(tail.splitlines(), 1) if text in one)
    entries = line - after - len(head.splitlines())
    return "\n".join([head, *(f'{indent}"entry {number}",' for number in range(1, entries + 1)), tail])
