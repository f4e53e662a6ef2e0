"""From a store and a checkout to a report: order, mode, dirty trees, ghosts, blessings, lag."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from echolot_tui.errors import EcholotError
from echolot_tui.history.analysis import Asked, analyze
from echolot_tui.history.blessing import bless, unbless
from echolot_tui.history.examine import examine
from echolot_tui.history.git import Git
from echolot_tui.history.lines import git_line
from echolot_tui.history.model import HistoryReport
from echolot_tui.history.select import Filters
from echolot_tui.history.series import SetName
from echolot_tui.history.store import Store
from history_repo import SET, Checkout, fill, one, put
from scatter import scattered

STEP = scattered("clean_step", [100] * 10 + [130] * 10)
OTHER = SetName(scenario="start", model="tablet", engine="embedded v1")


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path / "repo")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "history.db") as opened:
        yield opened


def report(store: Store, checkout: Checkout, **asked: object) -> HistoryReport:
    return analyze(store, Git(checkout.folder), Asked(**asked), every=True)  # type: ignore[arg-type]


def test_order_comes_from_git_not_from_the_order_of_adding(store: Store, checkout: Checkout) -> None:
    commits = checkout.commits(20)
    pairs = list(zip(commits, STEP, strict=True))
    for commit, value in [*pairs[10:], *pairs[:10]]:
        put(store, commit, one(value))
    found = report(store, checkout)
    assert found.mode == "history"
    assert found.findings[0].commit.id == commits[10]
    assert found.findings[0].commit.title == "change 11"
    assert found.context is not None
    assert found.context.id == commits[-1]
    assert (found.runs, found.census.state) == (20, "full")


def test_titles_may_hold_anything(store: Store, checkout: Checkout) -> None:
    odd = "tab\there \u2028 line \x0c feed \x1d group \x85 next"
    commits = [*checkout.commits(11), checkout.commit(odd)]
    checkout.git("commit", "-q", "--allow-empty", "--allow-empty-message", "-m", "")
    commits.append(checkout.git("rev-parse", "HEAD"))
    fill(store, commits, [100.0] * 13)
    found = report(store, checkout)
    assert (found.runs, found.context and found.context.title) == (13, "")
    line = git_line(Git(checkout.folder), store.runs(), context=None, base=None, since=None)
    assert line.commits[-2].title == odd


def test_suspects_are_the_commits_since_the_last_measured_one(store: Store, checkout: Checkout) -> None:
    commits = checkout.commits(40)
    fill(store, commits[1::2], STEP)
    (finding,) = report(store, checkout).findings
    assert finding.suspects == (commits[20], commits[21])
    assert finding.commit.id == commits[21]


def test_a_merged_branch_counts_by_its_merge(store: Store, checkout: Checkout) -> None:
    commits = checkout.commits(3)
    checkout.git("checkout", "-q", "-b", "side")
    side = checkout.commits(2)
    checkout.git("checkout", "-q", "main")
    checkout.git("merge", "-q", "--no-ff", "-m", "merge side", "side")
    merge = checkout.git("rev-parse", "HEAD")
    fill(store, [*commits, *side, merge], [1.0] * 6)
    found = report(store, checkout)
    assert found.runs == 4
    assert "2 of 6 runs are left out" in found.notes[0]


def test_a_branch_is_compared_with_its_base(store: Store, checkout: Checkout) -> None:
    commits = checkout.commits(20)
    fill(store, commits, scattered("branch-base", [100] * 20))
    checkout.git("checkout", "-q", "-b", "work", commits[15])
    (first, tip) = checkout.commits(2)
    put(store, first, one(500.0))
    put(store, tip, one(130.0))
    found = report(store, checkout)
    assert found.mode == "branch"
    assert (found.base and found.base.id, found.context and found.context.id) == (commits[-1], tip)
    (finding,) = found.findings
    assert finding.branch is not None
    assert (finding.branch.references, finding.latest) == (20, 130.0)
    assert finding.relative == pytest.approx(0.25586, abs=5e-6)
    assert found.sets[0].lag is None


def test_a_base_behind_its_tip_says_so(store: Store, checkout: Checkout) -> None:
    commits = checkout.commits(24)
    fill(store, commits[:20], [100.0] * 20)
    fill(store, commits[:22], [100.0] * 22, name=OTHER)
    checkout.git("checkout", "-q", "-b", "work")
    tip = checkout.commit()
    put(store, tip, one(100.0))
    put(store, tip, one(100.0), name=OTHER)
    lags = {one_set.set: one_set.lag for one_set in report(store, checkout).sets}
    first, second = lags[SET], lags[OTHER]
    assert first is not None
    assert second is not None
    assert (first.commits, first.reason) == (4, "partition mismatch")
    assert (second.commits, second.reason) == (2, "no newer data")


def test_dirty_runs_of_the_base_count_only_at_its_tip_while_the_tree_is_dirty(
    store: Store, checkout: Checkout
) -> None:
    commits = checkout.commits(12)
    fill(store, commits, [100.0] * 12)
    put(store, commits[3], one(900.0), dirty=True)
    put(store, commits[-1], one(130.0), dirty=True)
    assert report(store, checkout).mode == "history"
    checkout.make_dirty()
    found = report(store, checkout)
    assert (found.mode, found.context_dirty) == ("branch", True)
    (finding,) = found.findings
    assert finding.branch is not None
    assert (finding.latest, finding.branch.references, finding.branch.high) == (130.0, 12, 100.0)


def test_uncommitted_changes_on_a_detached_older_commit_are_a_branch(
    store: Store, checkout: Checkout
) -> None:
    commits = checkout.commits(14)
    fill(store, commits, [100.0] * 14)
    checkout.git("checkout", "-q", "--detach", commits[11])
    assert (report(store, checkout).mode, report(store, checkout).runs) == ("history", 12)
    put(store, commits[11], one(130.0), dirty=True)
    assert report(store, checkout).mode == "history"
    checkout.make_dirty()
    found = report(store, checkout)
    assert (found.mode, found.context and found.context.id) == ("branch", commits[11])
    (finding,) = found.findings
    assert finding.branch is not None
    assert (finding.latest, finding.branch.references) == (130.0, 14)


def test_uncommitted_changes_are_those_of_what_is_checked_out(store: Store, checkout: Checkout) -> None:
    commits = checkout.commits(12)
    fill(store, commits, [100.0] * 12)
    put(store, commits[10], one(130.0), dirty=True)
    checkout.make_dirty()
    found = report(store, checkout, context=commits[10])
    assert (found.mode, found.context_dirty) == ("history", False)
    assert report(store, checkout).context_dirty


def test_a_shallow_clone_is_named_as_the_reason(store: Store, checkout: Checkout, tmp_path: Path) -> None:
    commits = checkout.commits(12)
    fill(store, commits, [100.0] * 12)
    checkout.git("clone", "-q", "--depth", "5", checkout.folder.as_uri(), str(tmp_path / "shallow"))
    found = analyze(store, Git(tmp_path / "shallow"), Asked())
    assert (found.runs, found.census.state) == (5, "nothing_judged")
    assert "shallow: git knows 5 commits of the line" in found.notes[1]
    assert not any("shallow" in note for note in report(store, checkout, context=commits[5]).notes)


def test_the_base_of_a_checkout_without_branches_is_the_remotes(
    store: Store, checkout: Checkout, tmp_path: Path
) -> None:
    """As CI checks a commit out: detached, no local branch, no word on the remote's default."""
    fill(store, checkout.commits(12), [100.0] * 12)
    clone = tmp_path / "clone"
    checkout.git("clone", "-q", checkout.folder.as_uri(), str(clone))
    for command in (
        ["remote", "set-head", "origin", "-d"],
        ["checkout", "-q", "--detach"],
        ["branch", "-D", "main"],
    ):
        checkout.git("-C", str(clone), *command)
    found = analyze(store, Git(clone), Asked())
    assert (found.mode, found.runs, found.census.state) == ("history", 12, "full")
    checkout.git("-C", str(clone), "update-ref", "-d", "refs/remotes/origin/main")
    with pytest.raises(EcholotError, match="default branch is not known; name it with --base"):
        analyze(store, Git(clone), Asked())


def test_an_older_commit_is_analysed_as_it_was(store: Store, checkout: Checkout) -> None:
    commits = checkout.commits(24)
    fill(store, commits, [*STEP, *[100.0] * 4])
    found = report(store, checkout, context=commits[19])
    assert [finding.commit.id for finding in found.findings] == [commits[10]]


def test_history_looks_half_a_year_back(store: Store, checkout: Checkout) -> None:
    commits = checkout.commits(200)
    fill(store, commits, [100.0] * 200)
    assert report(store, checkout).every[0].points == 184
    assert report(store, checkout, since="all").every[0].points == 200
    assert report(store, checkout, since="2024-05-31").runs == 2
    with pytest.raises(EcholotError, match="no date"):
        report(store, checkout, since="yesterday")


def test_several_runs_at_a_commit_are_one_level(store: Store, checkout: Checkout) -> None:
    commits = checkout.commits(10)
    for commit in commits:
        for at in range(3):
            put(store, commit, one(100.0 + at))
    found = report(store, checkout)
    assert (found.runs, found.every[0].points) == (30, 10)


def test_what_is_not_measured_at_the_tip_is_a_ghost(store: Store, checkout: Checkout) -> None:
    commits = checkout.commits(20)
    for at, commit in enumerate(commits):
        gone = [] if at == 19 else [one(STEP[at], name="marker/gone")]
        put(store, commit, one(100.0), *gone)
    found = report(store, checkout)
    assert (found.ghosts, found.census.in_scope, found.findings) == (1, 1, ())


def test_one_metric_at_the_tip_rescues_the_others(store: Store, checkout: Checkout) -> None:
    commits = checkout.commits(20)
    for at, commit in enumerate(commits):
        count = [] if at == 19 else [one(1.0, metric="count")]
        put(store, commit, one(100.0), *count)
    assert report(store, checkout).ghosts == 0


def test_an_unmeasured_tip_is_said(store: Store, checkout: Checkout) -> None:
    commits = checkout.commits(21)
    fill(store, commits[:20], STEP)
    found = report(store, checkout)
    assert found.census.state == "nothing_in_scope"
    assert "has no run" in found.notes[-1]


def test_rows_under_the_bar_close_gaps_but_make_no_series(store: Store, checkout: Checkout) -> None:
    commits = checkout.commits(20)
    for at, (commit, value) in enumerate(zip(commits, STEP, strict=True)):
        listed = at >= 10
        put(
            store,
            commit,
            one(value, name="block/crosses", listed=listed),
            one(value, name="block/never", listed=False),
        )
    found = report(store, checkout)
    assert [finding.name for finding in found.findings] == ["block/crosses"]
    assert found.series == 1


def test_a_blessing_starts_detection_anew(store: Store, checkout: Checkout) -> None:
    commits = checkout.commits(24)
    fill(store, commits, [*STEP, *scattered("after", [130] * 4)])
    assert report(store, checkout).findings
    done = bless(store, ["win"], commit=commits[10], filters=Filters(), reason="meant", at="now")
    assert not done.warnings
    found = report(store, checkout)
    assert not found.findings
    assert found.every[0].points == 14
    assert unbless(store, None, commit=commits[11], filters=Filters()) == 0
    assert unbless(store, ["win"], commit=commits[10], filters=Filters()) == 1
    assert report(store, checkout).findings


def test_a_blessing_may_leave_too_little(store: Store, checkout: Checkout) -> None:
    commits = checkout.commits(20)
    fill(store, commits, STEP)
    bless(store, [""], commit=commits[15], filters=Filters(), at="now")
    assert report(store, checkout).every[0].reason == "too_few_points_since_blessing"
    checkout.git("checkout", "-q", "-b", "work")
    put(store, checkout.commit(), one(130.0))
    assert report(store, checkout).every[0].reason == "too_few_base_commits_since_blessing"


def test_the_newest_matching_blessing_counts(store: Store, checkout: Checkout) -> None:
    commits = checkout.commits(30)
    fill(store, commits, [100.0] * 10 + [130.0] * 20)
    bless(store, ["marker"], commit=commits[20], filters=Filters(), at="now")
    bless(store, ["window"], commit=commits[12], filters=Filters(), at="now")
    bless(store, [""], commit=commits[5], filters=Filters(), at="now")
    assert report(store, checkout).every[0].points == 18


def test_a_blessing_of_nothing_needs_a_set(store: Store, checkout: Checkout) -> None:
    commits = checkout.commits(2)
    put(store, commits[0], one(1.0))
    with pytest.raises(EcholotError, match="nothing was measured"):
        bless(store, [""], commit=commits[1], filters=Filters(), at="now")
    filters = Filters(scenario=SET.scenario, machine=SET.model, engine=SET.engine)
    done = bless(store, [""], commit=commits[1], filters=filters, on_base=False, at="now")
    assert len(done.warnings) == 2
    assert done.blessings[0].set == SET


def test_filters_choose_sets(store: Store, checkout: Checkout) -> None:
    commits = checkout.commits(20)
    fill(store, commits, STEP)
    fill(store, commits, [100.0] * 20, name=OTHER)
    assert report(store, checkout).series == 2
    only = report(store, checkout, filters=Filters(machine="tablet"))
    assert (only.series, only.findings) == (1, ())


def test_results_outside_of_git_keep_the_order_they_came_in(store: Store) -> None:
    fill(store, [f"v{at}" for at in range(20)], STEP)
    fill(store, [f"v{at}" for at in range(10)], [100.0] * 10, name=OTHER)
    found = analyze(store, None, Asked())
    assert [finding.commit.id for finding in found.findings] == ["v10"]
    assert found.ghosts == 0


def test_no_shared_commit_is_an_error(store: Store, checkout: Checkout) -> None:
    commits = checkout.commits(3)
    fill(store, commits, [1.0] * 3)
    checkout.git("checkout", "-q", "--orphan", "alone")
    checkout.git("commit", "-q", "-m", "alone", "--allow-empty")
    with pytest.raises(EcholotError, match="share no commit"):
        report(store, checkout, order="git")
    with pytest.raises(EcholotError, match="knows no commit"):
        report(store, checkout, context="nowhere")


def test_examine_lists_every_commit_and_judges_none(store: Store, checkout: Checkout) -> None:
    commits = checkout.commits(6)
    put(store, commits[1], one(1.0))
    put(store, commits[3], one(3.0), dirty=True)
    put(store, commits[3], one(2.0))
    git = Git(checkout.folder)
    line = git_line(git, store.runs(), context=None, base=None, since=None)
    found = examine(store, line, "window", "duration_ms", Filters())
    (shown,) = found.sets
    assert [(each.commit.id, each.value, each.dirty) for each in shown.observations] == [
        (commits[1], 1.0, False),
        (commits[2], None, False),
        (commits[3], 2.0, False),
        (commits[3], 3.0, True),
        (commits[4], None, False),
        (commits[5], None, False),
    ]
    assert examine(store, line, "windw", "duration_ms", Filters()).hint is not None
    with pytest.raises(EcholotError, match='no series has a metric "duration"'):
        examine(store, line, "window", "duration", Filters())
    with pytest.raises(EcholotError, match="holds no series of these sets"):
        examine(store, line, "window", "duration_ms", Filters(machine="none"))
