"""Response types: the JSON objects of the service, with common fields as attributes."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

Row = Dict[str, Any]


class Fields(Dict[str, Any]):
    """A JSON object of the service."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({super().__repr__()})"


class GeneratedSql(Fields):
    """A statement that the model wrote for a question. It was checked and planned, but not run."""

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
        """The model that wrote the statement."""
        return self.get("model")

    @property
    def attempts(self) -> List[Dict[str, Optional[str]]]:
        """All statements of the model, in order, each with the error that led to the next one."""
        return list(self.get("attempts", []))

    @property
    def duration_ms(self) -> float:
        return float(self["duration_ms"])


class SqlResult(Fields):
    """The rows of a statement.

    Values are exact: int8 and numeric are strings, bytea is 0x-prefixed hex, times are ISO 8601 in UTC.
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
        """Rows as dictionaries by column name."""
        rows: List[Row] = self["results"]
        return rows

    @property
    def columns(self) -> List[str]:
        """Unique column names, also if there are no rows."""
        names: List[str] = self["columns"]
        return names

    @property
    def column_types(self) -> List[str]:
        """PostgreSQL type names, in column order."""
        types: List[str] = self["column_types"]
        return types

    @property
    def row_count(self) -> int:
        return int(self["row_count"])

    @property
    def truncated(self) -> bool:
        """True if there were more rows."""
        return bool(self["truncated"])

    @property
    def duration_ms(self) -> float:
        return float(self["duration_ms"])


class Answer(SqlResult, GeneratedSql):
    """A question with its statement and rows."""


class HistoryItem(Fields):
    """An earlier query."""

    @property
    def id(self) -> str:
        return str(self["id"])

    @property
    def sql(self) -> str:
        return str(self["sql"])

    @property
    def question(self) -> Optional[str]:
        """None for ``run_sql``."""
        text: Optional[str] = self["question"]
        return text

    @property
    def target(self) -> str:
        """``indexer`` or ``evm``."""
        return str(self["target"])

    @property
    def row_count(self) -> Optional[int]:
        """None if nothing was run."""
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
