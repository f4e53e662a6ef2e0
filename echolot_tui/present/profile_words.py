"""What a differential profile says, in sentences: the same in Markdown, on a terminal and on a screen."""

from __future__ import annotations

from typing import Final

from echolot_tui.present.numbers import plural, whole
from echolot_tui.present.spans import Line, Role, Span, line
from echolot_tui.present.statement import Statement, fact, name, strong, warning
from echolot_tui.profiles.model import (
    Bucket,
    Drift,
    EarlyLate,
    Finding,
    Precondition,
    ProfileDiff,
    Side,
    State,
    Status,
    Suspect,
)

STATE_ROLES: Final[dict[State, Role]] = {
    "grew": "slower",
    "shrank": "faster",
    "quiet": "muted",
    "unresolved": "unsure",
    "withheld": "unsure",
}
STATUS_ROLES: Final[dict[Status, Role]] = {
    "ok": "ok",
    "differs": "warning",
    "refused": "error",
    "unknown": "unsure",
}
_CAUSES: Final = {
    "own": "its own body",
    "spread": "spread over callees, none of which passes alone",
    "even": "all its parts in proportion, so how often it runs changed, or its speed as a whole",
    "new": "new path",
    "gone": "gone",
}
_RULERS: Final = {
    "formula": "counting alone, which is too low: samples of one run are not independent",
    "control": "the control recording of the build before",
    "split-half": "every other run against the rest, within each side",
    "material": "0.5 % of the whole: times are exact, there is no counting noise to compare with",
}


def points(value: float) -> str:
    """A move of a share, signed: ``+1.25``."""
    return f"{value:+.2f}"


def percent(value: float) -> str:
    """A share in percent; a little is never nothing."""
    return "<0.01 %" if 0 < value < 0.005 else f"{value:.2f} %"


def amount(value: float, unit: str) -> str:
    """An amount with its unit."""
    return f"{value:.2f} ms" if unit == "ms" else f"{whole(round(value, 1))} samples"


def head_statements(profile: ProfileDiff) -> list[Statement]:
    """Sides, totals, and what the verdicts rest on."""
    found = [_side("Before", profile.before), _side("After", profile.after)]
    if profile.control is not None:
        found.append(_side("Control", profile.control))
    found.append(fact("Totals", *_totals(profile)))
    if profile.totals.whole_program:
        found.append(
            warning(
                "The whole moved and no share did: a change of the whole program. ",
                "Look at clocks, throttling and counters, not at the shape",
            )
        )
    found.append(fact("Judged by", *_judged_by(profile)))
    found.append(fact("Floor", *_floor(profile)))
    if profile.refused:
        found.append(warning("The sides were measured by different events: no findings, no flame graph"))
    found += [warning(note) for note in profile.notes]
    return found


def _side(label: str, side: Side) -> Statement:
    paths = side.paths[0] if len(side.paths) == 1 else f"{side.paths[0]} and {len(side.paths) - 1} more"
    taken = (
        plural(side.samples, "slice")
        if side.source == "slices"
        else f"{plural(side.samples, 'sample')} from {side.source}"
    )
    parts = [f"{plural(side.runs, 'run')}, {taken}"]
    if side.left_out:
        parts.append(f", {whole(side.left_out)} of the sampler's own left out")
    return fact(label, name(side.name), ": ", *parts, " (", name(paths), ")")


def _totals(profile: ProfileDiff) -> list[str | Span]:
    totals, unit = profile.totals, profile.unit
    runs = " a run" if max(profile.before.runs, profile.after.runs) > 1 else ""
    parts: list[str | Span] = [
        strong(f"{amount(totals.before, unit)} → {amount(totals.after, unit)}"),
        runs,
    ]
    if totals.ratio is None:
        return [*parts, ", which do not compare"]
    parts.append(f" ({100 * (totals.ratio - 1):+.1f} %)")
    if totals.verdict is not None:
        parts += [", ", Span(totals.verdict, verdict_role(totals.verdict))]
        if totals.low is not None and totals.high is not None:
            parts.append(f", 95 % range of the move {totals.low:+.2f} to {totals.high:+.2f}")
    else:
        parts.append("; single runs do not tell whether that is more than chance")
    return parts


def verdict_role(verdict: str) -> Role:
    """How a verdict is shown."""
    roles: dict[str, Role] = {"slower": "slower", "faster": "faster"}
    return roles.get(verdict, "unsure")


def _judged_by(profile: ProfileDiff) -> list[str | Span]:
    if profile.judged_by == "floor":
        return [
            Span("nothing", "warning"),
            ": what passes the floor is shaded, which unchanged code does too; ",
            "record four runs a side or more to have moves judged",
        ]
    columns = f"{profile.columns_before} against {profile.columns_after}"
    how = (
        f"{columns} runs"
        if profile.judged_by == "runs"
        else (
            f"{columns} bins of {whole(profile.bin_ms or 0)} ms: whether these recordings differ, "
            "not whether runs of the builds do"
        )
    )
    tested = plural(profile.tested, "different row")
    return [how, f"; {tested} together, {plural(profile.relabellings, 'relabelling')}"]


def _floor(profile: ProfileDiff) -> list[str | Span]:
    folded = plural(profile.nodes_folded, "node")
    least = f"under {whole(profile.count_floor)} samples" if profile.count_floor else "under 0.05 %"
    parts: list[str | Span] = [f"{_RULERS[profile.ruler]}"]
    if profile.stretch > 1:
        parts.append(f" ({profile.stretch:g} times what counting says)")
    return [*parts, f"; {folded} {least} folded into their callers, of {whole(profile.nodes_total)}"]


def precondition_line(one: Precondition) -> Line:
    """One check, passed or not."""
    sides = f" ({one.before or 'not recorded'} | {one.after or 'not recorded'})"
    return line(Span(one.status, STATUS_ROLES[one.status]), f" {one.name}: {one.text}", name(sides))


def finding_line(finding: Finding, unit: str) -> Line:
    """One finding as a sentence."""
    role: Role = "slower" if finding.direction == "rise" else "faster"
    verb = "rose" if finding.direction == "rise" else "fell"
    parts: list[str | Span] = [
        name(finding.label),
        f" {verb} from {percent(finding.share_before)} to {percent(finding.share_after)} (",
        Span(f"{points(finding.delta_share)} points", role),
        f", {finding.delta:+.2f} {'ms' if unit == 'ms' else 'samples'}): {_CAUSES[finding.cause]}",
    ]
    if finding.p_family is not None:
        parts.append(f", p {_p(finding.p_family)} over the whole tree")
    if not finding.confirmed:
        parts.append("; over the floor of so many frames, but not judged")
    return line(*parts)


def contains_line(finding: Finding, most: int = 6) -> Line:
    """What contains a finding, outermost first."""
    if not finding.path:
        return line(Span("at the top", "muted"))
    shown = finding.path[-most:]
    parts: list[str | Span] = [Span("in ", "muted")]
    if len(finding.path) > most:
        parts.append(Span(f"… {len(finding.path) - most} more … › ", "muted"))
    for at, label in enumerate(shown):
        parts += [" › " if at else "", name(label)]
    return line(*parts)


def suspect_line(suspect: Suspect) -> Line:
    """One pair of moves that is perhaps no change."""
    what = (
        "probably the same code under two names"
        if suspect.kind == "rename"
        else "possible inlining change, not a regression"
    )
    return line(
        name(suspect.before_label),
        f" −{abs(suspect.fall):.2f} points and ",
        name(suspect.after_label),
        f" +{abs(suspect.rise):.2f}: {what} ({suspect.why})",
    )


def early_late_line(one: EarlyLate) -> Line:
    """What was looked at inside the runs of one side."""
    if one.state == "no moments":
        return line(f"{one.side}: nothing here was sampled at a moment of its own")
    if one.state == "too few":
        least = min(one.samples_early, one.samples_late)
        return line(f"{one.side}: too few samples in one part ({whole(least)}, 200 are needed)")
    where = "the middle of each run" if one.boundary_ms is None else f"{whole(one.boundary_ms)} ms"
    how = (
        f"{plural(one.pairs, 'run')} in pairs"
        if one.judged_by == "runs"
        else "only shaded: six runs are needed to judge"
    )
    samples = f"{whole(one.samples_early)} and {whole(one.samples_late)} samples"
    moved = f"{plural(len(one.rises), 'frame')} cost more late, {len(one.falls)} less"
    return line(f"{one.side}: cut at {where}, {samples}, {how}; {moved}")


def drift_line(drift: Drift) -> Line:
    """One frame that costs more, or less, late in a run."""
    role: Role = "slower" if drift.delta_share > 0 else "faster"
    parts: list[str | Span] = [
        name(drift.label),
        f" {percent(drift.share_early)} early, {percent(drift.share_late)} late (",
        Span(f"{points(drift.delta_share)} points", role),
        ")",
    ]
    if drift.p_family is not None:
        parts.append(f", p {_p(drift.p_family)}")
    return line(*parts)


def bucket_name(bucket: Bucket) -> str:
    """A part and what was taken out of it."""
    if not bucket.without:
        return bucket.label
    taken = ", ".join(bucket.without[:3])
    more = len(bucket.without) - 3
    return f"{bucket.label} without {taken}" + (f" and {more} more" if more > 0 else "")


def nothing_line(profile: ProfileDiff) -> Line:
    """Said where there is no finding."""
    if profile.refused:
        return line("Nothing is said: see the preconditions.")
    if profile.withheld_below == 0:
        return line("Nothing is said about single frames: stacks are cut on one side.")
    unsure = sum(node.share.state == "unresolved" for node in profile.nodes[1:])
    return line(
        f"No frame's share moved beyond what is noise; of {plural(len(profile.nodes) - 1, 'listed frame')} "
        f"{unsure} could have moved by a tenth without being seen."
    )


def _p(value: float) -> str:
    return f"{value:.2g}"
