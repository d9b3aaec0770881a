"""What goes wrong, as types. No secret is part of any message."""

from __future__ import annotations

import re
from typing import Any, Mapping, NamedTuple, Optional


class CcscaleError(Exception):
    """Everything that this module raises on purpose."""


class InvalidValue(CcscaleError, ValueError):
    """A value that cannot be used. A secret is never part of `value`."""

    def __init__(self, field: str, value: str, wanted: str) -> None:
        super().__init__(f"{field}: {value}, expected {wanted}")
        self.field, self.value, self.wanted = field, value, wanted


class Problem(NamedTuple):
    """One mistake, as the service reports it. `field`, `value`, `wanted`: None where the sentence does not name it."""

    text: str
    field: Optional[str]
    value: Optional[str]
    wanted: Optional[str]

    @classmethod
    def of(cls, text: str) -> Problem:
        found = re.match(r"(?P<field>[^\s:]+): (?:(?P<value>.*?), )?expected (?P<wanted>.*)", text, re.DOTALL)
        return cls(text, None, None, None) if found is None else cls(text, **found.groupdict())


class ServiceError(CcscaleError):
    """The service refused or failed. `kind` is stable: decide by it, not by the words."""

    def __init__(self, status: int, answer: Mapping[str, Any], retry_after_seconds: Optional[float]) -> None:
        self.status = status
        self.kind = str(answer.get("type", "")).rpartition(":")[2] or "unknown"
        self.title = str(answer.get("title", f"HTTP {status}"))
        self.detail = None if answer.get("detail") is None else str(answer["detail"])
        self.problems = tuple(Problem.of(str(text)) for text in answer.get("problems") or ())
        self.retry_after_seconds = retry_after_seconds
        self.invocation_id = answer.get("invocationId")
        parts = [self.title, self.detail, *(problem.text for problem in self.problems)]
        super().__init__("; ".join(part for part in parts if part))


class Refused(ServiceError):
    """The request is wrong (400, 409, 412, 413): sending it again changes nothing."""


class LoginFailed(ServiceError):
    """No login, a wrong one, or one without the right (401, 403)."""


class NotFound(ServiceError):
    """No such cluster, job or node (404)."""


class Unavailable(ServiceError):
    """Busy or broken (429, 5xx), after every try. `retry_after_seconds` is the service's own advice."""


class Unreachable(CcscaleError):
    """No answer from the service or from the identity endpoint, after every try."""
