"""Lines of declarations in Kotlin and Java as people write them."""

from __future__ import annotations

import pytest

from echolot_tui.checkout.declarations import declaration_line, names_in, only_code, without_comments

KOTLIN = """package com.example.app

/** fun load() is documented here. */
data class Row(val id: Int)

internal class Feed<T : Any>(
    private val store: Store,
) : Base() {
    val size: Int get() = 1
    // fun bind() was here
    private inline fun <reified R> bind(row: R) = "fun load() {"

    inner class Page {
        fun load() {
            run { store.read() }
        }
    }

    override suspend fun load(): List<T> {
        val listener = object : Listener {
            override fun onDone() {
            }
        }
        return emptyList()
    }

    companion object {
        fun create() = Feed<Int>()
    }
}

fun String?.`as text`() = this ?: ""
fun List<Feed<Int>>.refreshAll() {
}
object Empty
val count by lazy { 3 }
"""

JAVA = """package com.example.app;

import java.util.List;

public final class Cache {
    private static int size;

    Cache() { refresh(); }

    /* void refresh() {} */
    @Override
    public synchronized void refresh() throws IOException {
        return read(1);
    }

    @Nullable static <T> List<T> read(
            int number, List<String> names) {
        if (number > 1) { refresh(); }
        return null;
    }

    abstract int later(int a);

    private static class Entry implements Runnable {
        public void run() {}
    }

    enum Kind { A, B }
}
"""


def line_of(text: str, start: str) -> int:
    """The one line that begins so, spaces aside."""
    (found,) = [at for at, one in enumerate(text.splitlines(), 1) if one.strip().startswith(start)]
    return found


@pytest.mark.parametrize(
    ("symbol", "line"),
    [
        ("Row", "data class Row"),
        ("Row.component1", "data class Row"),
        ("Row.load", "data class Row"),
        ("Feed", "internal class Feed"),
        ("Feed.<init>", "internal class Feed"),
        ("Feed.load", "override suspend fun load"),
        ("Feed.load$default", "override suspend fun load"),
        ("Feed$load$2.invokeSuspend", "override suspend fun load"),
        ("Feed$load$listener$1.onDone", "override fun onDone"),
        ("Feed$Page.load", "fun load() {"),
        ("Feed.Page", "inner class Page"),
        ("Feed.bind-abc12", "private inline fun"),
        ("Feed.getSize", "val size"),
        ("Feed$Companion.create", "fun create"),
        ("Feed.create", "fun create"),
        ("FeedKt.as text", "fun String?.`as text`"),
        ("FeedKt.refreshAll", "fun List<Feed<Int>>"),
        ("Empty", "object Empty"),
        ("FeedKt.getCount", "val count"),
    ],
)
def test_kotlin(symbol: str, line: str) -> None:
    found = declaration_line(only_code(KOTLIN), names_in(symbol), java=False)
    assert found == line_of(KOTLIN, line)


@pytest.mark.parametrize(
    ("symbol", "line"),
    [
        ("Cache", "public final class Cache"),
        ("Cache.<clinit>", "public final class Cache"),
        ("Cache.refresh", "public synchronized void refresh"),
        ("Cache.read", "@Nullable static <T>"),
        ("Cache.later", "abstract int later"),
        ("Cache$Entry.run", "public void run"),
        ("Cache$Kind", "enum Kind"),
    ],
)
def test_java(symbol: str, line: str) -> None:
    found = declaration_line(only_code(JAVA), names_in(symbol), java=True)
    assert found == line_of(JAVA, line)


@pytest.mark.parametrize("symbol", ["Nothing", "emptyList", "onGone", ""])
def test_what_is_only_used_is_not_declared(symbol: str) -> None:
    assert declaration_line(only_code(KOTLIN), names_in(symbol), java=False) is None


def test_names_the_compiler_adds_are_left_out() -> None:
    assert names_in("Feed$load$2.invokeSuspend") == ("Feed", "load", "invokeSuspend")
    assert names_in("FeedKt.access$draw$lambda$3") == ("FeedKt", "draw")
    assert names_in("Feed.<init>") == ("Feed",)


def test_blanked_code_keeps_its_lines() -> None:
    text = 'a /* { \n } */ b "{\\"{" c // }\n"""\n{\n""" d \'{\' e'
    assert only_code(text).split("\n") == ["a      ", "      b        c     ", "   ", " ", "    d     e"]
    assert "".join(only_code(text).split()) == "abcde"
    assert '"{\\"{"' in without_comments(text)
    assert "}" not in without_comments(text)


HOSTILE = (
    "/*",
    '"',
    "{",
    "fun ",
    "fun <",
    "fun load<",
    "class A<",
    "val <",
    "\nx load(",
    "\n@A ",
    "@A\n",
    "a ",
    "\n",
)


@pytest.mark.parametrize("piece", HOSTILE)
def test_no_text_takes_longer_than_its_length(piece: str) -> None:
    """A repeat inside a repeat would take minutes here."""
    text = piece * 20_001
    for java in (False, True):
        assert declaration_line(only_code(text), ("load",), java=java) is None
