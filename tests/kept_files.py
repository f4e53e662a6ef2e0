"""Writes the files of one schema version that later versions have to read: ``python tests/kept_files.py``.

Run it once when a schema's number goes up, and commit the new folder; what is there is never written again.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

KEPT = Path(__file__).parent / "kept"
SERIES = {
    "series": [{"name": "startup", "values": [100, 101, 99, 102, 98] * 2 + [150, 151, 149, 152, 148] * 2}]
}


def produce(folder: Path) -> dict[str, Path]:
    """One file of each kind, made from the demo by the program itself; paths in them are relative."""
    from echolot_tui.generate.demo import write_demo

    write_demo(folder / "p", runs=4)
    project = folder / "p"
    (project / "series.json").write_text(json.dumps(SERIES))
    for side in ("before", "after"):
        _run(project, "analyze", "-c", "echolot.yml", side, "-o", f"out-{side}")
    _run(project, "compare", "-c", "echolot.yml", "out-before", "out-after", "-o", "compared")
    (project / "calibration.json").write_bytes(
        _run(project, "calibrate", "-c", "echolot.yml", "before", "--json")
    )
    (project / "history.json").write_bytes(_run(project, "history", "judge", "series.json", "--json"))
    (project / "profile.json").write_bytes(_run(project, "profile", "before", "after", "--json"))
    return {
        "calibration": project / "calibration.json",
        "comparison": project / "compared" / "comparison.json",
        "config": project / "echolot.yml",
        "history": project / "history.json",
        "profile": project / "profile.json",
        "report": project / "out-before" / "report.json",
        "rows": project / "out-before" / "rows.json",
    }


def _run(folder: Path, *arguments: str) -> bytes:
    command = [sys.executable, "-m", "echolot_tui", "--headless", *arguments]
    return subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, check=True, env=os.environ).stdout


def main() -> None:
    """Write what is missing."""
    from echolot_tui.headless.verbs.schema import schema_of

    with tempfile.TemporaryDirectory() as folder:
        for name, source in produce(Path(folder)).items():
            schema = schema_of(name)
            place = KEPT / name / schema["$id"].rpartition(":")[2]
            if place.exists():
                continue
            place.mkdir(parents=True)
            (place / "schema.json").write_text(json.dumps(schema, indent=1, ensure_ascii=False) + "\n")
            shutil.copy(source, place / source.name)
            sys.stdout.write(f"{place}\n")


if __name__ == "__main__":
    main()
