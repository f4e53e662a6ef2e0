"""What a release is made of: one version, and packages that hold what they must and nothing else."""

from __future__ import annotations

import configparser
import email
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

from echolot_tui import __version__

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_the_version_stands_in_one_place() -> None:
    assert PROJECT["project"]["dynamic"] == ["version"]
    assert PROJECT["tool"]["hatch"]["version"]["path"] == "echolot_tui/__init__.py"
    assert re.fullmatch(r"[0-9]+\.[0-9]+\.[0-9]+", __version__)
    quoted = re.compile(rf"['\"]v?{re.escape(__version__)}['\"]")
    sources = [*(ROOT / "echolot_tui").rglob("*.py"), ROOT / "pyproject.toml", ROOT / "action.yml"]
    having = [path for path in sources if quoted.search(path.read_text(encoding="utf-8"))]
    assert having == [ROOT / "echolot_tui" / "__init__.py"]


def test_the_changelog_has_an_entry_to_release() -> None:
    headings = re.findall(r"^## \[(.+?)\]", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert headings[0] in ("Unreleased", __version__)


def test_exact_pins_agree_with_the_constraints() -> None:
    constraints = dict(
        line.split("==") for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    )
    extras = PROJECT["project"]["optional-dependencies"].values()
    everything = [*PROJECT["project"]["dependencies"], *(one for extra in extras for one in extra)]
    for requirement in everything:
        if "==" in requirement:
            name, version = requirement.split("==")
            assert constraints[name] == version


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The sdist, and the wheel made from it."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--outdir", str(folder), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (sdist,) = folder.glob("*.tar.gz")
    (wheel,) = folder.glob("*.whl")
    return sdist, wheel


@pytest.mark.slow
def test_the_wheel_holds_the_package_and_its_detectors(built: tuple[Path, Path]) -> None:
    with zipfile.ZipFile(built[1]) as wheel:
        names = set(wheel.namelist())
        info = f"echolot_tui-{__version__}.dist-info"
        code = {
            path.relative_to(ROOT).as_posix()
            for path in (ROOT / "echolot_tui").rglob("*")
            if path.is_file() and "__pycache__" not in path.parts
        }
        detectors = {f"echolot_tui/{path.relative_to(ROOT)}" for path in ROOT.glob("detectors/*.sql")}
        assert len(detectors) == 16
        assert names - {name for name in names if name.startswith(info)} == code | detectors
        for name in detectors:
            assert wheel.read(name) == (ROOT / name.removeprefix("echolot_tui/")).read_bytes()
        assert f"{info}/licenses/LICENSE" in names
        entry = configparser.ConfigParser()
        entry.read_string(wheel.read(f"{info}/entry_points.txt").decode())
        assert dict(entry["console_scripts"]) == {"echolot": "echolot_tui.cli:main"}
        metadata = email.message_from_bytes(wheel.read(f"{info}/METADATA"))
    assert metadata["Version"] == __version__
    assert metadata["Requires-Python"] == ">=3.11"
    assert metadata["License-Expression"] == "Apache-2.0"
    required = [one for one in metadata.get_all("Requires-Dist", []) if "extra ==" not in one]
    assert len(required) == len(PROJECT["project"]["dependencies"])


@pytest.mark.slow
def test_the_sdist_holds_what_tests_and_docs_need(built: tuple[Path, Path]) -> None:
    with tarfile.open(built[0]) as sdist:
        names = {name.partition("/")[2] for name in sdist.getnames()}
    for wanted in (
        "pyproject.toml",
        "constraints.txt",
        "action.yml",
        "LICENSE",
        "README.md",
        "CHANGELOG.md",
        "detectors/anr.sql",
        "docs/ci.md",
        "docs/build_site.py",
        "tests/kept/report/1/report.json",
        "tests/release/test_release.py",
        "bench/engine.py",
    ):
        assert wanted in names
    assert any(name.startswith("snapshots/") for name in names)
    assert not [
        name for name in names if "__pycache__" in name or name.startswith((".echolot", ".venv", ".git/"))
    ]


COMPLETED = [("echolot comp", 1, "plain,compare"), ("echolot doctor --nat", 2, "plain,--native")]


@pytest.mark.parametrize(("words", "at", "answer"), COMPLETED)
def test_the_shell_completes_verbs_and_flags(words: str, at: int, answer: str, tmp_path: Path) -> None:
    program = "from echolot_tui.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={
            "_ECHOLOT_COMPLETE": "bash_complete",
            "COMP_WORDS": words,
            "COMP_CWORD": str(at),
            "PYTHONPATH": str(ROOT),
        },
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == [answer]


def test_the_list_of_verbs_fits_a_screen(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "echolot_tui", "--headless", "--help"],
        cwd=tmp_path,
        env={"COLUMNS": "80", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    lines = done.stdout.splitlines()
    verbs = lines[lines.index("Verbs:") + 1 :]
    assert all(re.match(r"  [a-z]+ +\S", line) for line in verbs), "one line a verb"
    assert len(lines) <= 40
    assert verbs == sorted(verbs)
