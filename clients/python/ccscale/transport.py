"""One HTTP request with all its tries."""

from __future__ import annotations

import http.client
import json
import logging
import random
import ssl
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from email.message import Message
from typing import Any, Dict, FrozenSet, NamedTuple, Optional

from .errors import CcscaleError, Unreachable

_log = logging.getLogger("ccscale")
_most_answer_bytes = 64 * 1024 * 1024
worth_another_try = frozenset({408, 429, 500, 502, 503, 504})


@dataclass(frozen=True)
class Retry:
    """How often a call is tried: only when the network or the service fails, never when the request is wrong."""

    attempts: int = 5
    total_seconds: float = 60.0
    first_wait_seconds: float = 0.5
    longest_wait_seconds: float = 10.0

    def wait_seconds(self, attempt: int, retry_after: Optional[float], elapsed: float) -> Optional[float]:
        """How long to wait after a failed attempt (0, 1, …); None: give up."""
        if attempt + 1 >= self.attempts:
            return None
        backoff = min(self.longest_wait_seconds, self.first_wait_seconds * 2**attempt)
        wait = max(retry_after or 0.0, backoff * random.uniform(0.5, 1.0))
        return None if elapsed + wait > self.total_seconds else wait


class HttpAnswer(NamedTuple):
    status: int
    headers: Message
    body: bytes

    @property
    def retry_after(self) -> Optional[float]:
        """The service sends whole seconds; a date, which a proxy may send, is left to the back-off."""
        text = (self.headers.get("Retry-After") or "").strip()
        return float(text) if text.isascii() and text.isdigit() else None

    def json_object(self) -> Dict[str, Any]:
        """Empty when the body is no JSON object."""
        try:
            answer = json.loads(self.body)
        except ValueError:
            return {}
        return answer if isinstance(answer, dict) else {}


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect leads to a sign-in page, and would take the key to another host."""

    def redirect_request(self, *_args: Any) -> None:
        return None


def _send(opener: urllib.request.OpenerDirector, request: urllib.request.Request, timeout: float) -> HttpAnswer:
    try:
        with opener.open(request, timeout=timeout) as response:
            body = response.read(_most_answer_bytes + 1)
            if len(body) > _most_answer_bytes:
                raise CcscaleError(f"The answer is larger than {_most_answer_bytes} bytes")
            return HttpAnswer(response.status, response.headers, body)
    except urllib.error.HTTPError as error:
        with error:
            return HttpAnswer(error.code, error.headers, error.read(_most_answer_bytes))


def exchange(
    opener: urllib.request.OpenerDirector,
    request: urllib.request.Request,
    *,
    what: str,
    timeout: float,
    retry: Retry,
    again: FrozenSet[int] = worth_another_try,
) -> HttpAnswer:
    """The last answer, good or bad; Unreachable when there is none."""
    began = time.monotonic()
    attempt = 0
    while True:
        answer: Optional[HttpAnswer] = None
        failure = f"Cannot reach {what}"
        try:
            answer = _send(opener, request, timeout)
            if answer.status not in again:
                return answer
            failure = f"{what} answered HTTP {answer.status}"
        except (OSError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", error)
            failure = f"Cannot reach {what}: {str(reason) or type(reason).__name__}"
            if isinstance(reason, ssl.SSLCertVerificationError):
                raise Unreachable(failure) from None
        wait = retry.wait_seconds(attempt, answer.retry_after if answer else None, time.monotonic() - began)
        if wait is None:
            if answer is None:
                raise Unreachable(failure)
            return answer
        _log.info("%s; trying again in %.1f s", failure, wait)
        time.sleep(wait)
        attempt += 1
