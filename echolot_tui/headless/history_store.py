"""Where the history verbs work: the store, the checkout, and what is put into the store."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from echolot_tui.errors import EcholotError
from echolot_tui.frozen import Frozen
from echolot_tui.headless.clock import now
from echolot_tui.headless.diagnostics import talk
from echolot_tui.history.analysis import Asked, analyze, line_of
from echolot_tui.history.blessing import EVERYTHING, Blessed, bless, unbless
from echolot_tui.history.examine import Examination, examine
from echolot_tui.history.git import Git
from echolot_tui.history.importing import ImportedFile, read_report, read_result, result_files
from echolot_tui.history.model import HistoryReport
from echolot_tui.history.reports import run_of
from echolot_tui.history.select import Filters
from echolot_tui.history.series import Blessing
from echolot_tui.history.store import Place, Store
from echolot_tui.project.files import sha256_of
from echolot_tui.project.layout import Layout, find_config

if TYPE_CHECKING:
    from echolot_tui.headless.pipeline import Analysis
    from echolot_tui.headless.setup import Project


class Added(Frozen, frozen=True, kw_only=True):
    """What became of one file."""

    path: str
    commit: str
    dirty: bool
    added: bool
    """False when the store had it."""
    points: int


class Where:
    """The checkout around the current folder, and the store that is meant."""

    def __init__(self, store: str | None, config: str | None) -> None:
        """Find both: ``--store``, else the project's, else the checkout's, else one here.

        The checkout is the one that holds the project.
        """
        named = Path(config) if config else find_config(Path.cwd())
        folder = Path.cwd() if named is None else named.resolve().parent
        git = Git(folder)
        root = git.root()
        self.git = git if root is not None else None
        home = folder if named is not None else root or folder
        self.store = Path(store) if store else Layout(root=home).history

    def open(self) -> Store:
        """The store, made when there is none yet."""
        return Store(self.store)

    def existing(self) -> Store:
        """The store.

        Raises:
            EcholotError: There is none yet.
        """
        if not self.store.is_file():
            raise EcholotError(
                "there is no history yet",
                where=str(self.store),
                todo="add a report: echolot history add REPORT",
            )
        return Store(self.store)

    def commit(self, ref: str | None) -> str:
        """A commit's full identifier; outside of a checkout the text itself.

        Raises:
            EcholotError: No commit was named and there is no checkout.
        """
        if self.git is not None:
            return self.git.resolve(ref or "HEAD")
        if ref is None:
            raise EcholotError("no commit: this is no git checkout", todo="name it with --commit")
        return ref


def add(
    where: Where,
    paths: tuple[str, ...],
    *,
    commit: str | None,
    branch: str | None,
    dirty: bool | None,
    machine: str | None,
) -> list[Added]:
    """Put reports into the store; a commit of another checkout keeps the name it is given."""
    files = [read_report(Path(path), machine=machine) for path in paths]
    place = _place(where, commit, branch, dirty=dirty)
    with where.open() as store:
        return [_keep(store, file, place) for file in files]


def import_results(
    where: Where, paths: tuple[str, ...], *, commit: str | None, scenario: str | None, machine: str | None
) -> list[Added]:
    """Put folders of results into the store; what is no result is named and left out.

    Raises:
        EcholotError: Nothing among it was a result.
    """
    files = []
    for path, root in result_files(paths):
        try:
            file = read_result(path, root, machine=machine)
        except EcholotError as error:
            talk.warn(f"{error.sentence}; left out")
            continue
        files.append(file if scenario is None else _of_scenario(file, scenario))
    if not files:
        raise EcholotError("nothing to import: no file is a result of a known tool")
    with where.open() as store:
        return [_keep(store, file, Place(commit=_label(where, commit or file.label))) for file in files]


def auto_add(analysis: Analysis, project: Project, report: Path) -> None:
    """Keep a report that a project just analyzed, when this is a checkout.

    A store that cannot be written costs the addition, never the report.
    """
    assert project.loaded is not None
    folder = project.loaded.folder
    git = Git(folder)
    commit = git.find("HEAD")
    if commit is None:
        talk.note("history.auto: this is no git checkout with a commit; the report is not added")
        return
    place = Place(commit=commit, dirty=git.dirty(), branch=git.branch())
    run = run_of(analysis.report, analysis.rows)
    file = ImportedFile(path=str(report), sha256=sha256_of(analysis.data), run=run, label="")
    try:
        with Store(Layout(root=folder).history) as store:
            done = _keep(store, file, place)
    except EcholotError as error:
        talk.warn(f"{error.sentence}; the report is not added to the history")
        return
    if done.added:
        dirty = " with uncommitted changes" if place.dirty else ""
        talk.note(f"added to the history at {commit[:12]}{dirty}")


def analyze_store(where: Where, asked: Asked, *, jobs: int, every: bool) -> HistoryReport:
    """Judge the store."""
    with where.existing() as store:
        return analyze(store, where.git, asked, jobs=jobs, every=every)


def examine_store(
    where: Where, name: str, metric: str, asked: Asked, *, jobs: int, gates: bool
) -> Examination:
    """List one series; with its gates when they are asked for."""
    with where.existing() as store:
        line = line_of(store.runs(), where.git, asked)
        found = examine(store, line, name, metric, asked.filters)
        if not gates:
            return found
        report = analyze(store, where.git, asked, jobs=jobs, every=True)
    states = {state.set: state for state in report.every if (state.name, state.metric) == (name, metric)}
    return replace(found, sets=tuple(replace(one, gates=states.get(one.set)) for one in found.sets))


def bless_store(
    where: Where,
    prefixes: tuple[str, ...],
    *,
    everything: bool,
    commit: str | None,
    base: str | None,
    filters: Filters,
    reason: str,
) -> Blessed:
    """Accept a change at a commit."""
    meant = _prefixes(prefixes, everything=everything)
    with where.existing() as store:
        at = _known_commit(where, store, commit)
        on_base = where.git is None or _on_base(where.git, at, base)
        return bless(store, meant, commit=at, filters=filters, reason=reason, on_base=on_base, at=now())


def unbless_store(
    where: Where, prefixes: tuple[str, ...], *, everything: bool, commit: str | None, filters: Filters
) -> int:
    """Take blessings at a commit back."""
    meant = _prefixes(prefixes, everything=everything)
    with where.existing() as store:
        return unbless(
            store, None if everything else meant, commit=_known_commit(where, store, commit), filters=filters
        )


def blessings(where: Where, filters: Filters) -> tuple[Blessing, ...]:
    """The blessings in force."""
    with where.existing() as store:
        return tuple(each for each in store.blessings() if filters.take(each.set))


def _prefixes(prefixes: tuple[str, ...], *, everything: bool) -> tuple[str, ...]:
    if everything == bool(prefixes):
        raise EcholotError("name prefixes of series, or --all" if not everything else "--all takes no prefix")
    return prefixes or (EVERYTHING,)


def _known_commit(where: Where, store: Store, commit: str | None) -> str:
    """A commit as the store names it: git's identifier, or the label of an imported result."""
    if commit is not None and any(run.commit == commit for run in store.runs()):
        return commit
    return where.commit(commit)


def _on_base(git: Git, commit: str, base: str | None) -> bool:
    line = git.first_parents(git.resolve(base or git.default_branch()))
    return any(each.id == commit for each in line)


def _place(where: Where, commit: str | None, branch: str | None, *, dirty: bool | None) -> Place:
    git = where.git
    if commit is None and git is not None:
        return Place(
            commit=where.commit(None),
            dirty=git.dirty() if dirty is None else dirty,
            branch=branch or git.branch(),
        )
    return Place(commit=where.commit(commit), dirty=bool(dirty), branch=branch)


def _label(where: Where, label: str) -> str:
    """The commit git knows by this label, else the label itself."""
    return (where.git.find(label) if where.git is not None else None) or label


def _of_scenario(file: ImportedFile, scenario: str) -> ImportedFile:
    return replace(file, run=replace(file.run, set=replace(file.run.set, scenario=scenario)))


def _keep(store: Store, file: ImportedFile, place: Place) -> Added:
    if file.note is not None:
        talk.note(file.note)
    added = store.add(file.run, place, source=file.path, sha256=file.sha256, at=now())
    return Added(
        path=file.path, commit=place.commit, dirty=place.dirty, added=added, points=len(file.run.measured)
    )
