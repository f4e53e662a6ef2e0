"""One comment on the pull request a scenario: written once, renewed by every later run."""

from __future__ import annotations

import urllib.parse
from typing import Any, Final

from echolot_tui.ci.github import GitHub
from echolot_tui.ci.runner import cut_markdown

_MOST_BYTES: Final = 60_000
"""GitHub takes 65,536 characters."""
_PAGES: Final = 20
_PER_PAGE: Final = 100


def put_comment(hub: GitHub, pull_request: int, artifact: str, markdown: str) -> None:
    """Write the comment, or renew the one an earlier run of the same artifact name wrote.

    Args:
        hub: The repository.
        pull_request: Its number.
        artifact: Tells the comments of several calls apart.
        markdown: What to say.

    Raises:
        ApiError: The token may not, as on pull requests from forks.
    """
    mark = f"<!-- echolot: {urllib.parse.quote(artifact, safe='')} -->"
    body = {"body": cut_markdown(f"{mark}\n{markdown}", _MOST_BYTES)}
    earlier = _earlier(hub, pull_request, mark)
    if earlier is None:
        hub.send("POST", f"issues/{pull_request}/comments", body)
    else:
        hub.send("PATCH", f"issues/comments/{earlier}", body)


def _earlier(hub: GitHub, pull_request: int, mark: str) -> int | None:
    """A person may quote the mark, so only a bot's comment counts."""
    for page in range(1, _PAGES + 1):
        comments = hub.get(f"issues/{pull_request}/comments", per_page=_PER_PAGE, page=page)
        for comment in comments if isinstance(comments, list) else []:
            if _is_ours(comment, mark):
                return int(comment["id"])
        if not isinstance(comments, list) or len(comments) < _PER_PAGE:
            return None
    return None


def _is_ours(comment: Any, mark: str) -> bool:
    author = comment.get("user") or {}
    return author.get("type") == "Bot" and str(comment.get("body", "")).startswith(mark)
