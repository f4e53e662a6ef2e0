"""What a failed Gradle build says, and what helps against the causes that are known."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from echolot_tui.text import visible

_MOST_LINES: Final = 20
_WIDEST: Final = 300

_TELLING: Final = re.compile(
    r"FAILED|Exception|^\s*e:|\berror\b|ERRORS? ?\(|INSTALL_|No (?:connected|online)"
    r"|Execution failed|Caused by|AssertionError|tracing-perfetto|Could not|not found",
    re.IGNORECASE,
)
_NOISE: Final = re.compile(
    r"^\s*(?:at [\w.$]+\(|\.\.\. \d+ more|> Task \S+$|BUILD FAILED|FAILURE: Build failed with an exception|"
    r"\* (?:Try|Get more help|What went wrong)|> Run with|warning:|w:)",
    re.IGNORECASE,
)
_SUPPRESSED: Final = re.compile(
    r"ERRORS \(not suppressed\):[ \t]*(?:\n[ \t|]*)?(?P<names>[A-Z][A-Z0-9-]*(?:[ \t]+[A-Z][A-Z0-9-]*)*)?"
)
"""The names stand on the same line, or on the next one when nothing does."""
_INSTALL: Final = re.compile(r"INSTALL_(?:PARSE_)?FAILED_[A-Z_]+|Failed to install[^\n]*")
_NO_DEVICE: Final = re.compile(r"No (?:connected|online) devices?(?: found)?", re.IGNORECASE)
_SDK_HALF: Final = re.compile(
    r"tracing-perfetto(?:-binary)?|androidx\.tracing\.perfetto|Perfetto SDK|fullTracing", re.IGNORECASE
)


def telling_lines(text: str) -> tuple[str, ...]:
    """The lines that carry a cause, at most 20, in order and each once; the last ones if none does.

    Args:
        text: Both streams of the build.
    """
    lines = [line.rstrip() for line in text.splitlines() if line.strip()]
    telling = [line for line in lines if _TELLING.search(line) and not _NOISE.search(line)]
    chosen = list(dict.fromkeys(telling))[:_MOST_LINES] or lines[-_MOST_LINES:]
    return tuple(visible(line, _WIDEST) for line in chosen)


def remedy(text: str) -> str:
    """What helps, when the cause is a known one; else nothing."""
    refused = _SUPPRESSED.search(text)
    if refused is not None:
        names = ",".join((refused["names"] or "").split())
        return (
            f"the benchmark refuses this device or build; fix {names or 'what it names'}, or accept "
            "less exact numbers with "
            "-Pandroid.testInstrumentationRunnerArguments.androidx.benchmark.suppressErrors="
            f"{names or 'NAMES'} in runner.gradle_args"
        )
    if _NO_DEVICE.search(text):
        return "Gradle saw no device: plug one in, unlock it, and check adb devices"
    if _INSTALL.search(text):
        return "the app could not be installed: uninstall the one that is there, or free space on the device"
    if _SDK_HALF.search(text):
        return (
            "the benchmark module lacks its half of the Perfetto SDK: add androidx.tracing:tracing-perfetto "
            "and androidx.tracing:tracing-perfetto-binary to it in one version, or drop "
            "androidx.benchmark.fullTracing.enable"
        )
    return ""


def gist(lines: Sequence[str]) -> str:
    """One line for the sentence: the first that carries a cause."""
    return visible(lines[0].strip(" >*"), 160) if lines else "it printed nothing"
