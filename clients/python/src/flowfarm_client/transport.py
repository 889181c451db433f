"""JSON over HTTP with the standard library."""

from __future__ import annotations

import json
import socket
from email.message import Message
from http.client import HTTPException
from typing import Any, Mapping, Optional, Tuple
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from .errors import ConnectionFailedError, TimedOutError


class _NoRedirects(HTTPRedirectHandler):
    """The standard handler would send the token to the redirect target."""

    def redirect_request(self, *_: Any) -> None:
        return None


class Transport:
    """Calls a service by its base URL. Thread-safe: it has no state between calls."""

    def __init__(self, base_url: str, token: Optional[str], timeout: float, user_agent: str) -> None:
        parts = urlsplit(base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username is not None or parts.query or parts.fragment:
            raise ValueError(f"base_url must be like http://localhost:8084, not {base_url!r}")
        if parts.port == 0:
            raise ValueError(f"base_url has no port to connect to: {base_url!r}")
        if token is not None and not (token.isascii() and token.isprintable() and " " not in token and token != ""):
            raise ValueError("token must be printable ASCII without spaces")
        self._base_url = base_url.rstrip("/")
        self._timeout = timeout
        self._headers = {"Accept": "application/json", "User-Agent": user_agent}
        if token is not None:
            self._headers["Authorization"] = f"Bearer {token}"
        self._opener = build_opener(_NoRedirects)

    def call(
        self, method: str, path: str, body: Optional[Mapping[str, Any]] = None, query: Optional[Mapping[str, Any]] = None
    ) -> Tuple[int, Message, Any]:
        """Status, headers and decoded body, for any status. A body that is not JSON is returned as text.

        Raises ConnectionFailedError and TimedOutError.
        """
        given = {name: value for name, value in (query or {}).items() if value is not None}
        url = f"{self._base_url}{path}" + (f"?{urlencode(given)}" if given else "")
        headers = dict(self._headers)
        data = None
        if body is not None:
            data = json.dumps({name: value for name, value in body.items() if value is not None}).encode()
            headers["Content-Type"] = "application/json"
        try:
            try:
                with self._opener.open(Request(url, data, headers, method=method), timeout=self._timeout) as response:
                    return response.status, response.headers, _decoded(response.read())
            except HTTPError as error:
                with error:
                    return error.code, error.headers, _decoded(error.read())
        except (socket.timeout, TimeoutError) as error:
            raise TimedOutError(f"no response within {self._timeout} s") from error
        except URLError as error:
            if isinstance(error.reason, (socket.timeout, TimeoutError)):
                raise TimedOutError(f"no connection within {self._timeout} s") from error
            raise ConnectionFailedError(f"{self._base_url} is unreachable: {error.reason}") from error
        except (OSError, HTTPException) as error:
            raise ConnectionFailedError(f"the connection to {self._base_url} was lost: {error}") from error


def _decoded(body: bytes) -> Any:
    text = body.decode("utf-8", "replace")
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
