"""Starting the recording process, following it, and asking it for something."""

from __future__ import annotations

import ast
import io
import os
from pathlib import Path

import pytest
from msgspec.structs import replace

from echolot_tui.collect.control import leave_request, read_request
from echolot_tui.collect.detach import ForgivingFile, follow, start
from echolot_tui.collect.files import CollectFiles
from echolot_tui.collect.model import CollectOrder, Request
from echolot_tui.collect.progress import progress_of, read_progress, write_progress
from echolot_tui.collect.runner import CollectError
from echolot_tui.project.layout import Layout
from echolot_tui.project.model import Runner
from recording import a_set, this_process


@pytest.fixture
def files(tmp_path: Path) -> CollectFiles:
    return CollectFiles(layout=Layout(root=tmp_path))


def _order(root: Path) -> CollectOrder:
    return CollectOrder(
        collect="c1", project=str(root), config=str(root / "echolot.yml"), scenario="app", settings=Runner()
    )


def test_a_process_that_dies_before_it_begins_is_told_with_its_log(
    files: CollectFiles, tmp_path: Path
) -> None:
    with pytest.raises(
        CollectError, match="the recording process died before it began; read its log"
    ) as died:
        start("echolot_tui.no_such_module", _order(tmp_path), files, os.environ)
    assert "No module named" in Path(died.value.where).read_text()


def test_a_refusal_comes_back_as_it_was_said_and_leaves_no_log(
    files: CollectFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "refuses.py").write_text(
        "import sys\nfrom echolot_tui.collect.detach import Answer, answer, receive\n"
        "order = receive()\nanswer(int(sys.argv[1]), Answer(error=f'no: {order.scenario}', exit_code=1))\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(CollectError, match=r"^no: app$") as refused:
        start("refuses", _order(tmp_path), files, os.environ)
    assert refused.value.exit_code == 1
    assert list(files.logs.glob("*.log")) == []
    files.log("c1").write_text("what the set resumed had to say\n")
    with pytest.raises(CollectError):
        start("refuses", _order(tmp_path), files, os.environ)
    assert files.log("c1").read_text() == "what the set resumed had to say\n"


def test_the_recorder_leads_a_session_of_its_own_and_is_nobodys_child(
    files: CollectFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tells.py").write_text(
        "import os, sys\nfrom pathlib import Path\n"
        "from echolot_tui.collect.detach import Answer, answer, receive\n"
        "order = receive()\n"
        "Path('who').write_text(f'{os.getsid(0)} {sys.stdin.read()!r}')\n"
        "answer(int(sys.argv[1]), Answer(pid=os.getpid()))\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    pid = start("tells", _order(tmp_path), files, os.environ)
    session, read = (tmp_path / "who").read_text().split()
    assert int(session) not in {os.getsid(0), 0}
    assert read == "''"
    with pytest.raises(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)


def test_what_is_recorded_gets_the_environment_as_it_was_given(
    files: CollectFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search path of ours in it would make a program of another Python import our modules."""
    (tmp_path / "tells.py").write_text(
        "import os, sys\nfrom pathlib import Path\n"
        "from echolot_tui.collect.detach import Answer, answer, receive\n"
        "receive()\nPath('env').write_text(repr(dict(os.environ)))\nanswer(int(sys.argv[1]), Answer(pid=1))\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    given = {"PATH": os.environ["PATH"], "MINE": "1"}
    start("tells", _order(tmp_path), files, given)
    added = {"LC_CTYPE", "PWD", "SHLVL", "_", "__CF_USER_TEXT_ENCODING"}  # by the interpreter or the shell
    seen = ast.literal_eval((tmp_path / "env").read_text())
    assert {key: value for key, value in seen.items() if key not in added} == given


def test_following_ends_with_the_collect(files: CollectFiles, tmp_path: Path) -> None:
    ended = a_set(tmp_path, status="complete", finished_at="2026-01-01T01:00:00Z")
    write_progress(files.progress, progress_of([ended], pid=1, log=files.log("c1")))
    assert [each.exit for each in follow(files, "c1")] == [0]


def test_following_a_process_that_is_gone_says_so(files: CollectFiles, tmp_path: Path) -> None:
    lost = a_set(tmp_path, owner=replace(this_process(), started="long ago"))
    write_progress(files.progress, progress_of([lost], pid=1, log=files.log("c1")))
    with pytest.raises(CollectError, match=r"collect-c1.log: the recording process is gone; .* --resume"):
        list(follow(files, "c1"))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
def test_a_log_on_a_full_disk_loses_lines_and_ends_nothing() -> None:
    with Path("/dev/full").open("wb") as full:
        log = io.TextIOWrapper(io.BufferedWriter(ForgivingFile(full.fileno(), "w", closefd=False)))
        for _ in range(3):
            log.write("lost" * 9999)
            log.flush()
        log.close()


def test_progress_that_cannot_be_read_is_a_sentence(files: CollectFiles) -> None:
    assert read_progress(files.progress) is None
    files.logs.mkdir(parents=True)
    files.progress.write_text("{")
    with pytest.raises(CollectError, match="the progress of the last collect cannot be read"):
        read_progress(files.progress)


def test_a_second_request_keeps_what_the_first_asked_for(files: CollectFiles) -> None:
    leave_request(files.request, Request(collect="c1", iterations=9))
    leave_request(files.request, Request(collect="c1", stop="after run"))
    assert read_request(files.request) == Request(collect="c1", stop="after run", iterations=9)
    leave_request(files.request, Request(collect="c2", stop="now"))
    assert read_request(files.request) == Request(collect="c2", stop="now")


def test_what_a_killed_collect_left_half_written_goes_and_nothing_else(files: CollectFiles) -> None:
    files.sets.mkdir(parents=True)
    left = [files.sets / ".app.json.1.ab.tmp", files.logs / ".collect.json.1.ab.tmp"]
    kept = [
        files.sets / "app.json",
        files.logs / "collect.json",
        files.logs / ".collect-request.json.1.ab.tmp",
        files.layout.out(None) / ".report.json.1.ab.tmp",
    ]
    for path in (*left, *kept):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    files.sweep(before=0)
    assert not any(path.exists() for path in left)
    assert all(path.exists() for path in kept)


def test_what_a_killed_analysis_left_half_written_goes_when_it_is_old(files: CollectFiles) -> None:
    layout = files.layout
    folders = [layout.round(3, 1), layout.round(None, 2), layout.out(None), layout.out(None) / "cold"]
    old = [folder / ".report.json.1.ab.tmp" for folder in folders]
    kept = [folder / name for folder in folders for name in (".rows.json.1.ab.tmp", "report.json", "a.tmp")]
    for path in (*old, *kept):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        os.utime(path, (100, 100))
    for path in kept[::3]:
        os.utime(path, (300, 300))
    files.sweep(before=200)
    assert not any(path.exists() for path in old)
    assert all(path.exists() for path in kept)


def test_only_the_latest_logs_are_kept(files: CollectFiles, tmp_path: Path) -> None:
    files.logs.mkdir(parents=True)
    for number in range(30):
        log = files.log(f"old{number:02}")
        log.touch()
        os.utime(log, (number, number))
    with pytest.raises(CollectError):
        start("echolot_tui.no_such_module", _order(tmp_path), files, os.environ)
    names = sorted(path.name for path in files.logs.glob("*.log"))
    assert len(names) == 20
    assert names[0] == "collect-c1.log"
    assert names[1] == "collect-old11.log"
