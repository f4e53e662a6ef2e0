"""The runner's side of a step: its environment files and workflow commands, and nothing of GitHub's API."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final, Literal

from echolot_tui.errors import EcholotError

SUMMARY_BYTES: Final = 1_000_000
"""The runner refuses a step's summary over 1 MiB; the rest is for the note that something was cut."""

Level = Literal["notice", "warning", "error"]


class RunnerError(EcholotError):
    """The step does not run in a job, or its files cannot be written."""


class Runner:
    """One step of a job."""

    def __init__(self, environ: Mapping[str, str], stdout: IO[str]) -> None:
        """Remember where to write.

        Args:
            environ: The step's environment.
            stdout: What the runner reads workflow commands from.
        """
        self._environ = environ
        self._stdout = stdout

    def output(self, name: str, value: str) -> None:
        """Set an output of the step. Whatever the value holds, it sets nothing else."""
        self._append("GITHUB_OUTPUT", _block(name, value))

    def summary(self, markdown: str) -> None:
        """Add to the job's summary; what the runner would refuse for its length is cut and said."""
        self._append("GITHUB_STEP_SUMMARY", cut_markdown(markdown, SUMMARY_BYTES) + "\n")

    def annotate(self, level: Level, title: str, text: str) -> None:
        """Put a note on the run's page."""
        self._say(f"::{level} title={_property(title)}::{_data(text)}")

    @contextmanager
    def without_commands(self) -> Iterator[None]:
        """Nothing written meanwhile is taken for a command: names from traces may look like one."""
        token = secrets.token_hex(16)
        self._say(f"::stop-commands::{token}")
        try:
            yield
        finally:
            self._say(f"::{token}::")

    def _say(self, command: str) -> None:
        self._stdout.write(f"{command}\n")
        self._stdout.flush()

    def _append(self, variable: str, text: str) -> None:
        path = self._environ.get(variable)
        if not path:
            raise RunnerError(f"{variable} is not set", todo="echolot ci runs inside the action's steps")
        try:
            with Path(path).open("a", encoding="utf-8", errors="backslashreplace") as file:
                file.write(text)
        except OSError as error:
            raise RunnerError(f"cannot be written ({error.strerror or error})", where=path) from error


def cut_markdown(text: str, limit: int) -> str:
    """``text`` in at most ``limit`` bytes of UTF-8, ended between two lines and the cut said.

    Args:
        text: Markdown.
        limit: Bytes, more than the sentence that says so.
    """
    data = text.encode("utf-8", "backslashreplace")
    if len(data) <= limit:
        return text
    said = "\n\n*Cut here: the rest is in the artifact.*"
    kept = data[: limit - len(said.encode())].decode("utf-8", "ignore")
    return kept[: max(kept.rfind("\n"), 0)] + said


def _block(name: str, value: str) -> str:
    """The form for values of any content: a delimiter nobody can foresee ends them."""
    end = f"end_{secrets.token_hex(16)}"
    return f"{name}<<{end}\n{value}\n{end}\n"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def work_folder(environ: Mapping[str, str]) -> Path:
    """A new folder of this call of the action, so that a second one in the job has its own.

    Raises:
        RunnerError: There is no temporary folder.
    """
    base = environ.get("RUNNER_TEMP")
    if not base:
        raise RunnerError("RUNNER_TEMP is not set", todo="echolot ci runs inside the action's steps")
    folder = Path(base) / f"echolot-{secrets.token_hex(8)}"
    try:
        (folder / "artifact").mkdir(parents=True)
    except OSError as error:
        raise RunnerError(f"cannot be made ({error.strerror or error})", where=str(folder)) from error
    return folder
