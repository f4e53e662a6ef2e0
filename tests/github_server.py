"""A server that answers like GitHub's REST API, on this machine: runs, artifacts, comments."""

from __future__ import annotations

import io
import json
import threading
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

REPOSITORY = "team/app"


@dataclass
class Artifact:
    name: str
    archive: bytes
    expired: bool = False
    created_at: str = "2026-01-01T00:00:00Z"


@dataclass
class Run:
    id: int
    branch: str = "main"
    event: str = "push"
    conclusion: str = "success"
    repository: str = REPOSITORY
    workflow: str = "ci.yml"
    artifacts: list[Artifact] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "event": self.event,
            "head_branch": self.branch,
            "head_sha": f"{self.id:040x}",
            "head_repository": {"full_name": self.repository},
            "html_url": f"https://example.org/{self.id}",
        }


@dataclass
class Asked:
    method: str
    path: str
    authorization: str | None
    host: str


@dataclass
class Hub:
    """What the server holds, and what it was asked."""

    url: str = ""
    storage: str = ""
    runs: list[Run] = field(default_factory=list)
    comments: list[dict[str, Any]] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    refuse: dict[str, int] = field(default_factory=dict)
    """Part of a path to the status it is answered with."""
    limited: bool = False
    default_branch: str = "main"
    redirect: str = ""
    """Where an artifact's address leads, instead of to the storage."""

    def artifact(self, number: int) -> Artifact:
        return [one for run in self.runs for one in run.artifacts][number]


def zipped(files: dict[str, bytes]) -> bytes:
    """An artifact as GitHub hands it out."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return packed.getvalue()


@contextmanager
def serving() -> Iterator[Hub]:
    """The API on one port and its file storage on another host, as with GitHub."""
    hub = Hub()
    servers = [_server(hub, _api), _server(hub, _storage)]
    hub.url = f"http://127.0.0.1:{servers[0].server_address[1]}"
    hub.storage = f"http://localhost:{servers[1].server_address[1]}"
    threads = [threading.Thread(target=server.serve_forever, args=(0.02,)) for server in servers]
    for thread in threads:
        thread.start()
    try:
        yield hub
    finally:
        for server, thread in zip(servers, threads, strict=True):
            server.shutdown()
            thread.join()
            server.server_close()


Answer = tuple[int, Any, dict[str, str]]


def _server(hub: Hub, answer: Callable[[Hub, str, str, dict[str, Any]], Answer]) -> ThreadingHTTPServer:
    class Handler(BaseHTTPRequestHandler):
        def _do(self) -> None:
            hub.asked.append(
                Asked(self.command, self.path, self.headers.get("Authorization"), self.headers["Host"])
            )
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length)) if length else {}
            status, content, headers = answer(hub, self.command, self.path, body)
            for part, refused in hub.refuse.items():
                if part in self.path:
                    status, content, headers = refused, {"message": "no"}, {}
                    if hub.limited:
                        headers["x-ratelimit-remaining"] = "0"
            data = content if isinstance(content, bytes) else json.dumps(content).encode()
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = do_PATCH = _do  # noqa: N815

        def log_message(self, *_args: Any) -> None:
            pass

    return ThreadingHTTPServer(("127.0.0.1", 0), Handler)


def _api(hub: Hub, method: str, path: str, body: dict[str, Any]) -> Answer:
    split = urlsplit(path)
    query = {key: values[0] for key, values in parse_qs(split.query).items()}
    parts = split.path.removeprefix(f"/repos/{REPOSITORY}").strip("/").split("/")
    match parts:
        case [""]:
            return 200, {"default_branch": hub.default_branch}, {}
        case ["actions", "workflows", workflow, "runs"]:
            return _runs(hub, unquote(workflow), query)
        case ["actions", "runs", run, "artifacts"]:
            return _artifacts(hub, int(run), query)
        case ["actions", "artifacts", number, "zip"]:
            return 302, b"", {"Location": hub.redirect or f"{hub.storage}/blob/{number}?signature=secret"}
        case ["issues", _, "comments"] if method == "GET":
            page = int(query["page"])
            size = int(query["per_page"])
            return 200, hub.comments[(page - 1) * size : page * size], {}
        case ["issues", _, "comments"]:
            hub.comments.append({"id": len(hub.comments) + 1, "user": {"type": "Bot"}, **body})
            return 201, hub.comments[-1], {}
        case ["issues", "comments", number]:
            (comment,) = [one for one in hub.comments if one["id"] == int(number)]
            comment.update(body)
            return 200, comment, {}
    return 404, {"message": "Not Found"}, {}


def _runs(hub: Hub, workflow: str, query: dict[str, str]) -> Answer:
    of_workflow = [run for run in hub.runs if run.workflow == workflow]
    if not of_workflow and workflow != "ci.yml":
        return 404, {"message": "Not Found"}, {}
    found = [
        run for run in of_workflow if run.branch == query["branch"] and run.conclusion == query["status"]
    ]
    found.sort(key=lambda run: run.id, reverse=True)
    return 200, {"workflow_runs": [run.as_json() for run in found[: int(query["per_page"])]]}, {}


def _artifacts(hub: Hub, run_id: int, query: dict[str, str]) -> Answer:
    everything = [(run, one) for run in hub.runs for one in run.artifacts]
    return (
        200,
        {
            "artifacts": [
                {
                    "id": number,
                    "name": one.name,
                    "expired": one.expired,
                    "created_at": one.created_at,
                    "archive_download_url": f"{hub.url}/repos/{REPOSITORY}/actions/artifacts/{number}/zip",
                }
                for number, (run, one) in enumerate(everything)
                if run.id == run_id and one.name == query["name"]
            ]
        },
        {},
    )


def _storage(hub: Hub, _method: str, path: str, _body: dict[str, Any]) -> Answer:
    number = int(urlsplit(path).path.rpartition("/")[2])
    return 200, hub.artifact(number).archive, {"Content-Type": "application/zip"}
