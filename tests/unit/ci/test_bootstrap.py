"""The step that installs: before echolot is there, with nothing but Python."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from echolot_tui.ci import bootstrap

ROOT = Path(__file__).parents[3]


def test_another_ref_or_checkout_is_another_environment(tmp_path: Path) -> None:
    places = {
        bootstrap.environment(tmp_path, Path(source), ref)
        for source, ref in (("/a", "v1"), ("/a", "v2"), ("/b", "v1"), ("/a", "../../$(x) \udcff\n"))
    }
    assert len(places) == 4
    assert {place.parent for place in places} == {tmp_path}


def test_an_older_python_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bootstrap, "OLDEST", (99, 0))
    assert bootstrap.main({}) == 1
    assert capsys.readouterr().out.startswith("::error title=echolot::needs Python 3.11 or newer")


def test_an_environment_that_is_there_is_used(tmp_path: Path) -> None:
    program = bootstrap.environment(tmp_path, ROOT, "v1") / "bin" / "echolot"
    program.parent.mkdir(parents=True)
    program.touch()
    environ = {
        "ECHOLOT_SOURCE": str(ROOT),
        "ECHOLOT_REF": "v1",
        "RUNNER_TEMP": str(tmp_path),
        "GITHUB_OUTPUT": str(tmp_path / "output"),
    }
    assert bootstrap.main(environ) == 0
    assert (tmp_path / "output").read_text() == f"program={program}\n"


def test_it_imports_nothing_but_the_standard_library() -> None:
    code = f"import runpy, sys; runpy.run_path({bootstrap.__file__!r}); print('echolot_tui' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"


def test_what_pip_refuses_fails_the_step(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "constraints.txt").touch()
    environ = {
        "ECHOLOT_SOURCE": str(tmp_path / "source"),
        "RUNNER_TEMP": str(tmp_path),
        "GITHUB_OUTPUT": str(tmp_path / "output"),
    }
    assert bootstrap.main(environ) == 1
    assert "::error title=echolot::echolot could not be installed" in capfd.readouterr().out
    assert not (tmp_path / "output").exists()


@pytest.mark.slow
def test_it_installs_this_checkout(tmp_path: Path) -> None:
    output = tmp_path / "output"
    environ = {"ECHOLOT_SOURCE": str(ROOT), "RUNNER_TEMP": str(tmp_path), "GITHUB_OUTPUT": str(output)}
    assert bootstrap.main(environ) == 0
    program = output.read_text().strip().removeprefix("program=")
    done = subprocess.run([program, "explain"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "main_thread_block" in done.stdout
