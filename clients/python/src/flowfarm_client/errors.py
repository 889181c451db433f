"""Exceptions, grouped by what the caller can do."""

from __future__ import annotations

from typing import Any, Dict, Mapping, Optional, Tuple, Type


class FlowfarmError(Exception):
    """Base class of all errors of this client."""


class ConnectionFailedError(FlowfarmError):
    """The service is unreachable, or the connection was lost."""


class TimedOutError(FlowfarmError):
    """The service did not respond in time. Closing the connection cancels the statement."""


class ApiError(FlowfarmError):
    """The service returned an error."""

    def __init__(self, status: int, problem: Mapping[str, Any], retry_after: Optional[float] = None) -> None:
        self.status = status
        #: Stable error code.
        self.code = str(problem.get("code", "unknown"))
        #: Error message.
        self.detail = str(problem.get("detail", f"HTTP status {status}"))
        #: The invalid field or parameter.
        self.field: Optional[str] = problem.get("field")
        #: Identifies the request in the log of the service.
        self.request_id: Optional[str] = problem.get("request_id")
        #: Seconds to wait before a retry.
        self.retry_after = retry_after
        #: The response body.
        self.problem = dict(problem)
        super().__init__(f"{self.detail} ({self.code})")

    def __reduce__(self) -> Tuple[Any, ...]:
        """Includes all attributes, so that errors survive pickling between processes."""
        return _restore, (type(self), self.args, self.__dict__.copy())


class AuthenticationError(ApiError):
    """The token is missing or wrong."""


class InvalidRequestError(ApiError):
    """The request is invalid; see ``field``."""


class BusyError(ApiError):
    """Too many requests; retry after ``retry_after`` seconds."""


class ModelError(ApiError):
    """No language model is configured, or it failed."""


class ServerError(ApiError):
    """The service, or its database, failed."""


class StatementError(ApiError):
    """The statement was refused or failed.

    After ``ask`` it is the last statement of the model, and ``answer`` is the whole response.
    """

    def __init__(
        self,
        status: int,
        problem: Mapping[str, Any],
        retry_after: Optional[float] = None,
        *,
        sql: str = "",
        answer: Optional[Mapping[str, Any]] = None,
    ) -> None:
        super().__init__(status, problem, retry_after)
        self.sql = sql
        self.answer = answer
        #: SQLSTATE, if PostgreSQL rejected the statement.
        self.sql_state: Optional[str] = problem.get("sql_state")
        #: Position of the error in the statement, in characters from 1.
        self.position: Optional[int] = problem.get("error_position")
        #: Hint from PostgreSQL.
        self.hint: Optional[str] = problem.get("error_hint")


def _restore(kind: Type[ApiError], args: Tuple[Any, ...], fields: Dict[str, Any]) -> ApiError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(fields)
    return error


def error_of(status: int, problem: Mapping[str, Any], retry_after: Optional[float], sql: str) -> ApiError:
    code = str(problem.get("code", ""))
    if status in (401, 403):
        return AuthenticationError(status, problem, retry_after)
    if code.startswith("model") or code == "no-model":
        return ModelError(status, problem, retry_after)
    if status == 429 or code == "sql-busy":
        return BusyError(status, problem, retry_after)
    if code.startswith("sql-") and code != "sql-unavailable":
        return StatementError(status, problem, retry_after, sql=sql)
    if 400 <= status < 500:
        return InvalidRequestError(status, problem, retry_after)
    return ServerError(status, problem, retry_after)
