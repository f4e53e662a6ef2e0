"""A git checkout with reports over its commits, built for a test."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from echolot_tui.history.measured import Measured, Run, measured
from echolot_tui.history.series import SetName
from echolot_tui.history.store import Place, Store

SET = SetName(scenario="start", model="phone", engine="embedded v1")
FIRST = 1_700_000_000
DAY = 86_400


class Checkout:
    """A repository whose commits are a day apart."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.made = 0
        self.git("init", "-q", "-b", "main")
        (folder / "code.txt").write_text("0")
        self.git("add", "code.txt")

    def git(self, *arguments: str) -> str:
        when = f"{FIRST + self.made * DAY} +0000"
        identity = {
            f"GIT_{who}_{what}": value
            for who in ("AUTHOR", "COMMITTER")
            for what, value in (("NAME", "n"), ("EMAIL", "e@x"), ("DATE", when))
        }
        return subprocess.run(
            ["git", *arguments],
            cwd=self.folder,
            env=os.environ | identity | {"GIT_CONFIG_GLOBAL": os.devnull},
            check=True,
            capture_output=True,
            text=True,
        ).stdout.strip()

    def commit(self, title: str = "") -> str:
        self.made += 1
        (self.folder / "code.txt").write_text(str(self.made))
        self.git("commit", "-q", "-a", "-m", title or f"change {self.made}")
        return self.git("rev-parse", "HEAD")

    def commits(self, many: int) -> list[str]:
        return [self.commit() for _ in range(many)]

    def make_dirty(self) -> None:
        (self.folder / "code.txt").write_text("dirty")

    def clean(self) -> None:
        self.git("checkout", "-q", "--", "code.txt")


def one(value: float, *, name: str = "window", metric: str = "duration_ms", listed: bool = True) -> Measured:
    return measured(name.split("/"), metric, "ms", [value], listed=listed)


def put(
    store: Store,
    commit: str,
    *values: Measured,
    dirty: bool = False,
    name: SetName = SET,
    sha: str = "",
) -> bool:
    run = Run(set=name, measured=values)
    told = sha or f"{commit}{dirty}{values}"
    return store.add(run, Place(commit=commit, dirty=dirty), source="r.json", sha256=told, at="2026-01-31")


def fill(store: Store, commits: Sequence[str], values: Sequence[float], **more: SetName) -> None:
    for commit, value in zip(commits, values, strict=True):
        put(store, commit, one(value), **more)
