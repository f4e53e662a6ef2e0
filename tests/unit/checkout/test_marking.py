"""Temporary markers: where they go, that they balance, and that taking them out gives back every byte."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checkouts import checkout
from echolot_tui.checkout.declarations import only_code
from echolot_tui.checkout.functions import body_lines, functions_in, innermost, statement_at
from echolot_tui.checkout.manifest import app_modules
from echolot_tui.checkout.mark_targets import Marker, MarkPlan
from echolot_tui.checkout.marking import TAG, Mark, marked, section_name, unmarked
from echolot_tui.checkout.pools import unnamed_threads
from echolot_tui.checkout.sources import Sources

CODE = "app/src/main/java/com/example"
SCRIPT = 'plugins { id("com.android.application") }\nandroid { namespace = "com.example" }\n'
MANIFEST = """<manifest xmlns:android="http://schemas.android.com/apk/res/android">
  <application android:name=".App">
    <activity android:name=".Main"><intent-filter>
      <action android:name="android.intent.action.MAIN"/>
      <category android:name="android.intent.category.LAUNCHER"/>
    </intent-filter></activity>
    <activity android:name=".Other"/>
  </application>
</manifest>"""
MAIN = """package com.example

class Main : Activity() {
    override fun onCreate(state: Bundle?) {
        super.onCreate(state)
        prepare()
        if (state == null) {
            return
        }
        setContent {
            Feed()
        }
    }

    private fun prepare(name: String = "{") {
        work(name)
    }

    @Composable
    fun Feed() {
        Row()
    }
}
"""
APP = """package com.example

class App : Application() {
    override fun onCreate() {
        super.onCreate()
        val db = Room.databaseBuilder(this, Db::class.java, "x")
            .build()
        startKoin { modules(db) }
    }
}
"""


def plan(root: Path, files: dict[str, str] | None = None, allowed: tuple[str, ...] = ()) -> MarkPlan:
    base = {
        "app/build.gradle.kts": SCRIPT,
        "app/src/main/AndroidManifest.xml": MANIFEST,
        f"{CODE}/Main.kt": MAIN,
        f"{CODE}/App.kt": APP,
    }
    sources = Sources(checkout(root, base | (files or {})))
    return Marker(sources, prefix="AGENTTMP_", allowed=allowed).starts(app_modules(sources))


def test_a_cold_start_s_places_are_found_with_the_lines_they_hold(tmp_path: Path) -> None:
    found = plan(tmp_path)
    assert [
        (one.file.rpartition("/")[2], one.line, one.last_line, one.kind, one.section) for one in found.marks
    ] == [
        ("App.kt", 5, 8, "function", "AGENTTMP_App.onCreate"),
        ("App.kt", 6, 7, "statement", "AGENTTMP_App.Room.databaseBuilder"),
        ("App.kt", 8, 8, "statement", "AGENTTMP_App.startKoin"),
        ("Main.kt", 5, 12, "function", "AGENTTMP_Main.onCreate"),
        ("Main.kt", 10, 12, "statement", "AGENTTMP_Main.setContent"),
        ("Main.kt", 16, 16, "function", "AGENTTMP_Main.prepare"),
    ]
    assert found.skipped == ()


def test_marked_sources_hold_pairs_and_their_own_lines_only(tmp_path: Path) -> None:
    found = plan(tmp_path)
    made = marked(MAIN, [one for one in found.marks if one.file.endswith("Main.kt")])
    added = [line for line in made.splitlines() if line.endswith(TAG)]
    assert len(added) == 6
    assert sum("beginSection" in line for line in added) == sum("endSection" in line for line in added) == 3
    assert [line for line in made.splitlines() if not line.endswith(TAG)] == MAIN.splitlines()
    code = only_code(made)
    assert code.count("{") == code.count("}")
    inner = made.index("AGENTTMP_Main.setContent")
    assert made.index("AGENTTMP_Main.onCreate") < inner < made.index("} finally {")


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_taking_markers_out_gives_back_every_byte(tmp_path: Path, newline: str) -> None:
    text = MAIN.replace("\n", newline).rstrip("\r\n") + "\udcff\x0b"
    marks = [one for one in plan(tmp_path).marks if one.file.endswith("Main.kt")]
    made = marked(text, marks)
    assert made.count(newline) == text.count(newline) + 6
    assert unmarked(made) == (text, 6, ())


@given(
    body=st.lists(st.text("ab{}\"' /*\t", max_size=8), min_size=1, max_size=12),
    spans=st.lists(st.tuples(st.integers(1, 12), st.integers(0, 5)), max_size=4),
    ends=st.sampled_from(["\n", "\r\n"]),
)
def test_any_markers_come_out_again(body: list[str], spans: list[tuple[int, int]], ends: str) -> None:
    text = "\n".join(body) + ends
    lines = text.count("\n")
    marks = [
        Mark(file="", line=first, last_line=first + more, kind="function", section="S", why="")
        for first, more in spans
        if first + more <= lines
    ]
    made = marked(text, marks)
    assert unmarked(made) == (text, 2 * len(marks), ())
    assert made.count("beginSection") == made.count("endSection") == len(marks)


def test_a_line_with_the_tag_that_was_changed_stays_and_is_told() -> None:
    text = f"a\n  android.os.Trace.endSection(); {TAG}\n  keep(); {TAG}\nb // {TAG} said\n"
    assert unmarked(text) == (f"a\n  keep(); {TAG}\nb // {TAG} said\n", 1, (3,))


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("override suspend fun onCreate() {\n  a()\n }", "suspend"),
        ("@Composable\n override fun onCreate() {\n  a()\n }", "Compose"),
        ("override fun onCreate() { a() }", "lines of its own"),
        ("override fun onCreate() = a()", "no body in braces"),
        ("override fun onCreate(): Int = run {\n a()\n }", "no body in braces"),
        ("fun other() {\n a()\n }", "no body in braces"),
    ],
)
def test_what_cannot_be_marked_is_left_out_with_its_reason(tmp_path: Path, body: str, reason: str) -> None:
    found = plan(tmp_path, {f"{CODE}/Main.kt": f"package com.example\nclass Main {{\n {body}\n}}\n"})
    assert [one.file for one in found.marks] == [f"{CODE}/App.kt"] * 3
    assert any(reason in one.reason for one in found.skipped)


def test_paths_that_may_not_be_edited_are_left_out(tmp_path: Path) -> None:
    found = plan(tmp_path, allowed=("app/*/Main.kt",))
    assert {one.file for one in found.marks} == {f"{CODE}/Main.kt"}
    assert {one.reason for one in found.skipped} == {"instrumentation.allowed leaves it out"}


def test_one_name_twice_is_told_apart(tmp_path: Path) -> None:
    body = "package com.example\nclass A {\n fun a() {\n  startKoin { }\n  startKoin { }\n }\n}\n"
    sections = [
        one.section for one in plan(tmp_path, {f"{CODE}/A.kt": body}).marks if one.file.endswith("/A.kt")
    ]
    assert sections == ["AGENTTMP_A.startKoin", "AGENTTMP_A.startKoin 2"]


def test_functions_named_by_a_dump_are_marked_through_their_lambdas(tmp_path: Path) -> None:
    plan(tmp_path)
    marker = Marker(Sources(tmp_path), prefix="T_", allowed=())
    found = marker.functions(["com.example.Main$prepare$1.invoke", "com.example.Gone.a"], "on the stack")
    assert [(one.section, one.line) for one in found.marks] == [("T_Main.prepare", 16)]
    assert [(one.what, one.reason) for one in found.skipped] == [
        ("com.example.Gone.a", "the sources do not have it")
    ]


@pytest.mark.parametrize(
    ("statement", "lines"),
    [
        ("call()", (1, 1)),
        ("val a = call()", (1, 1)),
        ("val a =\n  call()", (1, 2)),
        ("call()\n  .then()\n  ?.also { }", (1, 3)),
        ("x.y(\n call(),\n 2)", (1, 3)),
        ("call {\n  b()\n}", (1, 3)),
        ("val a = call() ?: return", None),
        ("return call()", None),
        ("if (x) {\n call()\n}", None),
        ("if (x &&\n  (y))\n call()", None),
        ("else\n call()", None),
        ("run { call() }", None),
        ("call(); other()", None),
    ],
)
def test_a_statement_of_kotlin_has_its_lines(statement: str, lines: tuple[int, int] | None) -> None:
    code = f"fun f() {{\n{statement}\nafter()\n}}"
    (function,) = functions_in(code, java=False)
    assert statement_at(code, code.index("call"), function, java=False) == lines


@pytest.mark.parametrize(
    ("statement", "lines"),
    [
        ("call();", (2, 2)),
        ("A a = B\n  .call()\n  .build();", (2, 4)),
        ("return call();", None),
        ("call(); other();", None),
        ("if (x)\n call();", None),
        ("if (x)\n call();\nelse\n other();", None),
    ],
)
def test_a_statement_of_java_has_its_lines(statement: str, lines: tuple[int, int] | None) -> None:
    code = f"class A {{ // x\nvoid f() throws E {{\n{statement}\nafter();\n}} }}"
    (function,) = functions_in(code, java=True)
    assert statement_at(code, code.index("call"), function, java=True) == lines


def test_functions_are_those_with_braces_and_the_innermost_holds_a_place() -> None:
    code = only_code(
        "fun a(x: (Int) -> Unit = { }, y: Int): Map<String, List<Int>> {\n  fun b() {\n   c()\n  }\n}\n"
        "fun d() = e {\n}\nabstract fun g()\nfun <T> h(t: T) {\n}\n"
    )
    found = functions_in(code, java=False)
    assert [one.name for one in found] == ["a", "b", "h"]
    inside = innermost(found, code.index("c()"))
    assert inside is not None
    assert inside.name == "b"
    assert body_lines(code, inside) == (2, 2)
    assert body_lines(code, found[2]) is None
    assert innermost(found, code.index("fun <T>")) is None


def test_a_section_s_name_is_one_android_takes() -> None:
    assert section_name("T_", 'a"b$c\\d') == "T_a_b_c_d"
    assert len(section_name("T_", "x" * 300)) == 127


@pytest.mark.parametrize(
    ("manifest", "application", "launchers"),
    [
        (MANIFEST, "com.example.App", ("com.example.Main",)),
        (MANIFEST.replace('".Main"', '"org.other.Main"'), "com.example.App", ("org.other.Main",)),
        (
            MANIFEST.replace("<activity ", '<activity-alias android:targetActivity=".Real" ', 1).replace(
                "</activity>", "</activity-alias>", 1
            ),
            "com.example.App",
            ("com.example.Real",),
        ),
        ("<manifest/>", None, ()),
    ],
)
def test_a_manifest_names_what_starts(
    tmp_path: Path, manifest: str, application: str | None, launchers: tuple[str, ...]
) -> None:
    files = {"app/build.gradle.kts": SCRIPT, "app/src/main/AndroidManifest.xml": manifest, f"{CODE}/A.kt": ""}
    (app,) = app_modules(Sources(checkout(tmp_path, files)))
    assert (app.module, app.application, app.launchers) == (":app", application, launchers)


@pytest.mark.parametrize("manifest", ["<manifest", '<!DOCTYPE a [<!ENTITY b "c">]><manifest/>', None])
def test_a_manifest_that_cannot_be_read_says_why(tmp_path: Path, manifest: str | None) -> None:
    files = {"app/build.gradle.kts": SCRIPT, f"{CODE}/A.kt": ""}
    if manifest is not None:
        files["app/src/main/AndroidManifest.xml"] = manifest
    (app,) = app_modules(Sources(checkout(tmp_path, files)))
    assert app.problem is not None
    assert app.problem.startswith("app/src/main/AndroidManifest.xml cannot be read")


@pytest.mark.parametrize(
    ("call", "threads"),
    [
        ("Executors.newFixedThreadPool(4)", "pool-N-thread-M"),
        ("Executors.newFixedThreadPool(4, factory)", None),
        ("Executors.newCachedThreadPool()", "pool-N-thread-M"),
        ("newSingleThreadExecutor { r -> Thread(r, name) }", None),
        ("Executors.newSingleThreadExecutor(named)", None),
        ("Executors.newScheduledThreadPool(2)", "pool-N-thread-M"),
        ("ThreadPoolExecutor(1, 2, 3, SECONDS, queue)", "pool-N-thread-M"),
        ("ThreadPoolExecutor(1, 2, 3, SECONDS, queue, threadFactory)", None),
        ("new Timer()", "Timer-N"),
        ('Timer("sync")', None),
        ("// Timer()", None),
        ("thread(start = true) { }", "Thread-N"),
        ('thread(name = "sync") { }', None),
    ],
)
def test_threads_without_a_name_are_told(tmp_path: Path, call: str, threads: str | None) -> None:
    code = f"import kotlin.concurrent.thread\nval x = {call}\n"
    found = unnamed_threads(Sources(checkout(tmp_path, {"src/A.kt": code})))
    assert [(one.line, one.threads) for one in found] == ([] if threads is None else [(2, threads)])
