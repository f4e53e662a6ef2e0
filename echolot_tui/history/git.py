"""What git knows: the first-parent line, the merge base, whether the tree is dirty."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Final

from echolot_tui.errors import EcholotError
from echolot_tui.frozen import Frozen

_NAMES: Final = ("main", "master", "trunk", "develop")
_SECONDS: Final = 60


class Commit(Frozen, frozen=True, kw_only=True):
    """One commit."""

    id: str
    time: int
    """Committer's clock, seconds since 1970."""
    title: str


class GitError(EcholotError):
    """Git could not answer."""


class Git:
    """One checkout."""

    def __init__(self, folder: Path) -> None:
        """Work in the checkout that holds ``folder``."""
        self._folder = folder

    def root(self) -> Path | None:
        """The checkout's top folder; ``None`` outside of one, or without git."""
        found = self._ask("rev-parse", "--show-toplevel")
        return Path(found) if found else None

    def resolve(self, ref: str) -> str:
        """The full identifier of a commit.

        Raises:
            GitError: There is no such commit.
        """
        found = self.find(ref)
        if found is None:
            raise GitError(
                f'git knows no commit "{ref}"', todo="name a commit, branch or tag of this checkout"
            )
        return found

    def find(self, ref: str) -> str | None:
        """The full identifier of a commit, or ``None``."""
        if not ref or ref.startswith("-"):
            return None
        return self._ask("rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")

    def branch(self) -> str | None:
        """The checked-out branch; ``None`` when detached."""
        return self._ask("symbolic-ref", "--quiet", "--short", "HEAD")

    def shallow(self) -> bool:
        """Whether the clone lacks older commits."""
        return self._ask("rev-parse", "--is-shallow-repository") == "true"

    def dirty(self) -> bool:
        """Whether a tracked file differs from HEAD."""
        return bool(self._ask("status", "--porcelain", "--untracked-files=no"))

    def first_parents(self, ref: str) -> list[Commit]:
        """The commits of a first-parent line, oldest first."""
        text = self._demand("log", "--first-parent", "--format=%H%x09%ct%x09%s", ref)
        commits = []
        for row in text.split("\n")[:-1]:  # a title may hold any other separator of lines
            identifier, time, title = row.split("\t", 2)
            commits.append(Commit(id=identifier, time=int(time), title=title))
        return commits[::-1]

    def merge_base(self, one: str, other: str) -> str:
        """The newest commit both lines share.

        Raises:
            GitError: They share none, or a shallow clone lacks it.
        """
        found = self._ask("merge-base", one, other)
        if not found:
            raise GitError(
                f"{one[:12]} and the base {other[:12]} share no commit",
                todo="name another base with --base, or fetch the whole history of a shallow clone",
            )
        return found

    def default_branch(self) -> str:
        """The branch work starts from: the remote's, else a local or remote one of a usual name.

        A checkout of one commit, as CI makes it, has neither a local branch nor the remote's word.

        Raises:
            GitError: None is found.
        """
        remote = self._ask("symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD")
        if remote:
            return remote
        for name in (*_NAMES, *(f"origin/{name}" for name in _NAMES)):
            if self.find(name):
                return name
        raise GitError("the default branch is not known", todo="name it with --base")

    def _demand(self, *arguments: str) -> str:
        done = self._run(arguments)
        if done.returncode:
            raise GitError(f"git {arguments[0]} failed: {done.stderr.strip()}", where=str(self._folder))
        return done.stdout

    def _ask(self, *arguments: str) -> str | None:
        try:
            done = self._run(arguments)
        except GitError:
            return None
        return done.stdout.strip() or None if done.returncode == 0 else None

    def _run(self, arguments: tuple[str, ...]) -> subprocess.CompletedProcess[str]:
        command = ["git", "--no-optional-locks", "-C", str(self._folder), *arguments]
        try:
            return subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                encoding="utf-8",
                errors="replace",
                check=False,
                timeout=_SECONDS,
            )
        except FileNotFoundError as error:
            raise GitError("git is not installed", todo="install git, or use --order stored") from error
        except subprocess.TimeoutExpired as error:
            raise GitError(f"git {arguments[0]} gave no answer for {_SECONDS} s") from error
