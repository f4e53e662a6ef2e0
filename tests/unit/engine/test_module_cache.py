"""The compiled engine's place on disk, with a module small enough to compile at once."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
import wasmtime

from echolot_tui.engine import module_cache
from echolot_tui.engine.locate import WasmBuild, file_sha256

TINY = '(module (func (export "answer") (result i32) (i32.const 42)))'


@pytest.fixture
def wasm(tmp_path: Path) -> WasmBuild:
    path = tmp_path / "tiny.wasm"
    path.write_bytes(wasmtime.wat2wasm(TINY))
    return WasmBuild(build="embedded", path=path, sha256=file_sha256(path))


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(module_cache.CACHE_DIR_VARIABLE, str(tmp_path / "cache"))
    return tmp_path / "cache" / "engine"


def _load(wasm: WasmBuild) -> list[str]:
    """Load the module and call it; what was said meanwhile."""
    said: list[str] = []
    engine = module_cache.make_engine("embedded")
    module = module_cache.load_module(engine, wasm, said.append)
    store = wasmtime.Store(engine)
    store.set_epoch_deadline(1)
    answer = wasmtime.Instance(store, module, []).exports(store)["answer"]
    assert isinstance(answer, wasmtime.Func)
    assert answer(store) == 42
    return said


def _files(cache: Path) -> list[Path]:
    return sorted(cache.glob("*.cwasm"))


def test_compiled_once_then_cached(wasm: WasmBuild, cache: Path) -> None:
    assert _load(wasm) == ["compiling the trace engine (once, some seconds)"]
    assert len(_files(cache)) == 1
    assert wasm.sha256[:16] in _files(cache)[0].name
    assert _load(wasm) == []
    assert not list(cache.glob(".compiled-*")), "no temporary file is left"


@pytest.mark.parametrize("damage", [b"", b"garbage", None])
def test_a_damaged_file_is_replaced(wasm: WasmBuild, cache: Path, damage: bytes | None) -> None:
    _load(wasm)
    (compiled,) = _files(cache)
    content = compiled.read_bytes()
    compiled.write_bytes(content[: len(content) // 2] if damage is None else damage)
    assert len(_load(wasm)) == 1, "compiled again"
    assert _files(cache) == [compiled]
    assert _load(wasm) == []


def test_a_sound_file_of_other_settings_is_replaced(wasm: WasmBuild, cache: Path) -> None:
    _load(wasm)
    (compiled,) = _files(cache)
    other = wasmtime.Module(wasmtime.Engine(), wasm.path.read_bytes()).serialize()
    compiled.write_bytes(other)
    key = compiled.name.removesuffix(".cwasm").rpartition("-")[0]
    compiled.rename(cache / f"{key}-{file_sha256(compiled)}.cwasm")
    assert len(_load(wasm)) == 1, "compiled again"
    assert len(_files(cache)) == 1


def test_another_wasm_has_a_file_of_its_own(wasm: WasmBuild, cache: Path, tmp_path: Path) -> None:
    _load(wasm)
    path = tmp_path / "other.wasm"
    path.write_bytes(wasmtime.wat2wasm(TINY.replace("answer", 'answer") (export "more')))
    _load(WasmBuild(build="embedded", path=path, sha256=file_sha256(path)))
    assert len(_files(cache)) == 2


def test_a_folder_that_cannot_be_made_costs_only_time(
    wasm: WasmBuild, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_bytes(b"")
    monkeypatch.setenv(module_cache.CACHE_DIR_VARIABLE, str(tmp_path / "file"))
    said = _load(wasm)
    assert "cannot write" in said[0]
    assert "at every start" in said[0]
    assert len(said) == 2


def test_a_full_disk_costs_only_time(wasm: WasmBuild, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    assert "No space left" in _load(wasm)[1]
    assert list(cache.glob("*.cwasm")) == []
    assert not list(cache.glob(".compiled-*")), "no temporary file is left"


def test_without_the_variable_it_is_the_users_cache_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(module_cache.CACHE_DIR_VARIABLE, raising=False)
    folder = module_cache.cache_folder()
    assert folder.name == "engine"
    assert "echolot" in str(folder)


def _start_many(cache: Path, count: int, code: str) -> list[str]:
    env = os.environ | {module_cache.CACHE_DIR_VARIABLE: str(cache.parent)}
    command = [sys.executable, "-c", textwrap.dedent(code)]
    processes = [
        subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for _ in range(count)
    ]
    outputs = [process.communicate(timeout=120)[0] for process in processes]
    assert [process.returncode for process in processes] == [0] * count, outputs
    return outputs


def test_processes_that_start_together_compile_once(wasm: WasmBuild, cache: Path) -> None:
    code = f"""
        from pathlib import Path
        from echolot_tui.engine import module_cache
        from echolot_tui.engine.locate import WasmBuild
        wasm = WasmBuild(build="embedded", path=Path({str(wasm.path)!r}), sha256={wasm.sha256!r})
        module_cache.load_module(module_cache.make_engine("embedded"), wasm, print)
    """
    outputs = _start_many(cache, 4, code)
    assert sum("compiling" in output for output in outputs) == 1, outputs
    assert len(_files(cache)) == 1


@pytest.mark.slow
def test_real_engines_that_start_together_compile_once(cache: Path) -> None:
    code = """
        from echolot_tui.engine.embedded import EmbeddedEngine
        engine = EmbeddedEngine("embedded", memory_limit=1 << 30, timeout_s=100, say=print)
        assert engine.info.version
        engine.close()
    """
    outputs = _start_many(cache, 3, code)
    assert sum("compiling" in output for output in outputs) == 1, outputs
    assert len(_files(cache)) == 1
