"""Opening traces in this process: good ones, bad ones, hostile ones."""

from __future__ import annotations

import gzip
import zipfile
from pathlib import Path

import numpy as np
import pytest

from echolot_tui.engine import open as opening
from echolot_tui.engine.backend import EngineDiedError
from echolot_tui.engine.locate import EMBEDDED_VERSION, find_build
from echolot_tui.engine.model import EngineChoice, EngineInfo, QueryError, TraceUnreadableError
from echolot_tui.engine.open import OutOfMemoryError, builds_to_try, load_trace, open_trace
from echolot_tui.engine.session import EngineFullError, EngineLostError
from echolot_tui.errors import EcholotError
from unit.engine import tiny

CHOICE = EngineChoice(timeout_s=60.0)
ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT MAX(x) FROM c"


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    return tiny.write_perfetto(tmp_path / "a.pftrace")


def _write(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def test_a_trace_answers(trace: Path) -> None:
    with open_trace(trace, CHOICE) as session:
        assert session.path == trace
        assert session.engine.kind == "embedded"
        assert session.engine.version == EMBEDDED_VERSION
        assert session.engine.sha256 == find_build("embedded").sha256
        got = session.query("SELECT name, ts, dur FROM slice ORDER BY ts")
        assert got.records() == [
            {"name": f"slice {i}", "ts": 1000 + 100 * i, "dur": 50 + i} for i in range(3)
        ]
        assert got["ts"].dtype == np.int64


def test_the_64_bit_build_answers_alike(trace: Path) -> None:
    with load_trace(trace, CHOICE, "embedded64", print) as session:
        assert session.engine.kind == "embedded64"
        assert session.engine.version == EMBEDDED_VERSION
        assert session.query("SELECT SUM(dur) FROM slice").scalar() == 50 + 51 + 52
        assert session.query("SELECT printf('%s', 1)").scalar() == "1"


def test_many_rows_in_several_batches(trace: Path) -> None:
    count = 300_000
    sql = f"""
        WITH RECURSIVE c(x) AS (SELECT 0 UNION ALL SELECT x + 1 FROM c WHERE x + 1 < {count})
        SELECT x, -x * 1000003 AS n, x * 0.5 AS half, 's' || (x % 7) AS text, IIF(x % 3, x, NULL) AS holes
        FROM c
    """
    with open_trace(trace, CHOICE) as session:
        got = session.query(sql)
    index = np.arange(count)
    assert got.rows == count
    assert np.array_equal(got["x"], index)
    assert np.array_equal(got["n"], -index * 1_000_003)
    assert np.array_equal(got["half"], index * 0.5)
    assert got["text"].tolist() == [f"s{i % 7}" for i in range(count)]
    assert got["holes"].tolist() == [i if i % 3 else None for i in range(count)]


def test_sql_longer_than_the_request_buffer(trace: Path) -> None:
    with open_trace(trace, CHOICE) as session:
        long = "x" * 3_000_000
        assert session.query(f"SELECT LENGTH('{long}') AS n").scalar() == 3_000_000


def test_statements_and_tables_stay(trace: Path) -> None:
    with open_trace(trace, CHOICE) as session:
        session.query("CREATE PERFETTO TABLE t AS SELECT dur FROM slice; SELECT 1")
        assert session.query("SELECT COUNT(*) FROM t").scalar() == 3
        assert session.query("CREATE VIEW v AS SELECT 1").rows == 0


def test_hostile_names_come_through(tmp_path: Path) -> None:
    names = ["[red]x[/]", "a|b\nc", "\x1b[31m", "ä" * 10_000, ""]
    slices = [(name, 100 * i, 50) for i, name in enumerate(names)]
    path = _write(tmp_path / "a", tiny.perfetto_trace([*slices, (b"bad \xff byte", 900, 5)]))
    with open_trace(path, CHOICE) as session:
        got = session.query("SELECT name FROM slice ORDER BY ts")["name"].tolist()
    assert [name or "" for name in got[:-1]] == names
    assert got[-1].startswith("bad ")
    got[-1].encode("utf-8")


def test_a_refused_query_names_trace_and_sql(trace: Path) -> None:
    with open_trace(trace, CHOICE) as session:
        with pytest.raises(QueryError) as caught:
            session.query("SELECT 1;\n SELECT *\x1b  FROM nope WHERE name = '" + "y" * 500 + "'")
        assert "a.pftrace" in caught.value.where
        assert "SELECT 1; SELECT *" in caught.value.where
        assert "\n" not in caught.value.sentence
        assert "\x1b" not in caught.value.sentence
        assert len(caught.value.where) < len(str(trace)) + 160
        with pytest.raises(QueryError, match="no such table: nope"):
            session.query("SELECT * FROM nope")
        assert session.query("SELECT 1").scalar() == 1, "a refused query does not end the session"


FORMATS = {
    "json": (tiny.chrome_json(), "slice", 2),
    "json.gz": (gzip.compress(tiny.chrome_json()), "slice", 2),
    "systrace": (tiny.SYSTRACE, "slice", 1),
    "perf script": (tiny.PERF_SCRIPT, "cpu_profile_stack_sample", 2),
    "perf script with header": (tiny.PERF_HEADER + tiny.PERF_SCRIPT, "cpu_profile_stack_sample", 2),
    "perf script with header, gzip": (
        gzip.compress(tiny.PERF_HEADER + tiny.PERF_SCRIPT),
        "cpu_profile_stack_sample",
        2,
    ),
    "perfetto.gz": (gzip.compress(tiny.perfetto_trace([("a", 1, 2)])), "slice", 1),
}


@pytest.mark.parametrize("name", FORMATS)
def test_formats(name: str, tmp_path: Path) -> None:
    content, table, count = FORMATS[name]
    with open_trace(_write(tmp_path / "x", content), CHOICE) as session:
        assert session.query(f"SELECT COUNT(*) FROM {table}").scalar() == count


@pytest.mark.parametrize("beside", [[], ["__MACOSX/._a", "notes.txt"]])
@pytest.mark.parametrize(
    "content",
    [tiny.perfetto_trace([("a", 1, 2)]), gzip.compress(tiny.chrome_json(1), mtime=0)],
    ids=["perfetto", "gzip"],
)
def test_zip_with_one_trace(beside: list[str], content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in [*beside, "a.trace"]:
            archive.writestr(name, content if name == "a.trace" else b"hello")
    with open_trace(path, CHOICE) as session:
        assert session.query("SELECT COUNT(*) FROM slice").scalar() == 1


def test_perf_script_with_comments_longer_than_a_piece(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("echolot_tui.engine.reading.PIECE", 40)
    path = _write(tmp_path / "x", tiny.PERF_HEADER + tiny.PERF_SCRIPT)
    with open_trace(path, CHOICE) as session:
        assert session.query("SELECT COUNT(*) FROM cpu_profile_stack_sample").scalar() == 2


BAD = {
    "empty file": (b"", "the file is empty"),
    "random bytes": (bytes(range(256)) * 20, "no kind of trace the engine knows; record"),
    "note": (b"hello\n", "no kind of trace the engine knows; record"),
    "no packet": (b"\x0a\x05hello", "probably corrupt; record"),
    "cut json": (tiny.chrome_json(50)[:-30], "JSON trace file is incomplete"),
    "no events": (b'{"traceEvents": []}', "found no events"),
    "only metadata": (
        b'{"traceEvents": [{"ph": "M", "pid": 1, "tid": 1, "name": "process_name", "args": {"name": "x"}}]}',
        "found no events",
    ),
    "perfetto without events": (tiny.perfetto_trace([]), "found no events"),
    "cut gzip": (
        gzip.compress(tiny.perfetto_trace([("a", i, 1) for i in range(99)]))[:-20],
        "GZIP stream incomplete",
    ),
    "cut gzip of perf script": (gzip.compress(tiny.PERF_HEADER + tiny.PERF_SCRIPT)[:-9], "cannot be read"),
    "old gecko": (tiny.OLD_GECKO, r"gave up \(it called abort\(\)\) while loading"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_files_are_refused_with_a_reason(name: str, tmp_path: Path) -> None:
    content, reason = BAD[name]
    path = _write(tmp_path / "bad.trace", content)
    with pytest.raises(TraceUnreadableError, match=reason) as caught:
        open_trace(path, CHOICE)
    assert caught.value.where == str(path)
    assert "\n" not in caught.value.sentence


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TraceUnreadableError, match="No such file"):
        open_trace(tmp_path / "nope", CHOICE)
    with pytest.raises(TraceUnreadableError, match="directory"):
        open_trace(tmp_path, CHOICE)


def test_after_an_abort_the_next_trace_loads(trace: Path, tmp_path: Path) -> None:
    for _ in range(3):
        with pytest.raises(TraceUnreadableError):
            open_trace(_write(tmp_path / "g", tiny.OLD_GECKO), CHOICE)
    with open_trace(trace, CHOICE) as session:
        assert session.query("SELECT COUNT(*) FROM slice").scalar() == 3


def test_a_query_that_never_ends_is_stopped(trace: Path) -> None:
    with open_trace(trace, EngineChoice(timeout_s=1.0)) as session:
        with pytest.raises(EngineLostError, match=r"was stopped after 1 s") as caught:
            session.query(ENDLESS)
        assert session.lost is caught.value
        with pytest.raises(EngineLostError, match="was stopped") as again:
            session.query("SELECT 1")
        assert again.value.where == caught.value.where, "the query it died over is what is told"
        assert "RECURSIVE" in again.value.where


def test_one_sessions_alarm_does_not_end_another(trace: Path) -> None:
    with open_trace(trace, CHOICE) as long, open_trace(trace, EngineChoice(timeout_s=0.5)) as short:
        with pytest.raises(EngineLostError):
            short.query(ENDLESS)
        assert long.query("SELECT COUNT(*) FROM slice").scalar() == 3


def test_a_query_that_eats_all_memory_is_stopped(trace: Path) -> None:
    endless = "CREATE PERFETTO TABLE endless AS " + ENDLESS.removesuffix("SELECT MAX(x) FROM c")
    with open_trace(trace, EngineChoice(timeout_s=60.0, memory_mb=128)) as session:
        with pytest.raises(EngineFullError, match=r"ran out of memory at 12\d MB"):
            session.query(f"{endless}SELECT x FROM c")
        assert isinstance(session.lost, EngineFullError)


def test_a_value_that_does_not_fit_is_no_answer(trace: Path) -> None:
    with (
        open_trace(trace, EngineChoice(timeout_s=60.0, memory_mb=64)) as session,
        pytest.raises(EngineFullError, match="ran out of memory"),
    ):
        session.query("SELECT LENGTH(HEX(ZEROBLOB(100000000)))")


class _Scripted:
    """A backend that loads anything and answers every query with ``answer``."""

    info = EngineInfo(kind="native", version="v0", sha256="")

    def __init__(self, answer: bytes | EngineDiedError) -> None:
        self.answer = answer
        self.closed = False

    def append(self, _piece: bytes) -> str:
        return ""

    def finish(self) -> str:
        return ""

    def query(self, _sql: str) -> list[bytes]:
        if isinstance(self.answer, EngineDiedError):
            raise self.answer
        return [self.answer]

    def close(self) -> None:
        self.closed = True


@pytest.mark.parametrize(
    ("answer", "kind", "why"),
    [
        (
            EngineDiedError("was stopped after 1 s"),
            TraceUnreadableError,
            "the engine was stopped after 1 s while",
        ),
        (EngineDiedError("ran out of memory", out_of_memory=True), OutOfMemoryError, "ran out of memory"),
        (b"\x0a\x05ab", TraceUnreadableError, "malformed answer"),
    ],
)
def test_an_engine_that_dies_while_the_trace_is_checked(
    answer: bytes | EngineDiedError,
    kind: type[TraceUnreadableError],
    why: str,
    trace: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    engine = _Scripted(answer)
    monkeypatch.setattr(opening, "NativeEngine", lambda *_args, **_options: engine)
    with pytest.raises(kind, match=why):
        open_trace(trace, EngineChoice(tp_binary=Path("tp")))
    assert engine.closed


def test_too_little_memory_for_a_trace(tmp_path: Path) -> None:
    path = tiny.write_perfetto(tmp_path / "big", 60_000)
    with pytest.raises(OutOfMemoryError, match="ran out of memory at") as caught:
        open_trace(path, EngineChoice(memory_mb=34))
    assert "more memory" in caught.value.todo


def test_a_trace_too_big_for_32_bits_is_loaded_again(trace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = opening.EmbeddedEngine

    def small(build: str, **options: object) -> object:
        limit = 33 << 20 if build == "embedded" else 1 << 30
        return real(build, **(options | {"memory_limit": limit}))  # type: ignore[arg-type]

    monkeypatch.setattr(opening, "EmbeddedEngine", small)
    path = tiny.write_perfetto(trace.parent / "big", 60_000)
    said: list[str] = []
    with open_trace(path, CHOICE, say=said.append) as session:
        assert session.engine.kind == "embedded64"
        assert session.query("SELECT COUNT(*) FROM slice").scalar() == 60_000
    assert any("64-bit engine" in line for line in said)


def test_which_builds_are_tried(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"x")
    assert builds_to_try(path, EngineChoice()) == ("embedded", "embedded64")
    assert builds_to_try(path, EngineChoice(memory_mb=2048)) == ("embedded",)
    assert builds_to_try(path, EngineChoice(tp_binary=Path("tp"))) == (None,)
    with path.open("r+b") as file:
        file.truncate(1 << 30)
    assert builds_to_try(path, EngineChoice()) == ("embedded64",)


def test_an_engine_without_room_says_so(trace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(EcholotError, match="does not start"):
        open_trace(trace, EngineChoice(memory_mb=8))
