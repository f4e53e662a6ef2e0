"""Which module of the build a source belongs to."""

from __future__ import annotations

from pathlib import PurePosixPath

from echolot_tui.checkout.sources import Sources


class Modules:
    """The modules of a checkout, each the folder of a build script.

    Args:
        sources: The checkout.
    """

    def __init__(self, sources: Sources) -> None:
        self._folders = {PurePosixPath(path).parent for path in sources.build_scripts}

    def of(self, path: str) -> str:
        """A source's module as Gradle calls it: ``:feature:feed``, ``:`` for the root.

        Without a build script above it, the folder its ``src`` lies in.

        Args:
            path: Relative to the checkout.
        """
        folders = PurePosixPath(path).parents
        found = next((folder for folder in folders if folder in self._folders), None)
        if found is None:
            found = next((folder.parent for folder in reversed(folders) if folder.name == "src"), folders[-1])
        return gradle_name(found.as_posix())


def gradle_name(folder: str) -> str:
    """A folder, relative to the root of the build, as the path of a Gradle project."""
    return ":" if folder in {"", "."} else ":" + folder.replace("/", ":")
