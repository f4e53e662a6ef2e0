"""``explain`` on a terminal: every detector, what it asks and what decides."""

from __future__ import annotations

from echolot_tui.measure.catalogue import BrokenDetector
from echolot_tui.measure.plan import Decision
from echolot_tui.present.spans import Line, Span, line, wrapped
from echolot_tui.text import visible


def explain_text(
    decisions: tuple[Decision, ...], broken: tuple[BrokenDetector, ...], width: int
) -> list[Line]:
    """One paragraph a detector, in the order of the catalogue."""
    lines: list[Line] = []
    for decision in decisions:
        lines += [*([()] if lines else []), *_detector(decision, width)]
    for each in broken:
        lines += [(), *wrapped(line(Span("! ", "warning"), f"{each.path}: {visible(each.message)}"), width)]
    return lines


def _detector(decision: Decision, width: int) -> list[Line]:
    detector = decision.detector
    tags = [tag for tag, on in (("off", not decision.on), ("the project's own", not detector.shipped)) if on]
    head = line(
        Span(detector.id, "strong"),
        f"  {detector.title}",
        Span(f"  ({', '.join(tags)})" if tags else "", "muted"),
    )
    lines = wrapped(head, width, indent=2)
    if detector.why:
        lines += _indented(detector.why, width)
    gated = set(detector.gate_params)
    for param in detector.params:
        value = decision.params[param.name]
        parts = [f"{param.name} = {value}"]
        if value != param.default:
            parts.append(f"shipped {param.default}, set by {decision.params_source}")
        parts.append("decides which rows are listed" if param.name in gated else "part of the query")
        rule = next((rule for rule in detector.calibrate if rule.param == param.name), None)
        if rule:
            parts.append(f"calibrated as {rule.statistic} × {rule.factor:g}")
        lines += _indented(" · ".join(parts), width)
    needs = ", ".join(detector.needs) or "nothing beyond the process"
    return [
        *lines,
        *_indented(f"names its rows by {', '.join(detector.identity)} · needs {needs}", width, muted=True),
    ]


def _indented(text: str, width: int, *, muted: bool = False) -> list[Line]:
    wrapped_lines = wrapped(line(Span(visible(text), "muted" if muted else "plain")), max(width - 2, 20))
    return [(Span("  "), *each) for each in wrapped_lines]
