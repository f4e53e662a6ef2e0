"""The bridge: decodes without holding the loop, turns failures into sentences and log files."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from echolot_tui.compare.codec import decode_comparison, encode_comparison
from echolot_tui.compare.model import Comparison, Row
from echolot_tui.errors import EcholotError
from echolot_tui.tui.bridge import Bridge
from echolot_tui.tui.decoding import decode_in_pieces
from echolot_tui.tui.store import ComparisonAsk, Failed, Ready, Store
from screens_data import hostile, many, shown, three_sides, typical
from started_work import Workers

ROWS: Any = {"field": "rows", "item": Row, "what": "comparison"}


def made(tmp_path: Path) -> tuple[Bridge, Store, Workers, list[str]]:
    store = Store(lambda _, call: call(), time.monotonic)
    workers, said = Workers(), list[str]()
    return Bridge(workers, store, said.append, log_folder=tmp_path / "log"), store, workers, said


@pytest.mark.parametrize("comparison", [typical, three_sides, hostile], ids=lambda one: one.__name__)
async def test_decoding_in_pieces_gives_the_same_comparison(comparison: Any) -> None:
    raw = encode_comparison(comparison())
    again = await decode_in_pieces(raw, Comparison, **ROWS)
    assert again == decode_comparison(raw, where="memory")


async def test_decoding_lets_others_run_in_between() -> None:
    raw = encode_comparison(many(2000))
    turns = 0

    async def other() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    task = asyncio.create_task(other())
    await decode_in_pieces(raw, Comparison, **ROWS)
    task.cancel()
    assert turns >= 2000 // 250


@pytest.mark.parametrize("cut", [0, 2, -400, -3])
async def test_what_is_no_comparison_is_refused(cut: int) -> None:
    raw = encode_comparison(typical())[:cut] or b"{}"
    with pytest.raises(EcholotError, match="cannot be read"):
        await decode_in_pieces(raw, Comparison, **ROWS)


async def test_a_comparison_without_rows_is_read_and_so_is_one_without_indentation() -> None:
    empty = replace(typical(), rows=())
    assert await decode_in_pieces(encode_comparison(empty), Comparison, **ROWS) == empty
    compact = msgspec.json.format(encode_comparison(typical()), indent=-1)
    assert await decode_in_pieces(compact, Comparison, **ROWS) == typical()


async def test_a_refusal_becomes_a_failed_slot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    bridge, store, workers, _ = made(tmp_path)
    bridge.compare(ComparisonAsk(sides=("absent", "gone")))
    await workers.finish()
    failed = store.state.comparison
    assert isinstance(failed, Failed)
    assert failed.sentence.startswith("absent: there is no such file")
    assert failed.log is None


async def test_a_bug_is_a_sentence_and_a_log_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bridge, store, workers, _ = made(tmp_path)

    async def broken(*_: object) -> bytes:
        raise ZeroDivisionError("planted")

    monkeypatch.setattr("echolot_tui.tui.bridge.run_verb", broken)
    bridge.compare(ComparisonAsk(sides=("a", "b")))
    await workers.finish()
    failed = store.state.comparison
    assert isinstance(failed, Failed)
    assert failed.sentence == "this is a bug in echolot (ZeroDivisionError)"
    assert failed.log == str(tmp_path / "log" / "tui.log")
    assert "planted" in Path(failed.log).read_text()


async def test_comparing_reports_and_exporting_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, value in (("a.json", 100), ("b.json", 200)):
        (tmp_path / name).write_text(
            f'{{"detectors": [{{"id": "block", "rows": [{{"location": "draw", "self_ms": {value}}}]}}]}}'
        )
    bridge, store, workers, said = made(tmp_path)
    bridge.compare(ComparisonAsk(sides=("a.json", "b.json"), names=("old", "new"), folder="out"))
    await workers.finish()
    slot = store.state.comparison
    assert isinstance(slot, Ready), slot
    assert slot.value.comparison.rows[0].delta_ms == 100
    bridge.export()
    await workers.finish()
    assert said == ["wrote out/comparison.md and out/comparison.json"]
    assert "draw" in (tmp_path / "out" / "comparison.md").read_text()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.json", "b.json", "out"], (
        "comparing writes nothing"
    )


async def test_a_side_of_the_comparison_that_is_the_open_report_is_judged_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A report is opened by its full path, a comparison knows it from the folder it was made in."""
    monkeypatch.chdir(tmp_path)
    for name in ("before", "after"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "report.json").write_text('{"detectors": []}')
    bridge, store, _, _ = made(tmp_path)
    store.put(comparison=shown(typical()))
    others = bridge._other_sides(str(tmp_path / "before" / "report.json"))
    assert [name for name, _ in others] == ["after"]


async def test_an_export_that_cannot_be_written_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bridge, store, workers, said = made(tmp_path)
    (tmp_path / "file").write_text("")
    ready = shown(typical())
    store.put(comparison=ready)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "out").write_text("a file in the way")
    bridge.export()
    await workers.finish()
    assert "out" in said[0]
    assert store.state.comparison is ready
