"""How a caller shows who it is."""

from __future__ import annotations

import os
import re
import time
import urllib.parse
import urllib.request
from typing import Dict, Optional, Tuple, Union

from .errors import CcscaleError, InvalidValue
from .transport import NoRedirect, Retry, exchange, worth_another_try

_refresh_early_seconds = 300


def _header_value(field: str, value: str) -> str:
    # http.client shows a value that no header can hold, so a secret must be checked before.
    if not isinstance(value, str) or not re.fullmatch(r"[!-~]+", value):
        raise InvalidValue(field, "***", "printable ASCII without blanks")
    return value


class FunctionKey:
    """A key of the function app, or of one of its functions."""

    def __init__(self, key: str) -> None:
        self.__key = _header_value("key", key)

    def headers(self) -> Dict[str, str]:
        return {"x-functions-key": self.__key}

    def forget(self) -> bool:
        """Whether another try may have another login."""
        return False

    def __repr__(self) -> str:
        return "FunctionKey(***)"


class ManagedIdentity:
    """Tokens of the identity of this VM, or of this App Service or Function app. `client_id`: a user-assigned one."""

    vm_endpoint = "http://169.254.169.254/metadata/identity/oauth2/token"
    # 404 and 410 come from a VM whose identity has just been assigned, or that is being updated.
    again = worth_another_try | {404, 410}

    def __init__(self, audience: str, client_id: Optional[str] = None, retry: Retry = Retry()) -> None:
        if not audience:
            raise InvalidValue("audience", repr(audience), "the app's application id URI, such as api://<client id>")
        self.audience, self.client_id, self.__retry = audience, client_id, retry
        self.__token, self.__expires_at, self.__is_fresh = "", 0.0, False

    def headers(self) -> Dict[str, str]:
        self.__is_fresh = time.time() > self.__expires_at - _refresh_early_seconds
        if self.__is_fresh:
            self.__token, self.__expires_at = self.__ask()
        return {"Authorization": f"Bearer {self.__token}"}

    def forget(self) -> bool:
        """After a 401: true when the token was an old one, so that a new one may do."""
        self.__expires_at = 0.0
        return not self.__is_fresh

    def __ask(self) -> Tuple[str, float]:
        # The endpoint belongs to this machine: no proxy may see the request.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), NoRedirect())
        what = "the identity endpoint of this machine"
        answer = exchange(opener, self.__request(), what=what, timeout=10, retry=self.__retry, again=self.again)
        said = answer.json_object()
        if answer.status != 200 or "access_token" not in said:
            why = said.get("error_description") or said.get("message") or said.get("error") or "no token"
            raise CcscaleError(f"Cannot sign in for {self.audience!r}: HTTP {answer.status}, {why}")
        # App Service names the moment, a VM also the length; what is no number is asked for again after ten minutes.
        expires_on = str(said.get("expires_on"))
        expires_at = float(expires_on) if expires_on.isdigit() else time.time() + _refresh_early_seconds + 600
        return _header_value("access_token", said["access_token"]), expires_at

    def __request(self) -> urllib.request.Request:
        endpoint, secret = os.environ.get("IDENTITY_ENDPOINT"), os.environ.get("IDENTITY_HEADER")
        query = {"resource": self.audience, **({"client_id": self.client_id} if self.client_id else {})}
        if endpoint and secret:
            shown = _header_value("IDENTITY_HEADER", secret)
            address, version, headers = endpoint, "2019-08-01", {"X-IDENTITY-HEADER": shown}
        else:
            address, version, headers = self.vm_endpoint, "2018-02-01", {"Metadata": "true"}
        query["api-version"] = version
        return urllib.request.Request(f"{address}?{urllib.parse.urlencode(query)}", headers=headers)

    def __repr__(self) -> str:
        return f"ManagedIdentity(audience={self.audience!r}, client_id={self.client_id!r})"


Login = Union[FunctionKey, ManagedIdentity]


def login_of(key: Optional[str], audience: Optional[str], client_id: Optional[str] = None) -> Optional[Login]:
    """The key counts when both are given; None: no login, as in the local environment."""
    if key:
        return FunctionKey(key)
    return ManagedIdentity(audience, client_id) if audience else None
