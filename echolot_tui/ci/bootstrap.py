"""Install the echolot beside this file into an environment of its own, for the steps that follow.

Run by the action as a file, before echolot is installed: only the standard library, any Python 3.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import venv
from collections.abc import Mapping
from pathlib import Path

OLDEST = (3, 11)


def main(environ: Mapping[str, str]) -> int:
    """Install, and name the program and its cache folder in the step's outputs.

    Args:
        environ: The step's environment.

    Returns:
        0 done, 1 it could not be installed.
    """
    if sys.version_info < OLDEST:
        found = ".".join(map(str, sys.version_info[:2]))
        _say(f"::error title=echolot::needs Python 3.11 or newer, this is {found}: set the input python")
        return 1
    source = Path(environ["ECHOLOT_SOURCE"])
    place = environment(Path(environ["RUNNER_TEMP"]), source, environ.get("ECHOLOT_REF", ""))
    program = place / "bin" / "echolot"
    if not program.is_file():
        venv.create(place, with_pip=True, clear=True)
        command = [
            str(place / "bin" / "python"),
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
        ]
        done = subprocess.run(
            [*command, "-c", str(source / "constraints.txt"), str(source)],
            check=False,
            stdin=subprocess.DEVNULL,
        )
        if done.returncode:
            _say("::error title=echolot::echolot could not be installed: see pip's messages above")
            return 1
    with Path(environ["GITHUB_OUTPUT"]).open("a", encoding="utf-8") as file:
        file.write(f"program={program}\n")
    return 0


def environment(base: Path, source: Path, ref: str) -> Path:
    """Where it is installed: another folder for another ref, checkout or Python.

    Args:
        base: The runner's temporary folder.
        source: The action's checkout.
        ref: The ref the action was called at; any text.
    """
    name = f"{ref}\0{source}\0{sys.version}\0{sys.executable}"
    return base / f"echolot-env-{hashlib.sha256(name.encode('utf-8', 'surrogateescape')).hexdigest()[:16]}"


def _say(command: str) -> None:
    sys.stdout.write(f"{command}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(os.environ))
