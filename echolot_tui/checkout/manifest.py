"""What the manifests of a build's apps name: the activity a launch starts, the application class."""

from __future__ import annotations

import re
import xml.etree.ElementTree as Xml
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from echolot_tui.checkout.gradle_scripts import app_variants
from echolot_tui.checkout.modules import gradle_name
from echolot_tui.checkout.sources import Sources
from echolot_tui.frozen import Frozen

_ANDROID: Final = "{http://schemas.android.com/apk/res/android}"
_MANIFEST: Final = "src/main/AndroidManifest.xml"
_NAMESPACE: Final = re.compile(r"""\bnamespace\s*(?:=|\s)\s*["']([\w.]+)["']""")
_LARGEST: Final = 4 << 20


class AppModule(Frozen, frozen=True, kw_only=True):
    """A module that builds an app."""

    module: str
    """As Gradle calls it."""
    script: str
    """Its build script, relative to the checkout."""
    application: str | None = None
    """Its own application class, qualified."""
    launchers: tuple[str, ...] = ()
    """Activities the launcher starts, qualified."""
    profileable: bool = False
    """Its manifest lets the shell look into every build of it."""
    problem: str | None = None
    """Why its manifest says nothing."""


def app_modules(sources: Sources) -> tuple[AppModule, ...]:
    """Every module whose script says that it builds an app, by name."""
    return tuple(
        _app(sources, script) for script in sources.build_scripts if app_variants(sources.text(script))
    )


def _app(sources: Sources, script: str) -> AppModule:
    folder = script.rpartition("/")[0]
    module = gradle_name(folder)
    path = f"{folder}/{_MANIFEST}" if folder else _MANIFEST
    try:
        root = _parsed(sources.root / path)
    except (OSError, ValueError) as error:
        return AppModule(module=module, script=script, problem=f"{path} cannot be read ({error})")
    named = _NAMESPACE.search(sources.text(script))
    package = named[1] if named else root.get("package", "")
    application = root.find("application")
    own = None if application is None else application.get(f"{_ANDROID}name")
    return AppModule(
        module=module,
        script=script,
        application=None if own is None else _qualified(own, package),
        profileable=any(each.get(f"{_ANDROID}shell") == "true" for each in root.iter("profileable")),
        launchers=tuple(dict.fromkeys(_qualified(name, package) for name in _launchers(root))),
    )


def _parsed(path: Path) -> Xml.Element:
    """The root of a manifest.

    Raises:
        OSError: It cannot be read.
        ValueError: It is no manifest: not well formed, with a document type of its own, or too large.
    """
    text = path.read_bytes()
    if len(text) > _LARGEST or b"<!DOCTYPE" in text:
        raise ValueError("it is no manifest")
    try:
        return Xml.fromstring(text)  # noqa: S314 - without a document type there are no entities
    except Xml.ParseError as error:
        raise ValueError(str(error)) from error


def _launchers(root: Xml.Element) -> Iterator[str]:
    for kind, attribute in (("activity", "name"), ("activity-alias", "targetActivity")):
        for activity in root.iter(kind):
            name = activity.get(f"{_ANDROID}{attribute}")
            if name and any(map(_is_launcher, activity.iter("intent-filter"))):
                yield name


def _is_launcher(intent: Xml.Element) -> bool:
    named = {(each.tag, each.get(f"{_ANDROID}name")) for each in intent}
    return {
        ("action", "android.intent.action.MAIN"),
        ("category", "android.intent.category.LAUNCHER"),
    } <= named


def _qualified(name: str, package: str) -> str:
    if name.startswith("."):
        return package + name
    return name if "." in name else f"{package}.{name}"
