"""Sections the sources open, and the domains made of them."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from checkouts import checkout
from echolot_tui.checkout.domains import Domains, find_domains
from echolot_tui.checkout.modules import Modules
from echolot_tui.checkout.sources import Sources
from echolot_tui.checkout.traced import traced_names
from echolot_tui.present.domains_text import domains_yaml

FEED = "feature/feed/src/main/java/com/example/Feed.kt"
LIBRARY = "import androidx.tracing.trace\n"


def names(root: Path, code: str, file: str = FEED) -> list[str | None]:
    sources = Sources(checkout(root, {file: code}))
    return [one.name for one in traced_names(sources, without="AGENTTMP_")]


def domains(root: Path) -> Domains:
    sources = Sources(root)
    return find_domains(sources, Modules(sources), without="AGENTTMP_")


@pytest.mark.parametrize(
    ("call", "name"),
    [
        ('Trace.beginSection("load")', "load"),
        ('android.os.Trace.beginSection("load")', "load"),
        ('TraceCompat.beginSection("load")', "load"),
        ('beginAsyncSection("load", cookie(1, 2))', "load"),
        ('Trace.traceBegin(TRACE_TAG_APP, "load")', "load"),
        ('trace("load") { work() }', "load"),
        ('trace(label = "load") { }', "load"),
        ('trace("row$index") {', "row*"),
        ('trace("row${rows.map { it.id }}end") {', "row*end"),
        ('trace({ "row $index" }) { }', "row *"),
        ('trace("row" + index + suffix) {}', "row*"),
        (r'trace("\$5 \"x\"") {}', '$5 "x"'),
        ('trace("a*b?[c]") {}', "a[*]b[?][[]c]"),
        ('trace("""raw "text" """) {}', 'raw "text" '),
        ('trace("a,b(") {}', "a,b("),
        ("trace(label) {}", None),
        ('trace("$label") {}', None),
    ],
)
def test_a_call_has_the_name_its_argument_makes(tmp_path: Path, call: str, name: str | None) -> None:
    assert names(tmp_path, f"{LIBRARY}fun a() {{\n  {call}\n}}") == [name]


@pytest.mark.parametrize(
    "code",
    [
        '// Trace.beginSection("a")',
        '/* trace("a") {} */',
        'logger.trace("a")',
        'log.trace("a") { }',
        "fun trace(name: String) {}",
        'trace("AGENTTMP_a") {}',
        "Trace.endSection()",
        'retrace("a")',
    ],
)
def test_what_is_no_section_of_the_app_is_none(tmp_path: Path, code: str) -> None:
    assert names(tmp_path, LIBRARY + code) == []


def test_a_logger_s_word_counts_only_where_the_library_is_imported(tmp_path: Path) -> None:
    assert names(tmp_path, 'fun a() = trace("message")') == []


def test_tests_open_no_sections(tmp_path: Path) -> None:
    assert names(tmp_path, 'Trace.beginSection("a")', "app/src/androidTest/T.kt") == []


def test_in_java_a_dollar_is_a_dollar(tmp_path: Path) -> None:
    assert names(tmp_path, 'void a() { Trace.beginSection("a$b" + i); }', "src/A.java") == ["a$b*"]


def test_constants_are_followed_the_own_file_s_first(tmp_path: Path) -> None:
    checkout(
        tmp_path,
        {
            "src/Names.kt": 'object Names { const val LOAD: String = "Feed.load" }',
            "src/Other.kt": 'const val LOAD = "Other.load"\nconst val ONLY = "only"',
            "src/J.java": 'class J { static final String SAVE = "save"; }',
        },
    )
    code = """
    const val OWN = "own"
    fun a() {
        Trace.beginSection(OWN)
        Trace.beginSection(Names.LOAD)
        Trace.beginSection(LOAD)
        Trace.beginSection(ONLY + id)
        Trace.beginSection(J.SAVE)
    }"""
    assert names(tmp_path, code, "src/A.kt") == ["own", "Feed.load", None, "only*", "save"]


def test_names_that_begin_alike_are_one_domain_with_its_module_and_first_place(tmp_path: Path) -> None:
    checkout(
        tmp_path,
        {
            "feature/feed/build.gradle.kts": "",
            "app/build.gradle": "",
            FEED: 'fun a() {\n Trace.beginSection("Feed.load")\n Trace.beginSection("Feed.bind")\n'
            ' Trace.beginSection(name)\n Trace.beginSection("Sync")\n}',
            "app/src/main/java/A.java": 'class A { void a() { Trace.beginSection("Feed.other"); } }',
            "lib/src/main/java/B.java": "class B {}",
        },
    )
    found = domains(tmp_path)
    assert [(one.slice, one.module, one.calls, one.hint) for one in found.domains] == [
        ("Feed.*", ":feature:feed", 2, f"{FEED}:2"),
        ("Feed.other", ":app", 1, "app/src/main/java/A.java:1"),
        ("Sync", ":feature:feed", 1, f"{FEED}:5"),
    ]
    assert (found.calls, found.modules, found.traced_modules) == (5, 3, 2)
    assert [(one.file, one.line) for one in found.unnamed] == [(FEED, 4)]


def test_the_yaml_reads_back_whatever_a_name_holds(tmp_path: Path) -> None:
    checkout(tmp_path, {"src/A.kt": r'fun a() { Trace.beginSection("no: [x] # \u0007 \"q\" é") }'})
    text = domains_yaml(domains(tmp_path), 12)
    (entry,) = yaml.safe_load(text)["domains"]
    assert entry == {"slice": 'no: [[]x] # \x07 "q" é', "module": ":", "hint": "src/A.kt:1"}
    assert "\x07" not in text


def test_the_yaml_says_how_much_it_covers_and_what_it_leaves_out(tmp_path: Path) -> None:
    code = "\n".join(f'Trace.beginSection("{name}")' for name in ("alpha", "beta", "gamma"))
    checkout(tmp_path, {"src/A.kt": f"{code}\nTrace.beginSection(x)"})
    text = domains_yaml(domains(tmp_path), 2)
    assert "4 tracing calls in 1 of 1 module; the names of 3 are in the sources" in text
    assert "names out of variables: src/A.kt:4" in text
    assert len(yaml.safe_load(text)["domains"]) == 2
    assert "# 1 more: --top 3 lists them" in text


def test_none_is_said(tmp_path: Path) -> None:
    checkout(tmp_path, {"src/A.kt": "class A"})
    text = domains_yaml(domains(tmp_path), 12)
    assert yaml.safe_load(text) is None
    assert "no tracing call" in text
