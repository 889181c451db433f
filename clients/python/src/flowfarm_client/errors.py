"""What can go wrong, by what the caller can do about it."""

from __future__ import annotations

from typing import Any, Dict, Mapping, Optional, Tuple, Type


class FlowfarmError(Exception):
    """Anything that this client raises."""


class ConnectionFailedError(FlowfarmError):
    """The service was not reached, or the connection broke."""


class TimedOutError(FlowfarmError):
    """The service did not answer in time. The statement is stopped when the connection closes."""


class ApiError(FlowfarmError):
    """The service answered with an error."""

    def __init__(self, status: int, problem: Mapping[str, Any], retry_after: Optional[float] = None) -> None:
        self.status = status
        #: What went wrong, for programs; stable.
        self.code = str(problem.get("code", "unknown"))
        #: What went wrong and what to do, for people.
        self.detail = str(problem.get("detail", f"HTTP status {status}"))
        #: The field or parameter at fault.
        self.field: Optional[str] = problem.get("field")
        #: Names the request in the log of the service.
        self.request_id: Optional[str] = problem.get("request_id")
        #: Seconds after which it is worth trying again.
        self.retry_after = retry_after
        #: The whole body.
        self.problem = dict(problem)
        super().__init__(f"{self.detail} ({self.code})")

    def __reduce__(self) -> Tuple[Any, ...]:
        """Exceptions are pickled with their message alone; these have more, which worker processes hand back too."""
        return _remade, (type(self), self.args, self.__dict__.copy())


class AuthenticationError(ApiError):
    """The token is missing, or is not the right one."""


class InvalidRequestError(ApiError):
    """The call is not right; ``field`` names what."""


class BusyError(ApiError):
    """Too much at once; try again after ``retry_after`` seconds."""


class ModelError(ApiError):
    """No model is set up to write SQL, or it did not answer as it should."""


class ServerError(ApiError):
    """The service, or its database, failed."""


class StatementError(ApiError):
    """The statement was refused or failed.

    After ``ask`` it is the last one that the model wrote, and ``answer`` is the whole answer.
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
        #: PostgreSQL's code, where the database refused the statement.
        self.sql_state: Optional[str] = problem.get("sql_state")
        #: Character of the statement at which the fault is, from 1.
        self.position: Optional[int] = problem.get("error_position")
        #: What PostgreSQL advises.
        self.hint: Optional[str] = problem.get("error_hint")


def _remade(kind: Type[ApiError], args: Tuple[Any, ...], fields: Dict[str, Any]) -> ApiError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(fields)
    return error


def error_of(status: int, problem: Mapping[str, Any], retry_after: Optional[float], sql: str) -> ApiError:
    """The exception for an answer that is an error."""
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
