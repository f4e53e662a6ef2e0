"""The command line as a program: streams, exit codes, refusals, what stays on disk."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

HELP_VERBS = (
    "analyze",
    "calibrate",
    "compare",
    "demo",
    "explain",
    "names",
    "probe",
    "report",
    "schema",
    "status",
)


def echolot(
    *arguments: str | Path, cwd: Path, width: int | None = None, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the program with a cache of the user's."""
    surroundings = {key: value for key, value in os.environ.items() if key not in {"COLUMNS", "LINES"}}
    surroundings |= {"COLUMNS": str(width)} if width else {}
    return subprocess.run(
        [sys.executable, "-m", "echolot_tui", "--headless", *map(str, arguments)],
        cwd=cwd,
        env=surroundings | (env or {}),
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=300,
    )


def test_version_names_everything_that_shapes_a_number(tmp_path: Path) -> None:
    done = echolot("--version", cwd=tmp_path)
    assert done.returncode == 0
    assert [part.split()[0] for part in done.stdout.strip().split(" · ")] == [
        "echolot",
        "trace_processor",
        "perfetto",
        "python",
    ]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("verb", HELP_VERBS)
def test_help_fits_a_screen(verb: str, tmp_path: Path) -> None:
    done = echolot(verb, "--help", cwd=tmp_path, width=80)
    assert done.returncode == 0
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_no_verb_prints_help_and_an_unknown_one_the_nearest(tmp_path: Path) -> None:
    assert "Verbs:" in echolot(cwd=tmp_path).stdout
    wrong = echolot("comapre", cwd=tmp_path)
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert 'did you mean "compare"?' in wrong.stderr


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("compare", "absent", "gone"), "error: absent: there is no such file"),
        (("compare",), "error: a comparison needs two sides; name two reports"),
        (("compare", "empty", "empty"), "error: empty: the folder is empty"),
        (("analyze", "no*.pftrace"), "error: no*.pftrace: no file matches this pattern"),
        (("analyze", "notes.txt"), "notes.txt"),
        (("analyze", "notes.txt", "--set", "nonsense"), 'error: --set "nonsense" is not of the form'),
        (
            ("analyze", "notes.txt", "--set", "main_thread_blok.min_slice_ms=3"),
            "did you mean main_thread_block?",
        ),
        (("analyze", "notes.txt", "-c", "absent.yml"), "config error: absent.yml: not found"),
        (("report", "notes.json"), "error: notes.json: is not JSON"),
        (("report",), "error: no report was named and there is no project here"),
        (("explain", "main_thread_blok"), 'did you mean "main_thread_block"?'),
        (("schema", "nothing"), "Invalid value for"),
    ],
)
def test_a_refusal_is_one_sentence_on_stderr_and_exit_2(
    arguments: tuple[str, ...], sentence: str, tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "notes.txt").write_text("nothing to see\n")
    (tmp_path / "notes.json").write_text("{nothing}")
    done = echolot(*arguments, cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr


def test_a_closed_pipe_is_141(tmp_path: Path) -> None:
    command = f"{sys.executable} -m echolot_tui schema report | head -c 10; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.returncode in {0, 141}


def test_an_encoding_that_cannot_carry_our_signs_gets_utf8(tmp_path: Path) -> None:
    done = echolot("--version", cwd=tmp_path, env={"PYTHONIOENCODING": "ascii"})
    assert "·" in done.stdout


def test_schemas_are_json_schemas(tmp_path: Path) -> None:
    import jsonschema

    for name in ("calibration", "config", "report", "rows", "comparison"):
        schema = json.loads(echolot("schema", name, cwd=tmp_path).stdout)
        jsonschema.Draft202012Validator.check_schema(schema)
        assert schema["title"] == f"echolot {name}"


def test_explain_lists_all_sixteen_detectors(tmp_path: Path) -> None:
    listed = json.loads(echolot("explain", "--json", cwd=tmp_path).stdout)
    assert len(listed) == 16
    text = echolot("explain", cwd=tmp_path, width=80).stdout
    assert all(each["detector"]["id"] in text for each in listed)


def test_status_says_what_to_do_next(tmp_path: Path) -> None:
    assert json.loads(echolot("status", "--json", cwd=tmp_path).stdout)["next"] == "setup"
    (tmp_path / "echolot.yml").write_text("project: {package: com.example.app}\n")
    status = json.loads(echolot("status", "--json", cwd=tmp_path).stdout)
    assert (status["next"], status["scenarios"]) == ("collect", ["run"])
    (tmp_path / "echolot.yml").write_text("runner: {mode: x}\n")
    assert json.loads(echolot("status", "--json", cwd=tmp_path).stdout)["next"] == "fix-config"
