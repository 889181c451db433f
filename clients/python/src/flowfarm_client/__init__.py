"""Client of the flowfarm query service: query Flow blockchain data in natural language or SQL."""

from .answers import Answer, GeneratedSql, HistoryItem, SqlResult
from .client import Client
from .errors import (
    ApiError,
    AuthenticationError,
    BusyError,
    ConnectionFailedError,
    FlowfarmError,
    InvalidRequestError,
    ModelError,
    ServerError,
    StatementError,
    TimedOutError,
)

__all__ = [
    "Answer",
    "ApiError",
    "AuthenticationError",
    "BusyError",
    "Client",
    "ConnectionFailedError",
    "FlowfarmError",
    "GeneratedSql",
    "HistoryItem",
    "InvalidRequestError",
    "ModelError",
    "ServerError",
    "SqlResult",
    "StatementError",
    "TimedOutError",
]
