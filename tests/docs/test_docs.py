"""The docs tell the truth: their commands run, their links lead somewhere."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    [ROOT / "README.md", ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md", *ROOT.glob("docs/*.md")]
)
BLOCK = re.compile(
    r"(?P<mark><!-- not run: [^>]+ -->\n)?```(?:sh|bash|console)?\n(?P<body>.*?)```", re.DOTALL
)
LINK = re.compile(r"\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)")


def commands() -> list[tuple[str, str]]:
    """Every ``echolot …`` line of a plain code block, unless a comment before it says why it is not run."""
    found = []
    for page in PAGES:
        for block in BLOCK.finditer(page.read_text(encoding="utf-8")):
            if block["mark"]:
                continue
            lines = block["body"].replace("\\\n", " ").splitlines()
            found += [
                (page.name, line.split("  #")[0].strip()) for line in lines if line.startswith("echolot ")
            ]
    return found


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A demo project with every name the docs use."""
    folder = tmp_path_factory.mktemp("docs") / "project"
    run(["demo", str(folder)], folder.parent)
    before, after = folder / "before", folder / "after"
    copies = {"base": before, "first": after, "second": after, "traces": before, "old-traces": before}
    for name, source in {**copies, "new-traces": after}.items():
        shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("*.json", "*.md"))
    series = {"name": "start", "unit": "ms", "values": [100 + at % 3 + 30 * (at >= 10) for at in range(20)]}
    (folder / "series.json").write_text(json.dumps({"series": [series]}))
    shutil.copytree(before, folder / "out-old")
    shutil.copytree(after, folder / "out")
    (trace,) = sorted(before.glob("*_iter000*"))
    for name in ("trace.pftrace", "old.pftrace", "new.pftrace"):
        shutil.copy(trace, folder / name)
    return folder


def run(arguments: list[str], cwd: Path) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-m", "echolot_tui", *arguments],
        cwd=cwd,
        env=os.environ | {"CI": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=240,
    )
    assert done.returncode == 0, f"{arguments}: {done.stderr}"
    return done


@pytest.mark.parametrize(("page", "command"), commands())
def test_a_command_of_the_docs_runs(page: str, command: str, project: Path) -> None:
    words = shlex.split(command)[1:]
    expanded = [name for word in words for name in expand(word, project)]
    done = run(expanded, project)
    assert done.stdout or done.stderr


def expand(word: str, folder: Path) -> list[str]:
    """What a shell makes of a pattern."""
    matches = sorted(str(path.relative_to(folder)) for path in folder.glob(word)) if "*" in word else []
    return matches or [word]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_files(page: Path) -> None:
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        assert (page.parent / unquote(target)).exists(), f"{page.name} links to {target}, which is not there"


def test_some_commands_were_found() -> None:
    assert len(commands()) >= 10
