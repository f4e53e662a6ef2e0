"""What a qualified name says by itself: its package, its class, the file it is usually in."""

from __future__ import annotations

import re
from typing import Final

_SYSTEM: Final = re.compile(r"(?:android|androidx|dalvik|java|javax|jdk|kotlin|kotlinx|libcore|sun)\.")
_VENDOR: Final = re.compile(r"com\.(?:android|google\.android)\.")
_MINIFIED: Final = re.compile(r"[a-z0-9]{1,3}(?:\$[A-Za-z0-9]{1,3})*")
_SUFFIXES: Final = (".kt", ".java")


def is_system(symbol: str) -> bool:
    """Whether a name is of the system or of the libraries every app has; an app may hold stubs of it."""
    return _SYSTEM.match(symbol) is not None


def is_platform(symbol: str) -> bool:
    """Whether a name is of the system, or of what else comes with a device, apps among it."""
    return is_system(symbol) or _VENDOR.match(symbol) is not None


def is_minified_class(owner: str) -> bool:
    """Whether a class has a name as R8 writes it: up to three small letters and digits."""
    return _MINIFIED.fullmatch(owner.rpartition(".")[2]) is not None


def is_minified(symbol: str) -> bool:
    """Whether the class of a method is named as R8 names them."""
    return is_minified_class(package_and_class(symbol)[1])


def package_and_class(symbol: str) -> tuple[str, str]:
    """The package of a symbol and its outermost class; a package ends where a capital begins.

    ``com.example.Feed$Row.bind`` is of ``com.example`` and ``Feed``. Without a capital the last part but one
    is the class, as of a method.
    """
    parts = symbol.split(".")
    at = next((at for at, part in enumerate(parts) if part[:1].isupper()), max(len(parts) - 2, 0))
    return ".".join(parts[:at]), parts[at].partition("$")[0]


def package_of_function(symbol: str) -> str:
    """The package of a function that may stand outside any class, as composables do."""
    parts = symbol.split(".")
    at = next((at for at, part in enumerate(parts) if part[:1].isupper()), len(parts) - 1)
    return ".".join(parts[:at])


def file_names(symbol: str) -> list[str]:
    """Files a class is in by the usual name; top-level functions of ``Feed.kt`` are in class ``FeedKt``."""
    _, outer = package_and_class(symbol)
    names = [f"{outer}{suffix}" for suffix in _SUFFIXES]
    return [f"{outer[:-2]}.kt", *names] if outer.endswith("Kt") else names
