"""The line of commits an analysis looks along, and whether it is of the base itself or of a branch."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from echolot_tui.errors import EcholotError
from echolot_tui.history.git import Commit, Git
from echolot_tui.history.model import CommitRef, Mode
from echolot_tui.history.store import StoredRun

HALF_A_YEAR_S: Final = 183 * 86_400
"""How far before the analysed commit history mode looks."""


@dataclass(frozen=True, slots=True)
class Line:
    """The commits in order, and how runs lie on them."""

    commits: tuple[Commit, ...]
    """Oldest first: up to the analysed commit, or the base's of a branch."""
    branch: Commit | None = None
    """The analysed commit, when it is not the base's own clean state; it comes after all of the base."""
    own_dirty_only: bool = False
    """The branch is a commit of the base with uncommitted changes: only dirty runs are its own."""
    tree_dirty: bool = False
    """The analysed commit is checked out, with uncommitted changes."""
    shallow: bool = False
    """The clone lacks older commits."""
    first: int = 0
    """Commits before this one are too old to count."""
    stored: bool = False
    """In the order the runs were added: one set after the other."""

    @property
    def mode(self) -> Mode:
        """History along the base, branch beside it."""
        return "history" if self.branch is None else "branch"

    def named(self) -> tuple[tuple[str, str], ...]:
        """Identifier and title of every index."""
        everything = self.commits if self.branch is None else (*self.commits, self.branch)
        return tuple((commit.id, commit.title) for commit in everything)

    def index(self) -> dict[str, int]:
        """Place of every commit that counts."""
        return {commit.id: at for at, commit in enumerate(self.commits) if at >= self.first}

    @property
    def context(self) -> CommitRef | None:
        """The analysed commit."""
        if self.branch is not None:
            return _ref(self.branch, len(self.commits))
        return _ref(self.commits[-1], len(self.commits) - 1) if self.commits else None

    @property
    def base(self) -> CommitRef | None:
        """Where a branch's base stands."""
        if self.branch is None or not self.commits:
            return None
        return _ref(self.commits[-1], len(self.commits) - 1)


def git_line(
    git: Git, runs: Sequence[StoredRun], *, context: str | None, base: str | None, since: str | None
) -> Line:
    """Derive the mode and lay out the line.

    Args:
        git: The checkout.
        runs: Of the store; a dirty one on the analysed commit makes that a branch while the tree is dirty.
        context: The analysed commit; HEAD.
        base: The base; the default branch.
        since: A date (``2026-01-31``) or ``all``; history looks back half a year.

    Raises:
        EcholotError: A commit that git does not know, no default branch, no shared commit, or no date.
    """
    analysed = git.resolve(context or "HEAD")
    tip = git.resolve(base or git.default_branch())
    tree_dirty = git.find("HEAD") == analysed and git.dirty()
    shallow = git.shallow()
    on_base = git.merge_base(analysed, tip) == analysed
    own = on_base and tree_dirty and any(run.dirty and run.commit == analysed for run in runs)
    if on_base and not own:
        line = git.first_parents(analysed)
        oldest = _seconds(since) if since else line[-1].time - HALF_A_YEAR_S
        return Line(tuple(line), tree_dirty=tree_dirty, shallow=shallow, first=_first(line, oldest))
    line = git.first_parents(tip)
    return Line(
        tuple(line),
        branch=git.first_parents(analysed)[-1],
        own_dirty_only=own,
        tree_dirty=tree_dirty,
        shallow=shallow,
        first=_first(line, _seconds(since) if since else 0),
    )


def stored_line(commits: Collection[str]) -> Line:
    """The commits in the order they came into the store, for results no checkout orders."""
    return Line(tuple(Commit(id=commit, time=0, title="") for commit in dict.fromkeys(commits)), stored=True)


def _first(line: Sequence[Commit], oldest: int) -> int:
    return next((at for at, commit in enumerate(line) if commit.time >= oldest), len(line))


def _seconds(since: str) -> int:
    if since == "all":
        return 0
    try:
        return int(datetime.fromisoformat(since).replace(tzinfo=UTC).timestamp())
    except ValueError:
        raise EcholotError(f'--since "{since}" is no date', todo="write it as 2026-01-31, or all") from None


def _ref(commit: Commit, index: int) -> CommitRef:
    return CommitRef(id=commit.id, title=commit.title, index=index)
