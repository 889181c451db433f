"""The client of the query service."""

from __future__ import annotations

from typing import Any, List, Mapping, Optional
from urllib.parse import quote

from .answers import Answer, GeneratedSql, HistoryItem, SqlResult
from .errors import ServerError, StatementError, error_of
from .transport import Transport
from .version import VERSION


class Client:
    """A connection to a query service.

    :param base_url: such as ``http://localhost:8084``
    :param token: the API_TOKEN of the service, if it has one
    :param timeout: seconds without data from the service; more than QUERY_TIMEOUT_S plus the model's response time

    Calls raise subclasses of FlowfarmError. A client may be shared between threads.
    """

    def __init__(self, base_url: str = "http://localhost:8084", token: Optional[str] = None, *, timeout: float = 120.0) -> None:
        self._transport = Transport(base_url, token, timeout, f"flowfarm-client/{VERSION}")

    def ask(self, question: str, *, target: Optional[str] = None) -> Answer:
        """Has a model write a statement for the question, and runs it.

        Raises StatementError if the statement failed, and ModelError if no model is configured.
        """
        answer = Answer(self._object("POST", "/api/v1/ask", {"question": question, "target": target}))
        _require_success(answer)
        return answer

    def generate_sql(self, question: str, *, target: Optional[str] = None) -> GeneratedSql:
        """Has a model write a statement for the question, without running it."""
        generated = GeneratedSql(self._object("POST", "/api/v1/generate_sql", {"question": question, "target": target}))
        _require_success(generated)
        return generated

    def run_sql(self, sql: str, *, target: Optional[str] = None, max_rows: Optional[int] = None) -> SqlResult:
        """Runs one SELECT. Raises StatementError if it is refused or fails."""
        result = SqlResult(self._object("POST", "/api/v1/run_sql", {"sql": sql, "target": target, "max_rows": max_rows}))
        _require_success(result)
        return result

    def history(
        self, *, limit: Optional[int] = None, offset: Optional[int] = None, target: Optional[str] = None
    ) -> List[HistoryItem]:
        """Recent queries of this token, newest first. ``limit`` is 50 by default and 200 at most."""
        items = self._call("GET", "/api/v1/history", query={"limit": limit, "offset": offset, "target": target})
        if not isinstance(items, list):
            raise _not_an_answer(items)
        return [HistoryItem(item) for item in items]

    def history_item(self, id: str) -> HistoryItem:
        """A recent query. Raises InvalidRequestError for an unknown id."""
        return HistoryItem(self._object("GET", f"/api/v1/history/{quote(id, safe='')}"))

    def clear_history(self) -> None:
        """Deletes the query history of this token."""
        self._call("DELETE", "/api/v1/history")

    def _object(self, method: str, path: str, body: Optional[Mapping[str, Any]] = None) -> Mapping[str, Any]:
        content = self._call(method, path, body)
        if not isinstance(content, dict):
            raise _not_an_answer(content)
        return content

    def _call(
        self, method: str, path: str, body: Optional[Mapping[str, Any]] = None, query: Optional[Mapping[str, Any]] = None
    ) -> Any:
        status, headers, content = self._transport.call(method, path, body, query)
        if 200 <= status < 300:
            return content
        problem = content if isinstance(content, dict) else {"detail": f"HTTP status {status}: {str(content)[:200]}"}
        raise error_of(status, problem, _seconds(headers.get("Retry-After")), str((body or {}).get("sql", "")))


def _require_success(answer: Mapping[str, Any]) -> None:
    """Failed statements of ``ask`` have status 200, since the response has more than the failure."""
    if answer.get("error") is None:
        return
    problem = {**answer, "code": answer.get("error_code") or "sql-failed", "detail": answer["error"]}
    raise StatementError(200, problem, sql=str(answer.get("sql", "")), answer=answer)


def _not_an_answer(content: Any) -> ServerError:
    return ServerError(200, {"code": "not-an-answer", "detail": f"not a flowfarm query service; it returned {str(content)[:200]!r}"})


def _seconds(text: Optional[str]) -> Optional[float]:
    """The service sends seconds; dates are ignored."""
    return float(text) if text is not None and text.isdigit() else None
