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
    "anr",
    "calibrate",
    "compare",
    "demo",
    "domains",
    "explain",
    "mark",
    "names",
    "probe",
    "report",
    "scan",
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


def test_no_verb_prints_help_or_status_and_an_unknown_one_the_nearest(tmp_path: Path) -> None:
    assert "Verbs:" in echolot(cwd=tmp_path).stdout
    (tmp_path / "echolot.yml").write_text("scenario: {name: cold}\n")
    assert echolot(cwd=tmp_path).stdout == echolot("status", cwd=tmp_path).stdout, (
        "in a project, where it stands"
    )
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
        (
            ("analyze", "notes.txt", "-c", "wrong.yml"),
            "config error: wrong.yml line 2, detectors.main_thread_blok: there is no detector",
        ),
        (
            ("analyze", "notes.txt", "-c", "several.yml", "--scenario", "warm"),
            "config error: several.yml line 4, scenarios.warm.detectors.binder_txn.min_txn_m: binder_txn has",
        ),
        (
            ("analyze", "notes.txt", "-c", "several.yml", "--scenario", "hot"),
            "several.yml line 6, scenarios.hot.detectors.binder_txn.min_txn_ms: binder_txn.min_txn_ms is '9'",
        ),
        (("analyze", "notes.txt", "-c", "folder.yml"), "config error: folder.yml line 1, detectors_dir: "),
        (("analyze", "notes.txt", "-c", "absent.yml"), "config error: absent.yml: not found"),
        (("probe", "empty"), "error: empty: this is a folder; name one trace in it"),
        (("probe", "notes.txt", "--tp-binary", "absent"), "error: absent: cannot use this trace engine"),
        (("--tp-binary", "gone", "probe", "--tp-binary=absent", "notes.txt"), "error: absent: cannot use"),
        (("compare", "a.json", "a.json", "--names", "a,b,c"), "error: --names has 3 names for 2 sides"),
        (("compare", "a.json", "a.json", "--floor-ms", "nan"), "nan is not a finite number"),
        (("compare", "a.json", "a.json", "--floor-pct", "inf"), "inf is not a finite number"),
        (
            ("analyze", "notes.txt", "--start", "\udcff"),
            "error: “\\udcff” is not UTF-8; write it, or name the",
        ),
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
    (tmp_path / "a.json").write_text('{"detectors": []}')
    (tmp_path / "wrong.yml").write_text("detectors:\n  main_thread_blok: {min_slice_ms: 3}\n")
    (tmp_path / "several.yml").write_text(
        "scenarios:\n  warm:\n    detectors:\n      binder_txn: {min_txn_m: 1}\n"
        "  hot:\n    detectors: {binder_txn: {min_txn_ms: '9'}}\n"
    )
    (tmp_path / "folder.yml").write_text("detectors_dir: absent\n")
    done = echolot(*arguments, cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("arguments", [("schema", "report"), ("explain",), ("--help",)])
def test_a_closed_pipe_is_141(arguments: tuple[str, ...], tmp_path: Path) -> None:
    read, write = os.pipe()
    os.close(read)  # the reader is gone before the first byte
    try:
        done = subprocess.run(
            [sys.executable, "-m", "echolot_tui", "--headless", *arguments],
            cwd=tmp_path,
            stdout=write,
            stderr=subprocess.PIPE,
            check=False,
            timeout=60,
        )
    finally:
        os.close(write)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_a_closed_stream_is_no_crash(closed: str, tmp_path: Path) -> None:
    command = f"{sys.executable} -m echolot_tui --headless explain {closed}"
    done = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")
    assert bool(done.stdout) is (closed == "2>&-")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no /dev/full")
@pytest.mark.parametrize("arguments", [("schema", "report"), ("explain",)])
def test_a_full_disk_under_stdout_is_refused_in_one_sentence(
    arguments: tuple[str, ...], tmp_path: Path
) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "echolot_tui", "--headless", *arguments],
            cwd=tmp_path,
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
            timeout=60,
        )
    assert (done.returncode, done.stderr) == (2, b"error: the output: No space left on device\n")


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
    assert status["todo"].startswith("echolot collect records the runs")
    (tmp_path / "echolot.yml").write_text("project: {process: app}\nrunner: {mode: host}\n")
    assert "name them to echolot analyze" in echolot("status", cwd=tmp_path).stdout
    (tmp_path / "echolot.yml").write_text("runner: {mode: x}\n")
    assert json.loads(echolot("status", "--json", cwd=tmp_path).stdout)["next"] == "fix-config"
