"""Every real recording loads, or is refused, as their list says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from echolot_tui.engine.formats import sniff
from echolot_tui.engine.model import EngineChoice, TraceUnreadableError
from echolot_tui.engine.open import open_trace

pytestmark = pytest.mark.traces

_ROW = re.compile(r"^\| `([^`]+)` \|(.*)\|$")


def _listed(folder: Path) -> dict[str, list[str]]:
    """Path to the cells after it, from the table in the folder's README."""
    lines = (folder / "README.md").read_text(encoding="utf-8").splitlines()
    return {
        row[1]: [cell.strip() for cell in row[2].split(" | ")] for line in lines if (row := _ROW.match(line))
    }


def test_every_listed_trace(shared_traces: Path) -> None:
    listed = _listed(shared_traces)
    assert len(listed) > 40
    wrong = []
    for name, (_, _, _, _, slices, sched_states, frames, samples, *_) in listed.items():
        path = shared_traces / name
        assert sniff(path) is not None, name
        if slices == "-":
            with pytest.raises(TraceUnreadableError, match="json_tokenizer_failure"):
                open_trace(path, EngineChoice())
            continue
        counts = [
            int(slices),
            *map(int, sched_states.split("/")),
            int(frames.split()[0]),
            *map(int, samples.split("/")),
        ]
        tables = (
            "slice",
            "sched",
            "thread_state",
            "actual_frame_timeline_slice",
            "perf_sample",
            "cpu_profile_stack_sample",
        )
        with open_trace(path, EngineChoice()) as session:
            got = [session.query(f"SELECT COUNT(*) FROM {table}").scalar() for table in tables]
        if got != counts:
            wrong.append((name, counts, got))
    assert wrong == []


def test_documents_beside_them_are_no_traces(shared_traces: Path) -> None:
    assert [sniff(path) for path in sorted(shared_traces.glob("*.md"))] == [None, None]


def test_a_perf_script_with_a_header_loads_like_the_one_without(shared_traces: Path, tmp_path: Path) -> None:
    plain = shared_traces / "samples" / "perf-script-forks.txt"
    headed = tmp_path / "x"
    headed.write_bytes(b"# ========\n# hostname : h\n# ========\n#\n" + plain.read_bytes())
    sql = "SELECT ts, utid, callsite_id FROM cpu_profile_stack_sample ORDER BY id"
    with open_trace(plain, EngineChoice()) as first, open_trace(headed, EngineChoice()) as second:
        assert first.query(sql).records() == second.query(sql).records()
