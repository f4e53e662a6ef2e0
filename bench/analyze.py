"""What measuring costs beside loading, on a 51 MB trace with 600,000 main-thread slices.

Run: ``python bench/analyze.py [--rounds N]``. Every figure is a ratio within this run; the machine's speed
cancels out. Bars: the seven first detectors at most 1.2 times the load, all of them at most 2 times, and
2.5 times with a domain ``*``, which makes every name a marker; another threshold from the cache under 0.5 s.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from platformdirs import user_cache_path

from echolot_tui.engine.model import EngineChoice
from echolot_tui.engine.open import open_trace
from echolot_tui.generate.bench_trace import write_bench_trace
from echolot_tui.measure.cache import identify
from echolot_tui.measure.catalogue import load_catalogue
from echolot_tui.measure.measure import Request, measure_trace
from echolot_tui.measure.plan import plan
from echolot_tui.measure.spec import MeasureSpec

FIRST_SEVEN = {
    "main_thread_block",
    "background_work",
    "main_thread_outlier",
    "monitor_contention",
    "binder_txn",
    "runnable_starvation",
    "uninstrumented_cpu",
}


def spec_of(ids: set[str] | None, domain_globs: tuple[str, ...] = ()) -> MeasureSpec:
    made = plan(load_catalogue())
    chosen = tuple(each for each in made.detectors if ids is None or each.id in ids)
    return MeasureSpec(detectors=chosen, claimed_globs=made.claimed_globs, domain_globs=domain_globs)


def costs(path: Path, spec: MeasureSpec) -> tuple[float, float]:
    """Seconds to load the trace and to measure it."""
    begin = time.perf_counter()
    with open_trace(path, EngineChoice()) as session:
        loaded = time.perf_counter()
        measure_trace(session, Request(trace=identify(path), spec=spec, key="bench"))
        return loaded - begin, time.perf_counter() - loaded


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "big.perfetto-trace"
        write_bench_trace(path)
        print(f"trace of {path.stat().st_size / 1e6:.1f} MB")
        for title, spec in (
            ("seven detectors", spec_of(FIRST_SEVEN)),
            ("all detectors", spec_of(None)),
            ("and every marker", spec_of(None, ("*",))),
        ):
            times = [costs(path, spec) for _ in range(rounds)]
            load, measure = (min(column) for column in zip(*times, strict=True))
            figures = f"load {load:.2f} s, measuring {measure:.2f} s"
            print(f"{title:<18} {figures}: {measure / load:.2f} times the load")
        print(
            f"peak memory of one process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB"
        )
        again(path, folder)


def again(path: Path, folder: Path) -> None:
    """The command line with a cold and a warm measurement cache, with another threshold."""
    compiled = str(user_cache_path("echolot") / "engine")
    surroundings = os.environ | {"XDG_CACHE_HOME": str(folder / "cache"), "ECHOLOT_CACHE_DIR": compiled}
    command = [sys.executable, "-m", "echolot_tui", "analyze", str(path), "--json"]
    for title, more in (
        ("first analyze", []),
        ("another threshold", ["--set", "main_thread_block.min_slice_ms=3"]),
    ):
        begin = time.perf_counter()
        subprocess.run([*command, *more], env=surroundings, check=True, capture_output=True)
        print(f"{title:<18} {time.perf_counter() - begin:.2f} s wall, Python's start included")
    children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"peak memory of a worker: {children:.0f} MB")


if __name__ == "__main__":
    main()
