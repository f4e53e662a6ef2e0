"""Which Gradle task installs the measured app: read off the build scripts' text, nothing is run.

A script is a program; only what stands there as a literal is understood, and of the rest nothing is said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice, product
from typing import Final, NamedTuple

from echolot_tui.checkout.declarations import without_comments

_APPLICATION: Final = re.compile(r"^(?!.*\bapply[ (]false).*android[.-]?[aA]pplication\b", re.MULTILINE)
_TASK: Final = re.compile(r"connected(?P<variant>\w+?)(?:AndroidTest)?")
_QUOTED: Final = re.compile(r"""["'](\w+)["']""")
_DELEGATED: Final = re.compile(r"val\s+(\w+)\s+by\b")
_WORD_AT_END: Final = re.compile(r"(\w+)\s*$")
_BRACE: Final = re.compile(r"[{}]")
_VALUE: Final = r"""\b{key}\s*(?:\.set)?[=(\s]\s*["']([\w.]+)["']"""
_INHERITS: Final = re.compile(r"\binitWith\b[^\n]*?(\w+)\W*$", re.MULTILINE)
_DIMENSIONS: Final = re.compile(r"\bflavorDimensions\b[^\n{]*")
_SUFFIX: Final = "applicationIdSuffix"
_BASELINE_PROFILE: Final = re.compile(r"\bbaseline-?[pP]rofile\b")
_BENCHMARK_RELEASE: Final = "initWith(release)\nprofileable = true\n"
_ALWAYS: Final = ("debug", "release")
_VARIANTS_TRIED: Final = 200
_TASKS_TOLD: Final = 3


class Variant(NamedTuple):
    """One way to build the app."""

    flavors: tuple[str, ...]
    build_type: str
    package: str | None
    """Its application id; ``None`` when the script does not say it as a literal."""
    suffix: str
    """What flavors and build type put behind the application id, as far as it is a literal."""
    base: str | None = None
    """The application id without that, if it is one."""

    @property
    def task_name(self) -> str:
        """As it is called inside the names of tasks: ``DemoBenchmark``."""
        return "".join(part[:1].upper() + part[1:] for part in (*self.flavors, self.build_type))


def install_tasks(scripts: Mapping[str, str], package: str, task: str | None = None) -> tuple[str, ...]:
    """Tasks that install the variant with this application id, the likeliest first.

    Args:
        scripts: Text of each build script by its path from the root of the build.
        package: Application id of the measured app.
        task: The benchmark's own task, which names the variant it measures.

    Returns:
        At most three; where the id leaves several, those built for benchmarks are the measured ones. Nothing
        when no script says that it builds the app.
    """
    found = [
        (path, variant)
        for path, text in sorted(scripts.items())
        for variant in app_variants(text)
        if _is_of(variant, package)
    ]
    longest = max((len(variant.suffix) for _, variant in found), default=0)
    found = [one for one in found if one[1].package or len(one[1].suffix) == longest]
    measured = _TASK.fullmatch((task or "").rpartition(":")[2])
    named = [one for one in found if measured and one[1].task_name == measured["variant"]]
    benchmarks = [one for one in found if "benchmark" in one[1].build_type.lower()]
    chosen = named or benchmarks or sorted(found, key=lambda one: one[1].build_type == "debug")
    tasks = (f"{_module(path)}:install{variant.task_name}" for path, variant in chosen)
    return tuple(dict.fromkeys(tasks))[:_TASKS_TOLD]


def app_variants(script: str) -> list[Variant]:
    """The variants a build script of an app builds; none when it builds no app."""
    code = without_comments(script)
    if not _APPLICATION.search(code):
        return []
    defaults = block(code, "defaultConfig")
    own = value(defaults, "applicationId")
    base = own or (None if _is_computed(defaults, "applicationId") else value(code, "namespace"))
    types = build_types(code)
    return [
        _variant(base, chosen, build_type, types)
        for chosen in islice(flavor_choices(code), _VARIANTS_TRIED)
        for build_type in types
    ]


def build_types(code: str) -> dict[str, str]:
    """Every build type and its block.

    Debug and release are there without one, and the plugin for baseline profiles makes one to measure.
    """
    types = dict.fromkeys(_ALWAYS, "") | dict(children(block(code, "buildTypes")))
    if _BASELINE_PROFILE.search(block(code, "plugins")):
        types.setdefault("benchmarkRelease", _BENCHMARK_RELEASE)
    return types


def flag(types: Mapping[str, str], name: str, key: str) -> bool | None:
    """A switch of a build type, ``isProfileable = true``, or of the one it starts from; ``None`` without.

    Args:
        types: Build types and their blocks.
        name: The build type.
        key: Without ``is``: ``Profileable``.
    """
    for body in _bodies(types, name):
        names = f"(?:is{key}|{key[0].lower()}{key[1:]})"
        found = re.search(rf"\b{names}\s*(?:\.set)?[=(\s]\s*(true|false)\b", body)
        if found:
            return found[1] == "true"
    return None


def _bodies(types: Mapping[str, str], name: str) -> Iterator[str]:
    """A build type's block, then those of the ones it starts from."""
    seen: set[str] = set()
    while name in types and name not in seen:
        seen.add(name)
        yield types[name]
        inherited = _INHERITS.search(types[name])
        name = inherited[1] if inherited else ""


def flavor_choices(code: str) -> Iterator[tuple[tuple[str, str], ...]]:
    """Every choice of one flavor of each dimension, with the flavors' blocks; one empty one without any."""
    declared = _DIMENSIONS.search(code)
    by_dimension: dict[str, list[tuple[str, str]]] = {
        name: [] for name in (_QUOTED.findall(declared[0]) if declared else ())
    }
    only = next(iter(by_dimension), "")
    for name, body in children(block(code, "productFlavors")):
        by_dimension.setdefault(value(body, "dimension") or only, []).append((name, body))
    return product(*(flavors for flavors in by_dimension.values() if flavors))


def _variant(
    base: str | None, chosen: tuple[tuple[str, str], ...], build_type: str, types: Mapping[str, str]
) -> Variant:
    """One variant; its application id is told only when every part of it is a literal."""
    flavors = [body for _, body in chosen]
    ids = [body for body in flavors if re.search(r"\bapplicationId\b", body)]
    base = value(ids[0], "applicationId") if ids else base
    told = [value(body, _SUFFIX) or "" for body in flavors]
    told.append(next((found for body in _bodies(types, build_type) if (found := value(body, _SUFFIX))), ""))
    computed = any(_is_computed(body, _SUFFIX) for body in (*flavors, *_bodies(types, build_type)))
    suffix = "".join(told)
    package = None if base is None or computed else base + suffix
    return Variant(tuple(name for name, _ in chosen), build_type, package, suffix, base)


def _is_computed(code: str, key: str) -> bool:
    """Whether a key is set to something that is no literal."""
    return re.search(rf"""\b{key}\b(?!\s*(?:\.set)?[=(\s]\s*["'])""", code) is not None


def _is_of(variant: Variant, package: str) -> bool:
    if variant.package is not None:
        return variant.package == package
    return package.endswith(variant.suffix)


def value(code: str, key: str) -> str | None:
    """The text a key is set to, in any of the ways both languages of scripts have."""
    found = re.search(_VALUE.format(key=key), code)
    return found[1] if found else None


def block(code: str, name: str) -> str:
    """What is inside the braces behind a name; nothing where there are none."""
    found = re.search(rf"\b{name}\s*\{{", code)
    return code[found.end() : _closing(code, found.end())] if found else ""


def children(body: str) -> Iterator[tuple[str, str]]:
    """Name and inside of each block right in a block; one whose name is no literal is left out."""
    at = 0
    while (opened := body.find("{", at)) >= 0:
        end = _closing(body, opened + 1)
        head = body[at:opened].strip().rpartition("\n")[2]
        named = _DELEGATED.search(head) or _QUOTED.search(head) or _WORD_AT_END.search(head)
        if named:
            yield named[1], body[opened + 1 : end]
        at = end + 1


def _closing(code: str, start: int) -> int:
    """Where the brace opened before ``start`` closes; the end where it does not."""
    depth = 1
    for brace in _BRACE.finditer(code, start):
        depth += 1 if brace[0] == "{" else -1
        if not depth:
            return brace.start()
    return len(code)


def _module(path: str) -> str:
    """``app/build.gradle.kts`` is module ``:app``; the root's own script is of no module."""
    folder = path.rpartition("/")[0]
    return f":{folder.replace('/', ':')}" if folder else ""
