"""Environment files and workflow commands: whatever a value holds, it stays a value."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from action_runner import read_outputs
from echolot_tui.ci.runner import Runner, RunnerError, cut_markdown, work_folder


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    return {name: str(tmp_path / name) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}


@pytest.mark.parametrize("value", ["", "3", "a\nb=c", "x<<EOF\nEOF\ny=1", "::set-output name=a::b", "ü\r\n"])
def test_an_output_sets_itself_only(value: str, files: dict[str, str]) -> None:
    runner = Runner(files, io.StringIO())
    runner.output("one", value)
    runner.output("two", "2")
    text = Path(files["GITHUB_OUTPUT"]).read_bytes().decode()
    assert read_outputs(text) == {"one": value, "two": "2"}


def test_commands_are_escaped(files: dict[str, str]) -> None:
    out = io.StringIO()
    Runner(files, out).annotate("error", "a,b:c", "50 %\r\n::warning::x")
    assert out.getvalue() == "::error title=a%2Cb%3Ac::50 %25%0D%0A::warning::x\n"


def test_commands_are_off_while_something_else_writes(files: dict[str, str]) -> None:
    out = io.StringIO()
    runner = Runner(files, out)
    with pytest.raises(ValueError, match="inside"), runner.without_commands():
        raise ValueError("inside")
    stop, resume = out.getvalue().splitlines()
    assert stop.startswith("::stop-commands::")
    assert resume == f"::{stop.rpartition('::')[2]}::"
    assert len(stop) > 40


def test_outside_a_job_it_says_so(tmp_path: Path) -> None:
    with pytest.raises(RunnerError, match="GITHUB_OUTPUT is not set"):
        Runner({}, io.StringIO()).output("a", "b")
    with pytest.raises(RunnerError, match="cannot be written"):
        Runner({"GITHUB_OUTPUT": str(tmp_path)}, io.StringIO()).output("a", "b")
    with pytest.raises(RunnerError, match="RUNNER_TEMP"):
        work_folder({})


def test_each_call_has_a_folder_of_its_own(tmp_path: Path) -> None:
    environ = {"RUNNER_TEMP": str(tmp_path)}
    assert work_folder(environ) != work_folder(environ)


@given(st.text(alphabet="aü\n|", max_size=400), st.integers(60, 300))
def test_cut_text_fits_and_is_a_beginning(text: str, limit: int) -> None:
    cut = cut_markdown(text, limit)
    assert len(cut.encode()) <= limit
    if len(text.encode()) <= limit:
        assert cut == text
    else:
        kept, said = cut.rsplit("\n\n*Cut here", 1)
        assert text.startswith(kept)
        assert said


def test_a_summary_too_long_is_cut(files: dict[str, str]) -> None:
    Runner(files, io.StringIO()).summary("line\n" * 300_000)
    assert Path(files["GITHUB_STEP_SUMMARY"]).stat().st_size <= 1 << 20
