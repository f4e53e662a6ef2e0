"""The project's record of hunts, as the verbs use it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock

from echolot_tui.errors import FAILED, ConfigError, EcholotError
from echolot_tui.headless.clock import now
from echolot_tui.headless.diagnostics import talk
from echolot_tui.headless.setup import Flags, Project, open_project
from echolot_tui.investigate.drift import anchors_of, confirmed_drift, confirmed_values
from echolot_tui.investigate.find import find_hunt
from echolot_tui.investigate.model import Hunt, Round, TraceFile
from echolot_tui.investigate.next_step import last_pair
from echolot_tui.investigate.recording import content_hash
from echolot_tui.investigate.store import Store
from echolot_tui.present.comparison_markdown import comparison_markdown
from echolot_tui.present.numbers import plural
from echolot_tui.present.report_markdown import report_markdown
from echolot_tui.project.files import is_there, read_bytes, sha256_of, write_atomic
from echolot_tui.project.layout import Layout, find_config
from echolot_tui.project.load import LoadedConfig, load_config

if TYPE_CHECKING:
    from echolot_tui.compare.model import Comparison
    from echolot_tui.headless.pipeline import Analysis
    from echolot_tui.report.model import Report

REPORT = "report.json"
COMPARISON = "comparison.json"
COMPARISON_TEXT = "comparison.md"


def layout_of(config: str | None) -> Layout | None:
    """The project's folders, whether its config loads or not; ``None`` without one."""
    path = Path(config) if config else find_config(Path.cwd())
    return Layout(root=path.parent.resolve()) if path is not None and is_there(path) else None


def config_of(flags: Flags) -> LoadedConfig | None:
    """The config when there is one that loads; what is wrong with it another verb says."""
    path = Path(flags.config) if flags.config else find_config(Path.cwd())
    if path is None:
        return None
    try:
        return load_config(path, Path(flags.local) if flags.local else None)
    except ConfigError:
        return None


@contextlib.contextmanager
def opened(flags: Flags) -> Iterator[Store]:
    """The record, for a verb that is about it; made when there is none.

    Raises:
        EcholotError: There is no project, or its record cannot be used.
    """
    layout = layout_of(flags.config)
    if layout is None:
        raise EcholotError(
            "a hunt belongs to a project, and there is no echolot.yml here or above",
            todo="write one (echolot probe TRACE helps), or name it with -c",
        )
    with Store(layout, now) as store:
        _tell(store)
        yield store


@contextlib.contextmanager
def beside(layout: Layout | None) -> Iterator[Store | None]:
    """The record, for a verb that has other work: ``None`` without one, and when it cannot be used."""
    with contextlib.ExitStack() as stack:
        store = None
        if layout is not None:
            try:
                store = Store.existing(layout, now)
            except EcholotError as error:
                talk.warn(f"{error.sentence}; this run is kept in no hunt")
        if store is not None:
            stack.enter_context(store)
            _tell(store)
        yield store


def open_hunt(store: Store, project: Project, question: str, since: str | None) -> Hunt:
    """Open a hunt, remembering the config as it is now."""
    assert project.loaded is not None  # a record is only opened beside a config
    scenario = project.scenario
    return store.hunts.open(
        question,
        scenario=scenario.name,
        since=since,
        config_sha=project.loaded.sha,
        confirmed=confirmed_values(project.loaded.values, scenario.name),
        anchors=anchors_of(scenario),
    )


def named(store: Store, wanted: str | None) -> Hunt:
    """The hunt a person named, else the current one.

    Raises:
        EcholotError: There is none; the sentence says what is possible instead.
    """
    hunts = store.hunts.all()
    if wanted is not None:
        return find_hunt(hunts, wanted)
    for hunt in hunts:
        if hunt.current:
            return hunt
    raise EcholotError("no hunt is current", todo=_instead(hunts), exit_code=FAILED)


def current_or_last(store: Store) -> Hunt:
    """The current hunt, else the one worked on last: what there is to look at.

    Raises:
        EcholotError: There was never any.
    """
    hunts = store.hunts.all()
    if not hunts:
        raise EcholotError("there is no hunt yet", todo=_instead(hunts), exit_code=FAILED)
    return max(hunts, key=lambda hunt: (hunt.current, hunt.touched_at, hunt.n))


def scenario_of(store: Store | None, flags: Flags) -> str | None:
    """The scenario a verb means when it names none: the current hunt's."""
    hunt = store.hunts.current() if store is not None and flags.scenario is None else None
    return hunt.scenario if hunt is not None else None


def project_of(flags: Flags) -> Project:
    """The project, and the current hunt's scenario in it where none is named."""
    with beside(layout_of(flags.config)) as store:
        return open_project(flags, preferred=scenario_of(store, flags))


def warn_of_drift(store: Store | None, project: Project) -> None:
    """Say which confirmed values are others now than when the current hunt opened."""
    hunt = store.hunts.current() if store is not None else None
    if hunt is not None and project.loaded is not None:
        for each in confirmed_drift(hunt, project.loaded):
            talk.warn(f"{each.text} ({each.id})")


def keep_report(store: Store, hunt: Hunt, analysis: Analysis, paths: Sequence[Path]) -> Round | None:
    """Copy a report into the round its traces belong to, and link the two.

    Args:
        store: The record.
        hunt: The hunt being worked on.
        analysis: What was found.
        paths: The traces it was made from, in run order; those that could not be read among them.

    Returns:
        The round; ``None`` when the report belongs to none, which was said.
    """
    from echolot_tui.headless.pipeline import save  # noqa: PLC0415 - numpy and the engine

    report, layout = analysis.report, store.layout
    if report.scenario is not None and report.scenario != hunt.scenario:
        talk.note(
            f'hunt {hunt.n} is about scenario "{hunt.scenario}", so the report of "{report.scenario}" '
            "is kept in none of its rounds"
        )
        return None
    try:
        traces = _hashed(report, paths, layout)
        of = store.rounds.attach(hunt.n, traces, scenario=hunt.scenario)
        folder = layout.round(of.hunt, of.k)
        lock = layout.lock(f"report-{of.id}")
        lock.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(lock):
            save(analysis, folder, report_markdown(report))
            of = store.rounds.report_saved(
                of.id,
                path=layout.relative(folder / REPORT),
                sha256=sha256_of(analysis.data),
                traces=[trace.sha256 for trace in traces],
                generated_at=report.generated_at,
                config_sha=report.config.sha,
            )
    except EcholotError as error:
        talk.warn(f"{error.sentence}; the report is kept in no round")
        return None
    talk.note(f"hunt {hunt.n}, {_called(of)}: report of {plural(len(traces), 'trace')}")
    return of


def _hashed(report: Report, paths: Sequence[Path], layout: Layout) -> list[TraceFile]:
    known = {repeat.trace: repeat.sha256 for repeat in report.repeats}
    return [
        TraceFile(path=layout.relative(path), sha256=known.get(str(path)) or content_hash(path))
        for path in paths
    ]


def keep_comparison(store: Store, pair: tuple[Round, Round], comparison: Comparison, data: bytes) -> None:
    """Copy a comparison of two rounds to the later one, and link it."""
    before, after = pair
    assert before.report is not None
    assert after.report is not None
    folder = store.layout.round(after.hunt, after.k)
    for name, content in (
        (COMPARISON_TEXT, comparison_markdown(comparison).encode()),
        (COMPARISON, data),
    ):
        write_atomic(folder / name, content)
    store.rounds.compared(before.report.id, after.report.id, store.layout.relative(folder / COMPARISON))
    talk.wrote(folder / COMPARISON)


def pair_to_compare(store: Store | None, wanted: str | None) -> tuple[Round, Round] | None:
    """The rounds to put side by side: of a named hunt the first and the last, of the current the last two.

    Returns:
        ``None`` when no hunt was named and none is current.

    Raises:
        EcholotError: There is no such hunt, or fewer than two of its rounds have a report.
    """
    hunts = store.hunts.all() if store is not None else ()
    if wanted is None:
        hunt = next((each for each in hunts if each.current), None)
        if hunt is None:
            return None
    else:
        try:
            hunt = find_hunt(hunts, wanted)
        except EcholotError as error:
            raise EcholotError(error.what, todo=error.todo) from None  # a refusal here, exit code 2
    pair = last_pair(hunt)
    if pair is None:
        has = "no round" if not hunt.measured else "only one round"
        raise EcholotError(
            f"hunt {hunt.n} has {has} with a report, and a comparison needs two",
            todo="collect or analyze the other side, or name two sides",
        )
    if wanted is not None:
        pair = (hunt.measured[0], hunt.measured[-1])
    later = [each for each in hunt.rounds if each.k > pair[1].k]
    if later:
        talk.note(f"{_called(later[-1])} has no report yet and is left out")
    return pair


def side_of(of: Round, layout: Layout) -> str:
    """The report of a round, as one side of a comparison."""
    assert of.report is not None
    path = layout.root / of.report.path
    if sha256_of(read_bytes(path)) != of.report.sha256:
        talk.warn(f"{path}: is not the report {_called(of)} was measured with")
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def names_of(pair: tuple[Round, Round]) -> tuple[str, str]:
    """What the sides are called: the rounds' labels, or their numbers where labels do not tell them apart."""
    before, after = pair
    if before.name == after.name:
        return f"round {before.k}", f"round {after.k}"
    return before.name, after.name


def _tell(store: Store) -> None:
    for problem in store.imported:
        talk.warn(problem)
    for lost in store.lost:
        talk.warn(
            f"{_called(lost)} was interrupted: {len(lost.done)}/{len(lost.runs)} runs are kept; "
            "echolot collect --resume records the rest"
        )


def _called(of: Round) -> str:
    label = f' "{of.label}"' if of.label else ""
    return f"round {of.k}{label}" if of.hunt is not None else f"set {of.k} outside any hunt"


def _instead(hunts: Sequence[Hunt]) -> str:
    open_ones = ", ".join(str(hunt.n) for hunt in hunts if hunt.state == "open")
    if open_ones:
        return f"open are {open_ones}: echolot hunt --resume N makes one current"
    closed = f"; echolot hunt --reopen {hunts[-1].n} opens the last one again" if hunts else ""
    return f'echolot hunt "QUESTION" opens one{closed}'
