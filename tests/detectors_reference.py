"""What the detectors should answer, worked out one slice, one state and one millisecond at a time.

Nothing of the program's own is used: rows are told as the specification words them, bars inclusive, times
clipped to the window. ``moments`` of a row are the main thread's milliseconds it stands for.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Decimal
from fnmatch import fnmatchcase
from typing import Any

from raw_window import Piece, Slice, Stretch, family, grouped, united
from waits_reference import Waits, chained, where_it_slept

Found = dict[tuple[str, ...], dict[str, Any]]
"""Identity to the numbers and the evidence of a row."""

COMPOSABLE = re.compile(r".* \([A-Za-z].*\.kt:[0-9].*\)")
BUSY = ("Running", "R", "R+", "D", "DK")
COMPOSED = {
    "first": "in a first composition",
    "frame": "in a frame",
    "measure": "during measure",
    "elsewhere": "elsewhere",
}
CLAIMED = (
    "binder transaction*",
    "Lock contention on a monitor lock*",
    "monitor contention with owner*",
    "*GC",
    "waitWhileAllocating*",
)


class Reference(Waits):
    """The rows of one process in a window, by detector."""

    # ── sums of slices ──

    def main_thread_block(self, min_slice_ms: float) -> Found:
        found: Found = {}
        own_moments = self.innermost(self.main)
        for (name,), group in grouped(self.main, lambda one: (one.name,)).items():
            own = sum(map(self.self_time, group))
            if own >= min_slice_ms:
                found[name, self.names[self.pid]] = self.sums(group) | {
                    "self_ms": own,
                    "moments": {
                        at
                        for at, one in own_moments.items()
                        if one.name == name and one.dur < self.end - self.start
                    },
                }
        return found

    def background_work(self, min_self_ms: float) -> Found:
        found: Found = {}
        others = [one for one in self.slices if one.tid != self.pid]
        for key, group in grouped(others, lambda one: (one.name, family(self.names[one.tid]))).items():
            own = sum(map(self.self_time, group))
            if own >= min_self_ms:
                found[key] = self.sums(group) | {"self_ms": own}
        return found

    def main_thread_outlier(self, factor: float, min_abs_ms: float, min_occurrences: int) -> Found:
        found: Found = {}
        for key, group in grouped(self.main, lambda one: (one.name,)).items():
            timed = sorted(one.dur for one in group if one.dur > 0)
            if len(timed) < min_occurrences:
                continue
            median = timed[(len(timed) + 1) // 2 - 1]
            slow = [one for one in group if one.dur >= median * factor and one.dur >= min_abs_ms]
            if slow:
                worst = max(one.dur for one in slow)
                found[key] = self.sums(slow) | {
                    "detail": f"median {median:.1f} ms of {len(timed)} · worst {tenths(worst / median)}×"
                }
        return found

    def binder_txn(self, min_txn_ms: float, max_total_ms: float) -> Found:
        matching = [
            one
            for one in self.slices
            if fnmatchcase(one.name, "binder transaction*") and not fnmatchcase(one.name, "*async*")
        ]
        where = {"main": "main thread", "background": "background"}
        groups = grouped(matching, lambda one: (self.names[one.tid], where[self.side(one.tid)]))
        return self.either(groups, min_txn_ms, max_total_ms)

    def monitor_contention(self, min_block_ms: float, max_total_ms: float) -> Found:
        def is_inner(one: Slice) -> bool:
            return one.name.startswith("Lock contention on a monitor lock")

        def is_outer(one: Slice | None) -> bool:
            return one is not None and one.name.startswith("monitor contention with owner")

        matching = [
            one for one in self.slices if is_outer(one) or (is_inner(one) and not is_outer(self.parent(one)))
        ]
        groups = grouped(matching, lambda one: (self.names[one.tid], self.side(one.tid)))
        return self.either(groups, min_block_ms, max_total_ms)

    def either(
        self, groups: dict[tuple[str, ...], list[Slice]], least_max: float, least_total: float
    ) -> Found:
        sums = {key: self.sums(group) for key, group in groups.items()}
        return {
            key: row
            for key, row in sums.items()
            if row["max_ms"] >= least_max or row["total_ms"] >= least_total
        }

    def gc_pressure(self, max_events: int, max_total_ms: float) -> Found:
        matching = [
            one
            for one in self.slices
            if one.name.endswith("GC") or one.name.startswith("waitWhileAllocating")
        ]
        groups = grouped(matching, lambda one: (one.name, self.names[one.tid], self.side(one.tid)))
        sums = {key: self.sums(group) for key, group in groups.items()}
        return {
            key: row
            for key, row in sums.items()
            if row["count"] >= max_events or row["total_ms"] >= max_total_ms
        }

    def sums(self, group: Iterable[Piece]) -> dict[str, Any]:
        """Of slices or states; what the main thread's among them stand for is all of them."""
        members = list(group)
        return {
            "count": len(members),
            "total_ms": sum(one.dur for one in members),
            "max_ms": max(one.dur for one in members),
            "moments": united(one.moments for one in members if one.tid == self.pid),
        }

    def side(self, tid: int) -> str:
        return "main" if tid == self.pid else "background"

    # ── how slices lie in each other ──

    def repeated_work(self, max_callers: int, min_total_ms: float, max_spread: float) -> Found:
        work = [
            one
            for one in self.slices
            if not claimed(one.name)
            and all(upper.name != one.name for upper in self.above(one))
            and ((parent := self.parent(one)) is None or not claimed(parent.name))
        ]
        groups = grouped(
            work,
            lambda one: (
                one.name,
                "main" if one.tid == self.pid else f"background: {self.names[one.tid]}",
            ),
        )
        found: Found = {}
        for key, group in groups.items():
            callers = sorted({upper.name if (upper := self.parent(one)) else "(top level)" for one in group})
            least, most = min(one.dur for one in group), max(one.dur for one in group)
            alike = most <= least * max_spread
            near = key[0].startswith("AGENTTMP_") and len(callers) == 2
            if not 2 <= len(callers) <= max_callers or not least or not (alike or near):
                continue
            if sum(one.dur for one in group) >= min_total_ms:
                more = f" +{len(callers) - 3}" if len(callers) > 3 else ""
                told = f"entered from {len(callers)}: {', '.join(callers[:3])}{more}"
                detail = f"{told} — on {self.names[group[0].tid]}"
                advice = (
                    "the calls differ too much to be one unit of work: mark the unit, not the loop around it"
                )
                every = [one for one in self.main if (one.name, "main") == key]
                found[key] = self.sums(group) | {
                    "detail": detail if alike else f"near miss: {detail}; {advice}",
                    "moments": united(one.moments for one in every),
                }
        return found

    def app_init(self, min_stretch_ms: float) -> Found:
        rows: dict[str, list[set[int]]] = defaultdict(list)
        longest = 0
        for bind in self.main:
            if bind.name != "bindApplication" or not bind.dur:
                continue
            children = self.children[bind.id]
            begin = max([one.stop for one in children if one.name == "makeApplication"], default=bind.start)
            longest = max(longest, bind.stop - begin)
            inside = [one for one in children if one.start >= begin]
            listed = [one for one in inside if one.name != "Startup"]
            listed += [init for one in inside if one.name == "Startup" for init in self.children[one.id]]
            for one in listed:
                if not claimed(one.name):
                    is_class = one.name.startswith("VerifyClass ") or re.fullmatch("L[^ ]*;", one.name)
                    rows["class initialization (ART)" if is_class else one.name].append(one.moments)
            rows["(no section)"].append(set(range(begin, bind.stop)) - united(one.moments for one in inside))
        found: Found = {}
        for name, parts in rows.items() if longest >= min_stretch_ms else ():
            timed = [part for part in parts if part]
            if timed:
                found[(name,)] = {
                    "count": len(timed),
                    "total_ms": sum(map(len, timed)),
                    "max_ms": max(map(len, timed)),
                    "moments": united(timed),
                }
        return found

    def composables(self, min_self_ms: float) -> Found:
        calls = [one for one in self.main if own_call(one)]
        own = {one.id: one.dur for one in calls}
        how: dict[str, Counter[str]] = defaultdict(Counter)
        for one in calls:
            outer = next((upper for upper in self.above(one) if own_call(upper)), None)
            if outer is not None:
                own[outer.id] -= one.dur
            how[one.name][self.composed(one)] += 1
        own_moments = self.innermost(calls)
        found: Found = {}
        for key, group in grouped(calls, lambda one: (one.name,)).items():
            self_ms = sum(own[one.id] for one in group)
            if self_ms >= min_self_ms:
                counts = how[key[0]]
                found[key] = self.sums(group) | {
                    "self_ms": self_ms,
                    "detail": " · ".join(
                        f"{counts[kind]} {text}" for kind, text in COMPOSED.items() if counts[kind]
                    ),
                    "moments": {at for at, one in own_moments.items() if one.name == key[0]},
                }
        return found

    def composed(self, one: Slice) -> str:
        passes = [upper for upper in self.above(one) if upper.name == "Compose:recompose"]
        if not passes:
            return "elsewhere"
        over = self.parent(passes[0])
        if over is None or over.name == "traversal":
            return "first"
        if over.name == "Recomposer:recompose":
            return "frame"
        return "measure" if over.name.startswith("AndroidOwner:") else "elsewhere"

    # ── states ──

    def io_wait(self, min_io_wait_ms: float) -> Found:
        waits = [one for one in self.states if one.state in ("D", "DK") and one.io_wait]
        found: Found = {}
        for key, group in grouped(waits, lambda one: (self.names[one.tid], self.side(one.tid))).items():
            if sum(one.dur for one in group) >= min_io_wait_ms:
                functions = sorted({one.function for one in group if one.function})
                told = f" · {', '.join(functions)}" if functions else ""
                found[key] = self.sums(group) | {"detail": f"{key[1]}{told}"}
        return found

    def runnable_starvation(self, min_runnable_ms: float) -> Found:
        ready = [one for one in self.states if one.state in ("R", "R+")]
        groups = grouped(ready, lambda one: (self.names[one.tid], f"state {one.state}", self.side(one.tid)))
        sums = {key: self.sums(group) for key, group in groups.items()}
        return {key: row for key, row in sums.items() if row["total_ms"] >= min_runnable_ms}

    def uninstrumented_cpu(self, min_running_ms: float, max_covered_pct: float) -> Found:
        found: Found = {}
        running = [one for one in self.states if one.state == "Running"]
        for key, group in grouped(running, lambda one: (self.names[one.tid], self.side(one.tid))).items():
            blind = {tid: self.blind(one for one in group if one.tid == tid) for tid in self.names}
            total = sum(one.dur for one in group)
            outside = sum(map(len, blind.values()))
            covered = total - outside
            if total >= min_running_ms and covered < total * max_covered_pct / 100:
                found[key] = {
                    "count": sum((self.names[one.tid], self.side(one.tid)) == key for one in self.slices),
                    "total_ms": total,
                    "max_ms": None,
                    "covered_ms": covered,
                    "detail": f"{(200 * outside + total) // (2 * total)}.0% of CPU outside slices",
                    "moments": blind[self.pid],
                }
        return found

    def blind(self, running: Iterable[Stretch]) -> set[int]:
        """Moments of one thread's running stretches outside its top-level slices."""
        moments: set[int] = set()
        for stretch in running:
            tops = [one for one in self.slices if one.tid == stretch.tid and one.depth == 0]
            moments |= stretch.moments - united(one.moments for one in tops)
        return moments

    def anr_risk(self, min_stall_ms: float, max_gap_ms: float) -> Found:
        busy = [one for one in self.states if one.tid == self.pid and one.state in BUSY]
        deep = [one for one in self.main if one.depth >= 1 and one.dur > 0]
        islands: list[list[int]] = []
        for one in sorted([*busy, *deep], key=lambda one: one.start):
            if islands and one.start <= islands[-1][1] + max_gap_ms:
                islands[-1][1] = max(islands[-1][1], one.stop)
            else:
                islands.append([one.start, one.stop])
        stalls: dict[str, list[tuple[set[int], str]]] = defaultdict(list)
        for start, stop in islands:
            if stop - start < min_stall_ms:
                continue
            inside = [one for one in deep if one.start < stop and one.stop > start]
            longest = max(inside, key=lambda one: (one.dur, -one.start, -one.depth), default=None)
            on_cpu, ready = (
                sum(one.dur for one in busy if one.state in kind and start <= one.start < stop)
                for kind in (("Running",), ("R", "R+"))
            )
            told = (
                f"{on_cpu:.1f} ms on CPU · {ready:.1f} ms waiting for one · "
                f"{stop - start - on_cpu - ready:.1f} ms neither · {len(inside)} slices"
            )
            name = longest.name if longest else "uninstrumented work on the main thread"
            stalls[name].append((set(range(start, stop)), told))
        return {
            (name,): {
                "count": len(found),
                "total_ms": sum(len(moments) for moments, _ in found),
                "max_ms": max(len(moments) for moments, _ in found),
                "detail": max(found, key=lambda one: len(one[0]))[1],
                "moments": united(moments for moments, _ in found),
            }
            for name, found in stalls.items()
        }

    def main_thread_waits(self, min_total_ms: float) -> Found:
        found: Found = {}
        for name, group in self.sleepers().items():
            total = sum(one.dur for one, *_ in group)
            if total >= min_total_ms:
                found[(name,)] = self.sums(one for one, *_ in group) | {
                    "detail": where_it_slept(group, total) + chained(hops for *_, hops in group)
                }
        return found


def tenths(value: float) -> Decimal:
    """To one decimal, halves up: as SQL prints it."""
    return Decimal(value).quantize(Decimal("0.1"), ROUND_HALF_UP)


def own_call(one: Slice) -> bool:
    return one.name.startswith("app.") and bool(COMPOSABLE.fullmatch(one.name))


def claimed(name: str) -> bool:
    return any(fnmatchcase(name, glob) for glob in CLAIMED) or bool(COMPOSABLE.fullmatch(name))
