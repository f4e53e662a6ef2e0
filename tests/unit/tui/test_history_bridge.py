"""The bridge's history: what is blessed on the screen is in the store that the screen shows."""

from __future__ import annotations

import contextlib
import io
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from echolot_tui.headless.main import root
from echolot_tui.history.series import Blessing
from echolot_tui.history.store import Store as HistoryStore
from echolot_tui.tui.loop_history import HistoryBridge
from echolot_tui.tui.store import Ready, Store
from history_repo import SET, Checkout, fill
from scatter import scattered
from started_work import Workers

FLAGS = (f"--scenario={SET.scenario}", f"--machine={SET.model}", f"--engine={SET.engine}")


async def verb_in_this_process(arguments: Sequence[str], _: Callable[[str], None]) -> bytes:
    """A process of its own each takes half a second; test_process.py has those."""
    printed = io.BytesIO()
    with contextlib.redirect_stdout(io.TextIOWrapper(printed, encoding="utf-8", write_through=True)):
        assert root.main(list(arguments), standalone_mode=False) == 0
        return printed.getvalue()


class Shown:
    """A project with a step in its history, and a bridge to it from another folder."""

    def __init__(self, folder: Path) -> None:
        self.checkout = Checkout(folder / "repo")
        self.commits = self.checkout.commits(20)
        config = self.checkout.folder / "echolot.yml"
        config.write_text("app_id: com.example.app\n")
        self.file = self.checkout.folder / ".echolot" / "history.db"
        with HistoryStore(self.file) as store:
            fill(store, self.commits, scattered("clean_step", [100] * 10 + [130] * 10))
        self.workers, self.store, self.said = (
            Workers(),
            Store(lambda _, call: call(), time.monotonic),
            list[str](),
        )
        self.bridge = HistoryBridge(
            self.workers,
            self.store,
            self.said.append,
            log_folder=folder / "log",
            config_flags=("--config", str(config)),
        )

    def findings(self) -> int:
        slot = self.store.state.history
        assert isinstance(slot, Ready), slot
        return len(slot.value.findings)

    def blessings(self) -> list[Blessing]:
        with HistoryStore(self.file) as store:
            return store.blessings()


@pytest.fixture
def shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shown:
    made = Shown(tmp_path)
    monkeypatch.chdir(made.checkout.folder)
    for module in ("bridge", "loop_history"):
        monkeypatch.setattr(f"echolot_tui.tui.{module}.run_verb", verb_in_this_process)
    return made


async def test_a_series_is_blessed_and_that_is_taken_back(shown: Shown) -> None:
    shown.checkout.git("checkout", "-q", "--detach", shown.commits[12])
    shown.bridge.bless_history(FLAGS, "window", "-- a new\nparser, --all of it")
    await shown.workers.finish()
    (blessing,) = shown.blessings()
    assert (blessing.commit, blessing.prefix, blessing.reason, blessing.set) == (
        shown.commits[12],
        "window",
        "-- a new\nparser, --all of it",
        SET,
    )
    assert shown.findings() == 0
    shown.bridge.bless_history(FLAGS, "window", None)
    await shown.workers.finish()
    assert shown.blessings() == []
    assert shown.said == ["1 blessing taken back"]


async def test_a_blessing_goes_to_the_project_that_is_shown(
    shown: Shown, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not to the one of the current folder, which has a store and a checkout of its own."""
    other = Checkout(tmp_path / "other")
    commit = other.commit()
    monkeypatch.chdir(other.folder)
    with HistoryStore(other.folder / ".echolot" / "history.db") as store:
        fill(store, [commit], [100.0])
    shown.bridge.bless_history(FLAGS, "window", "meant")
    await shown.workers.finish()
    assert [each.commit for each in shown.blessings()] == [shown.commits[-1]]
    with HistoryStore(other.folder / ".echolot" / "history.db") as store:
        assert store.blessings() == []


async def test_a_refused_blessing_is_said_and_the_list_stays(shown: Shown) -> None:
    shown.checkout.commit()
    shown.bridge.bless_history(("--scenario=none",), "window", "meant")
    await shown.workers.finish()
    assert "nothing was measured at" in shown.said[0]
    assert shown.blessings() == []
    assert shown.findings() == 0  # the newest commit was not measured: everything is a ghost
