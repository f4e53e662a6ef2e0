"""Laying two sides of many runs over each other: a large tree, judged run by run.

Run: ``python bench/profiles.py [--nodes N] [--runs N]``
"""

from __future__ import annotations

import argparse
import resource
import time

import numpy as np

from echolot_tui.present.flame_svg import flame_svg
from echolot_tui.profiles.codec import encode_profile
from echolot_tui.profiles.diff import compare_profiles
from echolot_tui.profiles.sides import ProfileOptions, SideRecordings
from echolot_tui.profiles.stacks import Facts, Frame, Recording, Thread

SLOWER = 17
"""The node whose own time grows by half after."""


def tree(nodes: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Callers and own shares of a random tree; a few nodes are heavy, most are light."""
    parent = np.array([-1, *(int(at * rng.random() ** 0.35) for at in range(1, nodes))])
    weight = rng.pareto(1.1, nodes)
    return parent, weight / weight.sum()


def run(
    parent: np.ndarray, share: np.ndarray, frames: tuple[Frame, ...], samples: int, rng: np.random.Generator
) -> Recording:
    """One run: counts around the shares, each off by a tenth of its own."""
    counts = rng.poisson(samples * share * rng.lognormal(0.0, 0.1, len(share)))
    leaf = np.flatnonzero(counts)
    weight = counts[leaf].astype(np.float64)
    return Recording(
        path="run",
        facts=Facts(source="bench", event="cycles", hz=1000.0),
        frames=frames,
        parent=parent,
        frame=np.arange(len(parent)),
        leaf=leaf,
        weight=weight,
        count=weight,
        thread=np.zeros(len(leaf), dtype=np.int64),
        threads=(Thread("app", "main"),),
    )


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--nodes", type=int, default=100_000)
    options.add_argument("--runs", type=int, default=50)
    options.add_argument("--samples", type=int, default=20_000)
    given = options.parse_args()
    rng = np.random.default_rng(1)
    parent, share = tree(given.nodes, rng)
    frames = tuple(Frame(f"function_{at}", f"lib{at % 40}.so") for at in range(given.nodes))
    slow = share.copy()
    slow[np.argsort(-share)[SLOWER]] *= 1.5
    before = [run(parent, share, frames, given.samples, rng) for _ in range(given.runs)]
    after = [run(parent, slow, frames, given.samples, rng) for _ in range(given.runs)]
    for buckets in (False, True):
        begin, cpu = time.perf_counter(), time.process_time()
        profile = compare_profiles(
            SideRecordings("before", tuple(before)),
            SideRecordings("after", tuple(after)),
            ProfileOptions(buckets=buckets),
        )
        took, cpu = time.perf_counter() - begin, time.process_time() - cpu
        name = "with buckets" if buckets else "compared"
        print(f"{given.nodes} nodes, {given.runs} runs a side, {name:<14} {took:6.1f} s, {cpu:.1f} s CPU")
    print(f"listed {len(profile.nodes)}, {profile.tested} rows tested, findings:")
    for finding in profile.findings:
        print(f"  {finding.label} {finding.delta_share:+.2f} p {finding.p_family}")
    begin = time.perf_counter()
    svg = flame_svg(profile)
    print(f"flame graph {len(svg) / 1e6:.1f} MB in {time.perf_counter() - begin:.1f} s")
    begin = time.perf_counter()
    print(f"JSON {len(encode_profile(profile)) / 1e6:.1f} MB in {time.perf_counter() - begin:.1f} s")
    print(f"peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
