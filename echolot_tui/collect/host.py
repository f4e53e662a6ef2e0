"""Mode ``host``: a command on this machine that writes its trace itself."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from echolot_tui.collect.child import Ended, run_shell
from echolot_tui.collect.runner import CollectError, Control, Recorded
from echolot_tui.text import visible

PLACE: Final = "{trace}"


class HostRunner:
    """Runs the command once per run; what it left at ``{trace}`` is the run's trace."""

    resource = "host"
    here = True

    def __init__(
        self, command: str | None, *, folder: Path, env: Mapping[str, str], timeout_s: float
    ) -> None:
        """Check the command.

        Args:
            command: Shell line; ``{trace}`` stands for the path of the trace.
            folder: Where it runs: the config's folder.
            env: Its environment.
            timeout_s: After which a run has failed.

        Raises:
            CollectError: There is no command, or it does not say where the trace goes.
        """
        if not command or not command.strip():
            raise CollectError(
                "mode host needs a command",
                where="runner.command",
                todo=f'for example "python -m viztracer -o {PLACE} app.py"',
            )
        if PLACE not in command:
            raise CollectError(
                f"the command does not say where its trace goes ({visible(command, 120)})",
                where="runner.command",
                todo=f"put {PLACE} where it takes the name of its output",
            )
        self._command = command
        self._folder = folder
        self._env = env
        self._timeout_s = timeout_s

    def prepare(self, control: Control) -> None:
        """Nothing to hold still on a machine that is ours only in part."""
        control.check()

    def record_one(self, k: int, to: Path, control: Control) -> Recorded:
        """Run the command and see that it left a trace."""
        line = self._command.replace(PLACE, shlex.quote(str(to)))
        try:
            ended = run_shell(
                line, folder=self._folder, env=self._env, timeout_s=self._timeout_s, control=control
            )
        except OSError as error:
            raise CollectError(
                f"the command could not be started ({error.strerror or error})",
                where=str(self._folder),
                todo="check that the folder is there and /bin/sh may run in it",
            ) from error
        if ended.code != 0:
            self._tell(ended, control)
            raise CollectError(
                _failed(k, ended, self._timeout_s),
                where=visible(self._command, 120),
                todo="run the command by hand to see why",
            )
        if not to.is_file() or not to.stat().st_size:
            self._tell(ended, control)
            what = "a folder" if to.is_dir() else "an empty trace" if to.is_file() else "no trace"
            raise CollectError(
                f"run {k + 1}: the command ended well but left {what} at {PLACE}{_said(ended)}",
                where=visible(self._command, 120),
                todo=f"see that it writes to {PLACE} and only ends when the trace is complete",
            )
        return Recorded()

    def finish(self, control: Control) -> None:
        """Nothing was changed."""

    @staticmethod
    def _tell(ended: Ended, control: Control) -> None:
        for said in ended.tail:
            control.say(f"  | {said}")


def _failed(k: int, ended: Ended, timeout_s: float) -> str:
    limit = f" (runner.timeout_s is {timeout_s:g})" if ended.code is None else ""
    return f"run {k + 1}: the command {ended.how}{limit}{_said(ended)}"


def _said(ended: Ended) -> str:
    return f'; its last line: "{ended.last_words}"' if ended.last_words else ""
