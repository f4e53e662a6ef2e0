"""The first paint waits for nothing heavy."""

from __future__ import annotations

import subprocess
import sys


def test_the_app_loads_no_numpy_no_engine_and_no_statistics() -> None:
    heavy = [
        "numpy",
        "scipy",
        "wasmtime",
        "perfetto",
        "google.protobuf",
        "watchfiles",
        "textual_plot",
        "adbutils",
    ]
    program = (
        "import sys; import echolot_tui.tui.start, echolot_tui.tui.app;"
        f"print([name for name in {heavy!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_deciding_where_to_run_loads_no_textual() -> None:
    program = "import sys; import echolot_tui.cli, echolot_tui.tui.terminal; print('textual' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
