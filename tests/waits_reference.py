"""Who ended each of the main thread's sleeps, and what that thread had waited for itself."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import pairwise

from raw_window import RawWindow, Stretch, family

Sleep = tuple[Stretch, int, str | None, list[tuple[str, int]]]
"""A sleep, who ended it, the slice it was in, and the hops behind it."""


class Waits(RawWindow):
    """The main thread's sleeps in a window."""

    def sleepers(self) -> dict[str, list[Sleep]]:
        """The sleeps that count, by the family of who ended them."""
        groups: dict[str, list[Sleep]] = defaultdict(list)
        for sleep in self.sleeps():
            groups[family(self.names[sleep[1]])].append(sleep)
        return groups

    def sleeps(self) -> list[Sleep]:
        """The main thread's sleeps that count: the waker, where it slept, and what the waker waited for."""
        found: list[Sleep] = []
        timeline = self.timeline[self.pid]
        for one, following in pairwise(timeline):
            if one.state != "S" or not one.closed or not self.clip(one) or following.waker is None:
                continue
            waker = self.tid_of[following.waker]
            name = self.names.get(waker, "")
            if waker in (0, self.pid) or name in ("", "RenderThread") or name.lower().startswith("binder:"):
                continue
            around = [
                each
                for each in self.main
                if each.start <= one.start < each.stop and each.dur < self.end - self.start
            ]
            where = max(around, key=lambda each: each.depth).name if around else None
            if where is None or "contention" not in where:
                found.append((one, waker, where, self.hops(waker, one.ts, one.end)))
        return found

    def hops(self, tid: int, since: int, until: int) -> list[tuple[str, int]]:
        """What the waker waited for meanwhile, longest, and that one: at most two further hops."""
        hops: list[tuple[str, int]] = []
        while len(hops) < 2:
            timeline = self.timeline[tid]
            waits = [
                (one.end - max(one.ts, since), one.end, one, following)
                for one, following in pairwise(timeline)
                if one.state in ("S", "D", "DK") and one.closed and since < one.end <= until
            ]
            if not waits:
                break
            length, until, wait, following = max(waits, key=lambda item: item[:2])
            if wait.state != "S":
                hops.append(("the disk" if wait.io_wait else "the kernel", length))
                break
            if following.waker is None:
                break
            tid, since = self.tid_of[following.waker], max(since, wait.ts)
            hops.append((self.told(tid), length))
        return hops

    def told(self, tid: int) -> str:
        if tid in self.names:
            return family(self.names[tid])
        return "foreign of elsewhere" if tid else "an interrupt"


def where_it_slept(group: list[Sleep], total: int) -> str:
    blocked: Counter[str] = Counter()
    for one, _, where, _ in group:
        if where is not None:
            blocked[where] += one.dur
    if not blocked:
        return "idle"
    place = min(blocked, key=lambda where: (-blocked[where], where))
    idle = total - blocked.total()
    shares = [(200 * part + total) // (2 * total) for part in (idle, total - idle)]
    share = f"{shares[0]}% idle · {shares[1]}% " if idle else ""
    return f"{share}blocked in {place}"


def chained(chains: Iterable[list[tuple[str, int]]]) -> str:
    """The chain most time went into, of those with the same names."""
    spent: dict[tuple[str, ...], list[int]] = defaultdict(lambda: [0, 0])
    for hops in chains:
        for at, (_, length) in enumerate(hops):
            spent[tuple(name for name, _ in hops)][at] += length
    if not spent:
        return ""
    names = min(spent, key=lambda key: (-spent[key][0], key))
    words = (" · waited itself {:.1f} ms for {}", ", that {:.1f} ms for {}")
    return "".join(
        word.format(*part) for word, part in zip(words, zip(spent[names], names, strict=False), strict=False)
    )
