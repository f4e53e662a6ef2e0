"""GitHub's REST API, as far as the action uses it: JSON, pages of lists, files behind redirects."""

from __future__ import annotations

import http.client
import ssl
import urllib.error
import urllib.parse
import urllib.request
from email.message import Message
from http import HTTPStatus
from typing import Any, Final

import msgspec

from echolot_tui.errors import EcholotError

_TIMEOUT_S: Final = 60.0
_REDIRECTS: Final = 5
_MOST_BYTES: Final = 512 << 20
"""No artifact of reports is as large; more is not read."""
_MOVED: Final = frozenset({301, 302, 303, 307, 308})


class ApiError(EcholotError):
    """The API refused or did not answer.

    Attributes:
        status: Its HTTP status; 0 when it did not answer.
        limited: Too many requests, not too few rights.
    """

    status: int = 0
    limited: bool = False


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_args: Any, **_named: Any) -> None:
        """Leave it to the caller, who knows which host may see the token."""


class GitHub:
    """One repository behind the API."""

    def __init__(self, api: str, repository: str, token: str | None) -> None:
        """Remember where it is; nothing is sent yet."""
        self._base = f"{api.rstrip('/')}/repos/{urllib.parse.quote(repository)}"
        self._token = token
        self._opener = urllib.request.build_opener(_NoRedirect)

    def get(self, path: str, **query: str | int) -> Any:
        """The decoded answer to ``GET``.

        Raises:
            ApiError: It refused, did not answer, or not in JSON.
        """
        return self._json("GET", self._url(path, query), None)

    def send(self, method: str, path: str, body: dict[str, Any]) -> Any:
        """The decoded answer to a request with a body.

        Raises:
            ApiError: As :meth:`get`.
        """
        return self._json(method, self._url(path, {}), msgspec.json.encode(body))

    def download(self, url: str) -> bytes:
        """A file; redirects are followed, the token stays with the host it was made for.

        Raises:
            ApiError: As :meth:`get`; also for more redirects or bytes than any sound answer has.
        """
        home = urllib.parse.urlsplit(self._base).netloc
        for _ in range(_REDIRECTS):
            status, headers, body = self._open("GET", url, None, trusted=_host(url) == home)
            if status not in _MOVED:
                return body
            target = urllib.parse.urljoin(url, headers.get("Location", ""))
            if urllib.parse.urlsplit(target).scheme not in ("http", "https"):
                raise _refusal(0, f"redirects to {target}", url)
            if _scheme(url) == "https" and _scheme(target) != "https":
                raise _refusal(0, "redirects to an unencrypted address", url)
            url = target
        raise _refusal(0, "redirects without an end", url)

    def _url(self, path: str, query: dict[str, str | int]) -> str:
        asked = f"?{urllib.parse.urlencode(query)}" if query else ""
        return f"{self._base}/{path}{asked}" if path else self._base

    def _json(self, method: str, url: str, body: bytes | None) -> Any:
        status, _, answer = self._open(method, url, body, trusted=True)
        if status in _MOVED:
            raise _refusal(status, "has moved", url)
        try:
            return msgspec.json.decode(answer) if answer else None
        except msgspec.DecodeError as error:
            raise _refusal(status, f"answers no JSON ({error})", url) from error

    def _open(
        self, method: str, url: str, body: bytes | None, *, trusted: bool
    ) -> tuple[int, Message, bytes]:
        request = urllib.request.Request(url, data=body, method=method)  # noqa: S310 - the runner's API
        request.add_header("Accept", "application/vnd.github+json")
        request.add_header("X-GitHub-Api-Version", "2022-11-28")
        request.add_header("User-Agent", "echolot")
        if trusted and self._token:
            request.add_header("Authorization", f"Bearer {self._token}")
        try:
            with self._opener.open(request, timeout=_TIMEOUT_S) as answer:
                return answer.status, answer.headers, _bounded(answer, url)
        except urllib.error.HTTPError as error:
            with error:
                if error.code in _MOVED:
                    return error.code, error.headers, b""
                raise _from_status(error, url) from None
        except (OSError, http.client.HTTPException, ssl.SSLError) as error:
            raise _refusal(0, f"does not answer ({getattr(error, 'reason', error)})", url) from error


def _bounded(answer: http.client.HTTPResponse, url: str) -> bytes:
    content = answer.read(_MOST_BYTES + 1)
    if len(content) > _MOST_BYTES:
        raise _refusal(0, "is larger than any report", url)
    return content


def _from_status(error: urllib.error.HTTPError, url: str) -> ApiError:
    refusal = _refusal(error.code, f"answers {error.code} {_phrase(error.code)}", url)
    exhausted = error.headers.get("x-ratelimit-remaining") == "0" or error.headers.get("retry-after")
    refusal.limited = error.code == HTTPStatus.TOO_MANY_REQUESTS or bool(exhausted)
    return refusal


def _refusal(status: int, what: str, url: str) -> ApiError:
    error = ApiError(what, where=urllib.parse.urlsplit(url)._replace(query="", fragment="").geturl())
    error.status = status
    return error


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""


def _host(url: str) -> str:
    return urllib.parse.urlsplit(url).netloc


def _scheme(url: str) -> str:
    return urllib.parse.urlsplit(url).scheme
