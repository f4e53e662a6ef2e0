"""The catalogue of detectors: the files shipped with the program and those of a project's own folder."""

from __future__ import annotations

from pathlib import Path

from echolot_tui.frozen import Frozen
from echolot_tui.measure.detector_file import DetectorFile, DetectorFileError, parse_detector


class BrokenDetector(Frozen, frozen=True, kw_only=True):
    """A user's file that does not parse; the other detectors go on."""

    path: str
    message: str


class Catalogue(Frozen, frozen=True, kw_only=True):
    """Every detector: the shipped ones and a project's own, each sorted by id."""

    detectors: tuple[DetectorFile, ...]
    broken: tuple[BrokenDetector, ...] = ()

    @property
    def left_out(self) -> tuple[str, ...]:
        """One sentence for each broken file."""
        return tuple(f"a detector file is left out: {each.message}" for each in self.broken)

    def find(self, detector_id: str) -> DetectorFile | None:
        """The detector of that id."""
        return next((found for found in self.detectors if found.id == detector_id), None)


def shipped_folder() -> Path:
    """The folder of the shipped files: inside the package when installed, beside it in a checkout."""
    package = Path(__file__).parents[1]
    inside = package / "detectors"
    return inside if inside.is_dir() else package.parent / "detectors"


def load_catalogue(own_folder: Path | None = None) -> Catalogue:
    """Read the shipped detectors and those of ``own_folder``.

    Args:
        own_folder: A project's ``detectors_dir``; ``None`` = none.

    Returns:
        All detectors; files of ``own_folder`` that cannot be used are listed as broken.

    Raises:
        DetectorFileError: A shipped file does not parse (an installation that is not whole), or
            ``own_folder`` is no folder.
    """
    shipped = tuple(sorted((_read(path, shipped=True) for path in _sql_files(shipped_folder())), key=_by_id))
    if own_folder is None:
        return Catalogue(detectors=shipped)
    if not own_folder.is_dir():
        raise DetectorFileError("is no folder", where=str(own_folder), todo="correct detectors_dir")
    origin = {detector.id: "a shipped detector" for detector in shipped}
    own: list[DetectorFile] = []
    broken: list[BrokenDetector] = []
    for path in _sql_files(own_folder):
        try:
            detector = _read(path, shipped=False)
            if detector.id in origin:
                raise DetectorFileError(
                    f"id {detector.id} belongs to {origin[detector.id]}",
                    where=str(path),
                    todo="choose another @id",
                )
        except DetectorFileError as error:
            broken.append(BrokenDetector(path=str(path), message=error.sentence))
            continue
        origin[detector.id] = path.name
        own.append(detector)
    return Catalogue(detectors=(*shipped, *sorted(own, key=_by_id)), broken=tuple(broken))


def _by_id(detector: DetectorFile) -> str:
    return detector.id


def _sql_files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("*.sql") if path.is_file())


def _read(path: Path, *, shipped: bool) -> DetectorFile:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise DetectorFileError(
            f"is not UTF-8 (byte {error.start})", where=str(path), todo="save it as UTF-8"
        ) from error
    except OSError as error:
        raise DetectorFileError(f"cannot be read ({error.strerror or error})", where=str(path)) from error
    return parse_detector(text, str(path), shipped=shipped)
