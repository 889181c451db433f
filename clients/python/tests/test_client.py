"""Tests the client against a local server with scripted responses."""

from __future__ import annotations

import json
import pickle
import threading
import time
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, Dict, List, Optional, Tuple

from flowfarm_client import (
    AuthenticationError,
    BusyError,
    Client,
    ConnectionFailedError,
    FlowfarmError,
    InvalidRequestError,
    ModelError,
    ServerError,
    StatementError,
    TimedOutError,
)

ANSWER = {
    "target": "indexer", "question": "How high?", "sql": "SELECT max(height) FROM raw.blocks", "columns": ["max"],
    "column_types": ["int8"], "results": [{"max": "9007199254740993"}], "rows": [{"max": "9007199254740993"}], "row_count": 1,
    "truncated": False, "error": None, "error_code": None, "attempts": [], "model": "openai/test", "duration_ms": 2.5,
}

Reply = Tuple[int, Dict[str, str], bytes]


class QuietServer(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that did not wait for its answer has hung up: that is what is tried."""


class Server:
    """Keeps what it is asked, and answers with ``reply``."""

    def __init__(self, reply: Callable[[], Reply]) -> None:
        self.asked: List[Tuple[str, str, Dict[str, str], Any]] = []
        asked = self.asked

        class Handler(BaseHTTPRequestHandler):
            def answer(self) -> None:
                length = int(self.headers.get("Content-Length", 0))
                body = json.loads(self.rfile.read(length)) if length > 0 else None
                asked.append((self.command, self.path, dict(self.headers), body))
                status, headers, content = reply()
                self.send_response(status)
                for name, value in {"Content-Length": str(len(content)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST = do_DELETE = answer

            def log_message(self, format: str, *args: Any) -> None:
                """Tests say what goes wrong themselves."""

        self.server = QuietServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def stop(self) -> None:
        self.server.shutdown()
        self.server.server_close()


class ClientTest(unittest.TestCase):
    def serve(self, content: Any, status: int = 200, headers: Optional[Dict[str, str]] = None) -> Server:
        body = content if isinstance(content, bytes) else json.dumps(content).encode()
        return self.serve_with(lambda: (status, headers or {}, body))

    def serve_with(self, reply: Callable[[], Reply]) -> Server:
        server = Server(reply)
        self.addCleanup(server.stop)
        return server

    def test_ask_gives_sql_and_results_by_attribute_and_by_key(self) -> None:
        server = self.serve(ANSWER)
        answer = Client(server.url).ask("How high? 多高?")
        self.assertEqual((answer.sql, answer["sql"]), (ANSWER["sql"], ANSWER["sql"]))
        self.assertEqual((answer.results, answer["results"]), (ANSWER["results"], ANSWER["results"]))
        self.assertEqual((answer.columns, answer.row_count, answer.truncated, answer.duration_ms), (["max"], 1, False, 2.5))
        self.assertEqual(json.loads(json.dumps(answer)), ANSWER)
        method, path, headers, body = server.asked[0]
        self.assertEqual((method, path, body), ("POST", "/api/v1/ask", {"question": "How high? 多高?"}))
        self.assertNotIn("Authorization", headers)

    def test_every_call_goes_to_its_path_with_the_token(self) -> None:
        server = self.serve(ANSWER)
        client = Client(f"{server.url}/", token="secret")
        client.generate_sql("How high?", target="evm")
        client.run_sql("SELECT 1", max_rows=5)
        self.assertEqual([(method, path, body) for method, path, _, body in server.asked], [
            ("POST", "/api/v1/generate_sql", {"question": "How high?", "target": "evm"}),
            ("POST", "/api/v1/run_sql", {"sql": "SELECT 1", "max_rows": 5}),
        ])
        self.assertEqual({headers["Authorization"] for _, _, headers, _ in server.asked}, {"Bearer secret"})

    def test_history_is_a_list_with_a_page(self) -> None:
        item = {"id": "ab", "target": "evm", "question": None, "sql": "SELECT 1", "row_count": 1, "error": None, "timestamp": "2026-01-01T00:00:00Z"}
        server = self.serve([item])
        (found,) = Client(server.url).history(limit=10, offset=5, target="evm")
        self.assertEqual((found.id, found.question, found.row_count), ("ab", None, 1))
        self.assertEqual(server.asked[0][:2], ("GET", "/api/v1/history?limit=10&offset=5&target=evm"))

    def test_a_failed_statement_is_an_exception_with_the_statement(self) -> None:
        failed = {**ANSWER, "results": [], "error": "no such column", "error_code": "sql-failed", "sql_state": "42703", "error_position": 8, "error_hint": "height"}
        with self.assertRaises(StatementError) as caught:
            Client(self.serve(failed).url).ask("How high?")
        error = caught.exception
        self.assertEqual((error.sql, error.code, error.sql_state, error.position, error.hint), (ANSWER["sql"], "sql-failed", "42703", 8, "height"))
        self.assertEqual(error.answer, failed)

    def test_errors_are_pickled_whole(self) -> None:
        failed = {**ANSWER, "results": [], "error": "no such column", "error_code": "sql-failed", "sql_state": "42703"}
        with self.assertRaises(StatementError) as caught:
            Client(self.serve(failed).url).run_sql("SELECT 1")
        again = pickle.loads(pickle.dumps(caught.exception))
        self.assertIs(type(again), StatementError)
        self.assertEqual((str(again), again.sql, again.sql_state), (str(caught.exception), ANSWER["sql"], "42703"))

    def test_errors_have_types_by_what_can_be_done(self) -> None:
        cases = [
            (400, "sql-keyword", StatementError), (504, "sql-timeout", StatementError), (400, "invalid-field", InvalidRequestError),
            (404, "no-target", InvalidRequestError), (401, "bad-token", AuthenticationError), (503, "sql-busy", BusyError),
            (429, "too-many-requests", BusyError), (503, "no-model", ModelError), (502, "model-failed", ModelError), (500, "internal-error", ServerError), (503, "sql-unavailable", ServerError),
        ]
        for status, code, expected in cases:
            with self.subTest(code=code):
                problem = {"status": status, "code": code, "detail": "what and why", "field": "sql", "request_id": "r1"}
                server = self.serve(problem, status, {"Retry-After": "7", "Content-Type": "application/problem+json"})
                with self.assertRaises(FlowfarmError) as caught:
                    Client(server.url).run_sql("DROP TABLE x")
                error = caught.exception
                self.assertIs(type(error), expected)
                self.assertEqual((error.status, error.code, error.detail, error.field, error.request_id, error.retry_after), (status, code, "what and why", "sql", "r1", 7.0))
                if isinstance(error, StatementError):
                    self.assertEqual(error.sql, "DROP TABLE x")

    def test_a_proxy_that_answers_with_a_page_is_a_server_error(self) -> None:
        for status in (200, 502):
            with self.assertRaises(ServerError) as caught:
                Client(self.serve(b"<html>bad gateway</html>", status).url).run_sql("SELECT 1")
            self.assertIn("bad gateway", str(caught.exception))

    def test_an_answer_nested_without_end_is_a_server_error(self) -> None:
        with self.assertRaises(ServerError):
            Client(self.serve(b"[" * 200_000).url).run_sql("SELECT 1")

    def test_a_connection_that_breaks_within_the_answer(self) -> None:
        server = self.serve(b'{"sql":', 200, {"Content-Length": "1000"})
        with self.assertRaises(FlowfarmError) as caught:
            Client(server.url, timeout=0.2).run_sql("SELECT 1")
        self.assertIn(type(caught.exception), (ConnectionFailedError, TimedOutError))

    def test_a_redirect_is_not_followed_with_the_token(self) -> None:
        elsewhere = self.serve(ANSWER)
        server = self.serve(b"", 302, {"Location": elsewhere.url})
        with self.assertRaises(ServerError):
            Client(server.url, token="secret").history()
        self.assertEqual(elsewhere.asked, [])

    def test_an_unreachable_service_and_a_slow_one(self) -> None:
        with self.assertRaises(ConnectionFailedError):
            Client("http://127.0.0.1:1").history()
        release = threading.Event()
        self.addCleanup(release.set)

        def wait() -> Reply:
            release.wait()
            return 200, {}, b"[]"

        began = time.monotonic()
        with self.assertRaises(TimedOutError):
            Client(self.serve_with(wait).url, timeout=0.05).history()
        self.assertLess(time.monotonic() - began, 30)

    def test_what_cannot_work_is_refused_at_once(self) -> None:
        for base_url in ("localhost:8084", "ftp://x", "", "http://", "http://a:b@localhost", "http://localhost?x=1", "http://localhost:0", "http://localhost:99999"):
            with self.assertRaises(ValueError):
                Client(base_url)
        for token in ("", "a b", "a\r\nX: y", "é"):
            with self.assertRaises(ValueError):
                Client("http://localhost", token=token)


if __name__ == "__main__":
    unittest.main()
