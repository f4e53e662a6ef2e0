"""``echolot open`` as a program: the link works, and it ends."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs

import pytest

from echolot_tui.generate.demo import CONFIG, demo_trace

REPORT = """{
  "window": {"process": "com.example.app", "start": {"glob": "bindApplication", "matches": 1}},
  "repeats": [{"label": "1", "trace": "absent/first.pftrace", "trace_index": 0},
              {"label": "2", "trace": "absent/second.pftrace", "trace_index": 1}],
  "detectors": [{"id": "main_thread_block", "rows": [
    {"location": "inflate", "by_run": {"self_ms": [3, 8]}}]}]}"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two traces beside the report of both, whose paths lead nowhere any more."""
    folder = tmp_path_factory.mktemp("open")
    for number, name in enumerate(("first", "second")):
        (folder / f"{name}.pftrace").write_bytes(demo_trace("before", number))
    (folder / "report.json").write_text(REPORT)
    return folder


@contextlib.contextmanager
def opened(folder: Path, *arguments: str, **env: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The running command and the link it printed."""
    kept = {key: value for key, value in os.environ.items() if key not in {"SSH_CONNECTION", "BROWSER"}}
    process = subprocess.Popen(
        [sys.executable, "-m", "echolot_tui", "open", *arguments],
        cwd=folder,
        env=kept | env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        yield process, process.stdout.readline().strip()
    finally:
        process.kill()
        process.communicate()


def test_a_report_s_run_at_its_row(folder: Path) -> None:
    with opened(folder, "report.json", "--row", "inflate", "--print-link") as (process, link):
        asked = parse_qs(link.partition("?")[2])
        with urllib.request.urlopen(asked["url"][0], timeout=20) as answer:
            assert answer.read() == (folder / "second.pftrace").read_bytes()
        assert int(asked["dur"][0]) > 0
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=20)
        assert process.returncode == 0, errors
        assert "run 2" in errors
        assert "no longer served" in errors


def test_a_report_made_from_a_folder_above_leads_to_its_traces(folder: Path, tmp_path: Path) -> None:
    """Its paths start where the command ran; another file of that name is not taken for the trace."""
    project = tmp_path / "project"
    shutil.copytree(folder, project / "runs")
    (project / "out").mkdir()
    trace = project / "runs" / "first.pftrace"
    made = (
        f'"trace": "project/runs/first.pftrace", "sha256": "{hashlib.sha256(trace.read_bytes()).hexdigest()}"'
    )
    (project / "out" / "report.json").write_text(REPORT.replace('"trace": "absent/first.pftrace"', made))
    with opened(project, "out/report.json", "--print-link") as (_, link):
        (url,) = parse_qs(link.partition("?")[2])["url"]
        with urllib.request.urlopen(url, timeout=20) as answer:
            assert answer.read() == trace.read_bytes()
    trace.write_bytes((project / "runs" / "second.pftrace").read_bytes())
    with opened(project, "out/report.json", "--print-link") as (process, link):
        assert link == ""
        _, errors = process.communicate(timeout=20)
        assert "the trace is not there any more" in errors


def test_over_ssh_it_says_how_to_reach_it(folder: Path) -> None:
    connection = "10.0.0.7 50000 10.0.0.2 22"
    with opened(folder, "first.pftrace", "--row", "no such", SSH_CONNECTION=connection) as (process, link):
        port = link.split("/")[2].rpartition(":")[2]
        assert process.stderr is not None
        errors = "".join(process.stderr.readline() for _ in range(3))
        assert f"ssh -N -L {port}:127.0.0.1:{port} 10.0.0.2" in errors
        assert 'no slice of the window is called "no such"' in errors


@pytest.mark.slow
def test_it_ends_by_itself(folder: Path) -> None:
    with opened(folder, "first.pftrace", "--print-link", "--minutes", "0.01") as (process, link):
        assert link.startswith("http://127.0.0.1:")
        process.wait(timeout=20)
        assert process.returncode == 0


@pytest.mark.slow
def test_a_browser_is_started_where_there_is_one(folder: Path, tmp_path: Path) -> None:
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\nprintf %s "$1" > {tmp_path}/asked\n')
    browser.chmod(0o755)
    with opened(folder, "first.pftrace", "--minutes", "0.02", BROWSER=str(browser)) as (process, link):
        process.wait(timeout=20)
        assert (tmp_path / "asked").read_text() == link


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("absent.pftrace",), "there is no such file"),
        (("first.pftrace", "--run", "2"), "--run needs a report"),
        (("report.json", "--run", "7"), 'has no run "7"'),
        (("*.pftrace",), "2 traces are meant; name one of them"),
        (("gone/report.json",), "the trace is not there any more; name where it is now"),
    ],
)
def test_refusals(arguments: tuple[str, ...], says: str, folder: Path) -> None:
    (folder / "gone").mkdir(exist_ok=True)
    shutil.copy(folder / "report.json", folder / "gone")
    done = subprocess.run(
        [sys.executable, "-m", "echolot_tui", "open", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr


def test_the_config_gives_process_and_anchors(folder: Path, tmp_path: Path) -> None:
    shutil.copy(folder / "first.pftrace", tmp_path)
    (tmp_path / CONFIG).write_text("project: {process: absent}\n")
    with opened(tmp_path, "first.pftrace", "--print-link") as (process, link):
        assert "visStart" not in link
        process.kill()
        _, errors = process.communicate(timeout=20)
        assert "the whole trace is shown" in errors


@pytest.mark.parametrize(("content", "why"), [(b"", "the file is empty"), (b"a note\n", "no kind of trace")])
def test_a_file_without_a_trace_is_refused_and_not_served(tmp_path: Path, content: bytes, why: str) -> None:
    (tmp_path / "x.pftrace").write_bytes(content)
    with opened(tmp_path, "x.pftrace", "--print-link") as (process, link):
        _, errors = process.communicate(timeout=20)
    assert process.returncode == 2
    assert link == ""
    assert why in errors
