"""Calls of the API."""

from __future__ import annotations

import json
import re
import ssl
import urllib.parse
import urllib.request
from typing import Any, Dict, Mapping, Optional

from .errors import InvalidValue, LoginFailed, NotFound, Refused, Unavailable
from .login import Login, login_of
from .settings import read_settings, settings_file
from .transport import HttpAnswer, NoRedirect, Retry, exchange, worth_another_try
from .version import __version__

_most_body_bytes = 32 * 1024 * 1024


class Service:
    """The function app. `login` is a FunctionKey, a ManagedIdentity, or None (the local environment)."""

    def __init__(
        self,
        url: str,
        login: Optional[Login] = None,
        *,
        retry: Retry = Retry(),
        timeout_seconds: float = 60.0,
        ssl_context: Optional[ssl.SSLContext] = None,
    ) -> None:
        self.url, self.login, self.retry, self.timeout_seconds = _checked_url(url), login, retry, timeout_seconds
        self.__opener = urllib.request.build_opener(NoRedirect(), urllib.request.HTTPSHandler(context=ssl_context))

    @classmethod
    def from_settings(cls, **options: Any) -> Service:
        """From the environment, else from the settings file."""
        settings = read_settings()
        if "url" not in settings:
            wanted = f"the address of the function app, there or in {settings_file()}"
            raise InvalidValue("CCSCALE_URL", "not set", wanted)
        login = login_of(settings.get("key"), settings.get("audience"), settings.get("client_id"))
        return cls(settings["url"], login, **options)

    def clusters(self) -> Dict[str, Any]:
        """All clusters that are configured."""
        return self.call("GET", "clusters")

    def call(
        self,
        method: str,
        path: str,
        query: Optional[Mapping[str, Any]] = None,
        body: Any = None,
        headers: Optional[Mapping[str, str]] = None,
    ) -> Dict[str, Any]:
        """One call below `/api/`. Its JSON, or an exception that says what is wrong."""
        given = {name: _text(value) for name, value in (query or {}).items() if value is not None}
        url = f"{self.url}/api/{path}" + (f"?{urllib.parse.urlencode(given)}" if given else "")
        data = None if body is None else _json_of(body)
        while True:
            request = urllib.request.Request(url, data=data, headers={**self.__headers(method), **(headers or {})}, method=method)
            answer = exchange(
                self.__opener, request, what=self.url, timeout=self.timeout_seconds, retry=self.retry
            )
            # A token may have been withdrawn before its time. A wrong login is not tried twice.
            if answer.status != 401 or self.login is None or not self.login.forget():
                return _checked(answer)

    def __headers(self, method: str) -> Dict[str, str]:
        headers = {"Accept": "application/json", "User-Agent": f"ccscale-python/{__version__}"}
        # Also without a body: the service takes nothing else that changes something.
        if method != "GET":
            headers["Content-Type"] = "application/json"
        return {**headers, **(self.login.headers() if self.login else {})}

    def __repr__(self) -> str:
        return f"Service({self.url!r}, {self.login!r})"


def service_of(
    url: Optional[str], key: Optional[str], audience: Optional[str], client_id: Optional[str]
) -> Service:
    """With a login of its own; without `url` from the settings."""
    return Service(url, login_of(key, audience, client_id)) if url else Service.from_settings()


def _checked_url(url: str) -> str:
    parts = urllib.parse.urlsplit(url)
    if parts.username or parts.password or parts.query:
        # Not shown, because it contains a secret.
        raise InvalidValue("url", "***", "an address without a login and a query; the key goes into `key`")
    is_local = parts.hostname in ("localhost", "127.0.0.1", "::1")
    if not parts.hostname or not (parts.scheme == "https" or (parts.scheme == "http" and is_local)):
        raise InvalidValue("url", repr(url), "https://… (http is for this machine only)")
    return re.sub(r"/api$", "", url.rstrip("/"))


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _json_of(body: Any) -> bytes:
    try:
        data = json.dumps(body, allow_nan=False, separators=(",", ":")).encode()
    except (TypeError, ValueError) as error:
        raise InvalidValue("body", str(error), "what JSON can hold") from None
    if len(data) > _most_body_bytes:
        raise InvalidValue("body", f"{len(data)} bytes", f"at most {_most_body_bytes}")
    return data


def _checked(answer: HttpAnswer) -> Dict[str, Any]:
    said, status = answer.json_object(), answer.status
    if 200 <= status < 300 and said:
        return said
    if status < 400:
        said = {"title": f"HTTP {status} without JSON, expected an answer of the service: is this a sign-in page?"}
    known = {401: LoginFailed, 403: LoginFailed, 404: NotFound}
    failed = Unavailable if status in worth_another_try or status >= 500 else Refused
    raise known.get(status, failed)(status, said, said.get("retryAfterSeconds", answer.retry_after))
