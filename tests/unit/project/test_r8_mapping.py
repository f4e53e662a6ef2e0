"""The mapping's grammar, and frames brought back, after R8's own description and its own test cases."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echolot_tui.project.r8_mapping import MappedClass, MappingError, chains, map_id, read_classes
from echolot_tui.project.retrace import Retracer

# https://r8.googlesource.com/r8/+/refs/heads/main/src/test/java/com/android/tools/r8/retrace/stacktraces/
# InlineWithLineNumbersStackTrace.java: line 7 is method3:81, method2:88, method1:96, main:102.
INLINED = """\
com.example.Main -> com.example.Main:
    1:1:void main(java.lang.String[]):101:101 -> main
    2:4:void method1(java.lang.String):94:96 -> main
    2:4:void main(java.lang.String[]):102 -> main
    5:5:void method2(int):86:86 -> main
    5:5:void method1(java.lang.String):96 -> main
    5:5:void main(java.lang.String[]):102 -> main
    6:7:void method3(long):80:81 -> main
    6:7:void method2(int):88 -> main
    6:7:void method1(java.lang.String):96 -> main
    6:7:void main(java.lang.String[]):102 -> main
"""

WHOLE = """\
# compiler: R8
# compiler_version: 8.5.35
# pg_map_id: 7cb1a3e
# {"id":"com.android.tools.r8.mapping","version":"2.2"}
com.app.feed.Feed -> a.b:
# {"id":"sourceFile","fileName":"Feed.kt"}
    com.app.feed.Cache cache -> a
    int com.app.Base.size -> b
    1:3:void load(com.app.feed.Cache,int):10:12 -> a
      # {"id":"com.android.tools.r8.residualsignature","signature":"(La/c;I)V"}
    1:2:java.util.List parse(int):40:41 -> a
    void store() -> b
    5:9:void clear() -> c
    1:1:void <init>():0:0 -> <init>
    void both() -> d
    1:5:void both():61:65 -> d
com.app.feed.Cache -> a.c:
# {"id":"sourceFile","fileName":"Caches.kt"}
    1:4:int get():20 -> a
    5:5:void com.app.feed.Feed.trim(int):77:77 -> b
    5:5:void put():30 -> b
com.app.feed.Feed$$ExternalSyntheticLambda0 -> a.d:
# {"id":"com.android.tools.r8.synthesized"}
    4:4:void com.app.feed.Feed.lambda$start$0():225 -> run
    4:4:void run():2 -> run
      # {"id":"com.android.tools.r8.synthesized"}
    5:5:void com.app.feed.Feed.lambda$start$1():228 -> run
    5:5:void run():4 -> run
com.app.Kept -> com.app.Kept:
    void stay() -> stay
"""


def lines(text: str) -> list[bytes]:
    return text.encode().splitlines(keepends=True)


def read(text: str, wanted: frozenset[str] | None = None) -> list[MappedClass]:
    return list(read_classes(lines(text), where="mapping.txt", wanted=wanted))


def told(
    retracer: Retracer, owner: str, method: str, line: int | None, **more: str
) -> list[tuple[object, ...]]:
    return [
        (frame.owner.rpartition(".")[2], frame.method, frame.file, frame.line)
        for frame in retracer.frames(owner, method, line, **more)
    ]


@pytest.mark.parametrize(
    ("line", "calls"),
    [
        (1, [("main", 101)]),
        (3, [("method1", 95), ("main", 102)]),
        (5, [("method2", 86), ("method1", 96), ("main", 102)]),
        (7, [("method3", 81), ("method2", 88), ("method1", 96), ("main", 102)]),
        (8, []),
    ],
)
def test_inlined_calls_come_back_innermost_first(line: int, calls: list[tuple[str, int]]) -> None:
    frames = Retracer.of(read(INLINED)).frames("com.example.Main", "main", line)
    assert [(frame.method, frame.line) for frame in frames] == calls


@pytest.mark.parametrize(
    ("owner", "method", "line", "expected"),
    [
        ("a.b", "b", 6, [("Feed", "store", "Feed.kt", 6)]),  # no lines named: they were not changed
        ("a.b", "c", 6, [("Feed", "clear", "Feed.kt", 6)]),  # lines named, none of the source's: the same
        ("a.b", "c", 4, []),
        ("a.c", "a", 3, [("Cache", "get", "Caches.kt", 20)]),  # one line of the source for all
        ("a.b", "<init>", 1, [("Feed", "<init>", "Feed.kt", None)]),  # line 0: the source has none
        ("a.b", "a", 3, [("Feed", "load", "Feed.kt", 12)]),  # only one overload has that line
        ("a.b", "a", 1, [("Feed", "load|parse", "Feed.kt", None)]),
        ("a.b", "d", 2, [("Feed", "both", "Feed.kt", 62)]),  # a line that names lines is the nearer one
        ("a.b", "d", 9, [("Feed", "both", "Feed.kt", 9)]),
        ("a.b", "a", None, [("Feed", "load|parse", "Feed.kt", None)]),
        ("a.b", "a", -2, [("Feed", "load|parse", "Feed.kt", None)]),
        ("a.c", "b", 5, [("Feed", "trim", "Feed.kt", 77), ("Cache", "put", "Caches.kt", 30)]),
        ("a.c", "b", None, [("Cache", "put", "Caches.kt", None)]),
        ("a.d", "run", 4, [("Feed", "lambda$start$0", "Feed.kt", 225)]),
        ("a.d", "run", 5, [("Feed", "lambda$start$1", "Feed.kt", 228)]),
        ("com.app.Kept", "stay", 9, [("Kept", "stay", None, 9)]),
        ("a.b", "z", 1, []),
        ("z.z", "a", 1, []),
    ],
)
def test_a_frame_comes_back(
    owner: str, method: str, line: int | None, expected: list[tuple[object, ...]]
) -> None:
    assert told(Retracer.of(read(WHOLE)), owner, method, line) == expected


def test_recorded_types_tell_overloads_apart() -> None:
    retracer = Retracer.of(read(WHOLE))
    assert told(retracer, "a.b", "a", 1, parameters="a.c, int") == [("Feed", "load", "Feed.kt", 10)]
    assert told(retracer, "a.b", "a", 1, parameters="int") == [("Feed", "parse", "Feed.kt", 40)]
    assert told(retracer, "a.b", "a", 1, parameters="long") == [("Feed", "load|parse", "Feed.kt", None)]
    assert retracer.types("a.c[], int, a.zz") == "com.app.feed.Cache[], int, a.zz"


def test_originals_of_several_classes_or_too_many_are_not_told() -> None:
    many = "".join(f"    void m{number}() -> a\n" for number in range(5))
    assert Retracer.of(read(f"c.C -> a:\n{many}")).frames("a", "a") == ()
    merged = "c.C -> a:\n    void one() -> a\n    void c.D.two(int) -> a\n"
    assert Retracer.of(read(merged)).frames("a", "a") == ()


def test_line_ends_byte_order_mark_and_blank_lines_do_not_matter() -> None:
    expected = read(WHOLE)
    assert read(WHOLE.replace("\n", "\r\n")) == expected
    assert read(WHOLE.replace("\n", "\n\n")) == expected
    assert read("\ufeff" + WHOLE) == expected
    assert read(WHOLE.replace("    ", "\t")) == expected


def test_only_wanted_classes_bring_their_methods() -> None:
    some = read(WHOLE, frozenset({"a.c"}))
    assert [(one.original, one.file) for one in some] == [(one.original, one.file) for one in read(WHOLE)]
    assert [one.minified for one in some if one.methods] == ["a.c"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "m.txt: holds no class"),
        ("# pg_map_id: 1\n", "m.txt: holds no class"),
        ("    void a() -> b\n", "m.txt:1: “void a() -> b” stands where a class line like"),
        (
            "c.C -> a:\nsome words\n",
            "m.txt:2: “some words” stands where a class line like original.Name -> a.b:",
        ),
        ("c.C -> a:\n\n    void a()\n", "m.txt:3: “void a()” stands where an indented line like 1:3:void"),
        ("c.C -> a:\n    1:x:void a() -> b\n", "m.txt:2: “1:x:void a() -> b” stands"),
    ],
)
def test_a_line_out_of_place_is_named(text: str, sentence: str) -> None:
    with pytest.raises(MappingError) as caught:
        list(read_classes(lines(text), where="m.txt"))
    assert caught.value.sentence.startswith(sentence)


def test_bytes_that_are_not_utf8_are_named() -> None:
    with pytest.raises(MappingError) as caught:
        list(read_classes([b"c.C -> a:\n", b"    void \xff() -> a\n"], where="m.txt"))
    assert caught.value.sentence == "m.txt:2: byte 10 is not UTF-8; copy the file again from the build"


def test_the_mappings_own_name() -> None:
    assert map_id(lines(WHOLE)) == "7cb1a3e"
    assert map_id(lines("c.C -> a:\n# pg_map_id: 5\n")) is None
    assert map_id([]) is None


_NAME = st.text("abXYZ$_é", min_size=1, max_size=4)
_RANGE = st.one_of(st.none(), st.tuples(st.integers(1, 60), st.integers(0, 9)))


@given(
    st.lists(
        st.tuples(
            _NAME, st.lists(st.tuples(_RANGE, _NAME, st.one_of(st.none(), st.integers(1, 900)), _NAME))
        ),
        min_size=1,
        max_size=5,
    )
)
def test_what_was_written_is_read(
    classes: list[tuple[str, list[tuple[tuple[int, int] | None, str, int | None, str]]]],
) -> None:
    text, expected = "", []
    for number, (name, methods) in enumerate(classes):
        text += f"c.{name} -> {number}.{name}:\n"
        for recorded, method, source, minified in methods:
            head = f"{recorded[0]}:{sum(recorded)}:" if recorded else ""
            tail = f":{source}:{source + recorded[1]}" if recorded and source else ""
            text += f"    {head}void {method}(int,c.X){tail} -> {minified}\n"
            expected.append((f"{number}.{name}", minified, recorded, source if recorded else None, method))
    mapped = read(text)
    assert [
        (one.minified, method.minified, method.name, method.parameters)
        for one in mapped
        for method in one.methods
    ] == [(owner, minified, method, "int,c.X") for owner, minified, _, _, method in expected]
    assert [call for one in mapped for chain in chains(one) for call in chain] == [
        method for one in mapped for method in one.methods
    ]
    methods = [method for one in mapped for method in one.methods]
    for method, (_, _, recorded, source, _) in zip(methods, expected, strict=True):
        for line in range(recorded[0], sum(recorded) + 1) if recorded else [5]:
            offset = line - recorded[0] if recorded else 0
            assert method.source_line(line) == (line if source is None else source + offset)


@given(st.lists(st.tuples(st.integers(1, 5), st.integers(1, 4)), min_size=1, max_size=6))
def test_every_line_comes_back_as_the_calls_that_were_inlined_there(pieces: list[tuple[int, int]]) -> None:
    """Pieces of one method: how many lines, how many calls deep; the innermost has lines of its own."""
    text, expected, first = "c.C -> a:\n", {}, 1
    for number, (width, depth) in enumerate(pieces):
        last = first + width - 1
        calls = [f"c.D{number}.call{level}" for level in range(depth - 1)] + ["outer"]
        text += f"    {first}:{last}:void {calls[0]}():{100 * first}:{100 * first + width - 1} -> m\n"
        text += "".join(f"    {first}:{last}:void {call}():{7 + number} -> m\n" for call in calls[1:])
        for line in range(first, last + 1):
            names = [call.rpartition(".")[2] for call in calls]
            lines_there = [100 * first + line - first] + [7 + number] * (depth - 1)
            expected[line] = list(zip(names, lines_there, strict=True))
        first = last + 1
    retracer = Retracer.of(read(text))
    told = {
        line: [(frame.method, frame.line) for frame in retracer.frames("a", "m", line)] for line in expected
    }
    assert told == expected
    assert retracer.frames("a", "m", first) == ()
    (named,) = retracer.frames("a", "m")
    assert (named.owner, named.method) == ("c.C", "outer")


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused_in_a_sentence(content: bytes) -> None:
    refused = None
    try:
        list(read_classes(content.splitlines(keepends=True), where="m.txt"))
    except MappingError as error:
        refused = error
    assert refused is None or refused.where.startswith("m.txt")
