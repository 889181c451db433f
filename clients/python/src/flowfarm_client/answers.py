"""What the service gives: dictionaries as they were sent, whose usual fields are attributes too."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

Row = Dict[str, Any]


class Fields(Dict[str, Any]):
    """A JSON object of the service."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({super().__repr__()})"


class GeneratedSql(Fields):
    """A statement that the model wrote for a question. It was checked and planned, and not run."""

    @property
    def sql(self) -> str:
        return str(self["sql"])

    @property
    def question(self) -> str:
        return str(self["question"])

    @property
    def target(self) -> str:
        """``indexer`` or ``evm``."""
        return str(self["target"])

    @property
    def model(self) -> Optional[str]:
        """Who wrote the statement."""
        return self.get("model")

    @property
    def attempts(self) -> List[Dict[str, Optional[str]]]:
        """Every statement of the model in its order, each with why the next one was asked for."""
        return list(self.get("attempts", []))

    @property
    def duration_ms(self) -> float:
        return float(self["duration_ms"])


class SqlResult(Fields):
    """The rows of a statement.

    Values are exact: int8 and numeric come as text, bytea as ``0x`` and hex, times as ISO 8601 in UTC.
    """

    @property
    def sql(self) -> str:
        return str(self["sql"])

    @property
    def target(self) -> str:
        """``indexer`` or ``evm``."""
        return str(self["target"])

    @property
    def results(self) -> List[Row]:
        """The rows by the names of the columns."""
        rows: List[Row] = self["results"]
        return rows

    @property
    def columns(self) -> List[str]:
        """Names of the columns, each once, also where there are no rows."""
        names: List[str] = self["columns"]
        return names

    @property
    def column_types(self) -> List[str]:
        """PostgreSQL's names of the types, in the order of the columns."""
        types: List[str] = self["column_types"]
        return types

    @property
    def row_count(self) -> int:
        return int(self["row_count"])

    @property
    def truncated(self) -> bool:
        """Whether there were more rows than the service gives."""
        return bool(self["truncated"])

    @property
    def duration_ms(self) -> float:
        return float(self["duration_ms"])


class Answer(SqlResult, GeneratedSql):
    """A question with its statement and its rows."""


class HistoryItem(Fields):
    """A query that was asked before."""

    @property
    def id(self) -> str:
        return str(self["id"])

    @property
    def sql(self) -> str:
        return str(self["sql"])

    @property
    def question(self) -> Optional[str]:
        """None where SQL was run as it was given."""
        text: Optional[str] = self["question"]
        return text

    @property
    def target(self) -> str:
        """``indexer`` or ``evm``."""
        return str(self["target"])

    @property
    def row_count(self) -> Optional[int]:
        """None where nothing was run."""
        count: Optional[int] = self["row_count"]
        return count

    @property
    def error(self) -> Optional[str]:
        text: Optional[str] = self["error"]
        return text

    @property
    def timestamp(self) -> str:
        """ISO 8601 in UTC."""
        return str(self["timestamp"])
