"""Reports as bytes: written the same way every time, read back whoever wrote them."""

from __future__ import annotations

import hashlib
import json
import math
from typing import Any, Final

import msgspec

from echolot_tui.errors import EcholotError
from echolot_tui.report.lenient import UnusableError, read_leniently
from echolot_tui.report.model import SCHEMA, AllRows, Report
from echolot_tui.report.older import complete
from echolot_tui.text import storable

_TODO: Final = "name a report.json, as analyze writes it"


class NotAReportError(EcholotError):
    """A file that was read as a report is none."""


def encode_json(value: object) -> bytes:
    """Any model as compact JSON; what UTF-8 cannot carry becomes an escape in words."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        return msgspec.json.encode(_without_surrogates(msgspec.to_builtins(value)))


def encode_report(report: Report) -> bytes:
    """``report.json``: UTF-8, indented by 2, keys in the model's order, no line end at its end."""
    return msgspec.json.format(encode_json(report), indent=2)


def encode_rows(rows: AllRows, report: bytes) -> bytes:
    """``rows.json``, compact, bound to the bytes of the ``report.json`` it lies beside."""
    return encode_json(msgspec.structs.replace(rows, report_sha256=hashlib.sha256(report).hexdigest()))


def decode_report(raw: bytes, *, where: str) -> Report:
    """Read a report written by this program or by the original.

    Every key but ``detectors`` may be absent or of another shape: what cannot be used is left out and
    named in the report's notes. What older files do not say is filled in where they imply it.

    Args:
        raw: The file's bytes.
        where: The file, for messages.

    Raises:
        NotAReportError: Not text, not JSON, not an object, another kind of file, or no ``detectors``.
    """
    document = _document(raw, where)
    _refuse_other_kinds(document, where)
    try:
        report, notes = read_leniently(document, Report)
    except UnusableError as error:
        raise NotAReportError(f"is no report: {error}", where=where, todo=_TODO) from error
    if report.schema > SCHEMA:
        notes = (
            f"written with schema {report.schema}, newer than {SCHEMA}; some of it may be missing",
            *notes,
        )
    return complete(msgspec.structs.replace(report, notes=(*report.notes, *notes)))


def decode_rows(raw: bytes, *, where: str, report: bytes) -> AllRows:
    """Read ``rows.json``.

    Args:
        raw: The file's bytes.
        where: The file, for messages.
        report: The bytes of the ``report.json`` beside it.

    Raises:
        NotAReportError: It does not load, or it lies beside another report than it was written with.
    """
    todo = "analyze again to get every measured row"
    try:
        rows = msgspec.json.decode(raw, type=AllRows)
    except (msgspec.DecodeError, RecursionError) as error:
        raise NotAReportError(f"does not load: {error}", where=where, todo=todo) from error
    if rows.kind != "rows" or rows.report_sha256 != hashlib.sha256(report).hexdigest():
        raise NotAReportError("belongs to another report.json", where=where, todo=todo)
    return rows


def _without_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, dict):
        return {_without_surrogates(key): _without_surrogates(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without_surrogates(item) for item in value]
    return value


def _document(raw: bytes, where: str) -> dict[str, Any]:
    try:
        # The standard parser says line and column, and takes what the original's writer allows.
        document = json.loads(raw.decode("utf-8-sig"), parse_constant=lambda _: None, parse_float=_finite)
    except UnicodeDecodeError as error:
        raise NotAReportError(f"is not text (byte {error.start})", where=where, todo=_TODO) from error
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise NotAReportError(f"is not JSON: {error.msg} at {place}", where=where, todo=_TODO) from error
    except (RecursionError, ValueError) as error:
        raise NotAReportError(f"cannot be read as JSON: {error}", where=where, todo=_TODO) from error
    if not isinstance(document, dict):
        raise NotAReportError("is JSON, but not an object", where=where, todo=_TODO)
    return document


def _finite(text: str) -> float | None:
    value = float(text)
    return value if math.isfinite(value) else None


def _refuse_other_kinds(document: dict[str, Any], where: str) -> None:
    if document.get("kind") == "comparison":
        raise NotAReportError("is a comparison, not a report", where=where, todo=_TODO)
    if document.get("kind") == "rows":
        raise NotAReportError("holds the rows beside a report, not the report", where=where, todo=_TODO)
    if "detectors" not in document:
        raise NotAReportError("has no detectors, so it is no report", where=where, todo=_TODO)
    if not isinstance(document["detectors"], list):
        raise NotAReportError("is no report: detectors is not a list", where=where, todo=_TODO)
