"""The native engine, played by a script that serves the same HTTP interface."""

from __future__ import annotations

import hashlib
import os
import time
from pathlib import Path

import pytest

from echolot_tui.engine.model import EngineChoice, QueryError, TraceUnreadableError
from echolot_tui.engine.native import NativeEngine
from echolot_tui.engine.open import open_trace
from echolot_tui.engine.session import EngineLostError
from echolot_tui.errors import EcholotError
from unit.engine import fake_shell, tiny


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    return tiny.write_perfetto(tmp_path / "a.pftrace")


def _choice(binary: Path, **bounds: float) -> EngineChoice:
    return EngineChoice(tp_binary=binary, tp_binary_source="toolchain.tp_binary", **bounds)  # type: ignore[arg-type]


def test_it_answers_like_the_embedded_one(trace: Path, tmp_path: Path) -> None:
    binary = fake_shell.install(tmp_path)
    sql = "SELECT name, ts, dur, NULL AS empty, 0.5 AS half FROM slice ORDER BY ts"
    with open_trace(trace, _choice(binary)) as native, open_trace(trace, EngineChoice()) as embedded:
        assert native.query(sql).records() == embedded.query(sql).records()
        assert native.engine.kind == "native"
        assert native.engine.version == "v52.0-fake"
        assert native.engine.sha256 == hashlib.sha256(binary.read_bytes()).hexdigest()
        with pytest.raises(QueryError, match=r"a\.pftrace, query “SELECT \* FROM nope”: no such table"):
            native.query("SELECT * FROM nope")


def test_unreadable_traces_have_the_same_reason(tmp_path: Path) -> None:
    bad = tmp_path / "bad"
    bad.write_bytes(tiny.chrome_json(50)[:-30])
    with pytest.raises(TraceUnreadableError, match="JSON trace file is incomplete"):
        open_trace(bad, _choice(fake_shell.install(tmp_path)))


def _files(folder: Path) -> dict[str, Path]:
    def script(name: str, text: str, mode: int = 0o755) -> Path:
        path = folder / name
        path.write_text(text)
        path.chmod(mode)
        return path

    return {
        "there is no such file": folder / "nope",
        "it is not executable": script("plain", "#!/bin/sh\n", 0o644),
        r"--version exits with code 7: no such luck": script(
            "failing", "#!/bin/sh\necho no such luck >&2\nexit 7\n"
        ),
        "it ended at once: cannot bind": script(
            "ending",
            '#!/bin/sh\n[ "$1" = --version ] && { echo v1.0; exit; }\necho cannot bind >&2\nexit 1\n',
        ),
        "Exec format error": script("garbage", "\x7fELF garbage"),
    }


@pytest.mark.parametrize("case", range(5))
def test_binaries_that_do_not_work_are_told(case: int, trace: Path, tmp_path: Path) -> None:
    why, binary = list(_files(tmp_path).items())[case]
    with pytest.raises(EcholotError, match=why) as caught:
        open_trace(trace, _choice(binary))
    assert caught.value.where == str(binary)
    assert caught.value.todo == "correct toolchain.tp_binary"
    assert not isinstance(caught.value, TraceUnreadableError)


def test_a_folder_is_no_binary(trace: Path, tmp_path: Path) -> None:
    with pytest.raises(EcholotError, match="there is no such file"):
        open_trace(trace, _choice(tmp_path))


def test_an_engine_that_dies_tells_its_last_line(trace: Path, tmp_path: Path) -> None:
    with open_trace(trace, _choice(fake_shell.install(tmp_path))) as session:
        with pytest.raises(EngineLostError, match="exited with code 3: fatal: told to die"):
            session.query("SELECT die_now")
        with pytest.raises(EngineLostError):
            session.query("SELECT 1")


def test_a_query_that_never_ends_is_stopped(trace: Path, tmp_path: Path) -> None:
    endless = "SELECT (WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT MAX(x) FROM c)"
    with open_trace(trace, _choice(fake_shell.install(tmp_path), timeout_s=3.0)) as session:
        begin = time.monotonic()
        with pytest.raises(EngineLostError, match="was stopped after 3 s"):
            session.query(endless)
        assert time.monotonic() - begin < 10


def test_closing_ends_the_child(tmp_path: Path) -> None:
    engine = NativeEngine(fake_shell.install(tmp_path), named_by="", timeout_s=60.0)
    pid = engine._child.pid
    os.kill(pid, 0)
    engine.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
