"""The client against a running service, whose address is in FLOWFARM_URL and whose token, if any, in FLOWFARM_TOKEN."""

from __future__ import annotations

import os
import unittest

from flowfarm_client import AuthenticationError, Client, InvalidRequestError, ModelError, StatementError

URL = os.environ.get("FLOWFARM_URL")
TOKEN = os.environ.get("FLOWFARM_TOKEN")
#: A question that the model of that service can answer; without it there is no model.
QUESTION = os.environ.get("FLOWFARM_QUESTION")


@unittest.skipIf(URL is None, "FLOWFARM_URL is not set")
class ServiceTest(unittest.TestCase):
    def setUp(self) -> None:
        self.client = Client(str(URL), token=TOKEN)
        self.client.clear_history()

    def test_rows_are_exact(self) -> None:
        result = self.client.run_sql("SELECT 9007199254740993 AS big, 0.1::numeric AS tenth, '\\xAB'::bytea AS bytes, true AS yes, NULL AS nothing")
        self.assertEqual(result.results, [{"big": "9007199254740993", "tenth": "0.1", "bytes": "0xab", "yes": True, "nothing": None}])
        self.assertEqual(result.columns, ["big", "tenth", "bytes", "yes", "nothing"])

    def test_cut_rows_are_told_and_columns_are_there_without_rows(self) -> None:
        cut = self.client.run_sql("SELECT n FROM generate_series(1, 5) AS n", max_rows=2)
        self.assertEqual((cut.row_count, cut.truncated), (2, True))
        empty = self.client.run_sql("SELECT height FROM raw.blocks WHERE height < 0")
        self.assertEqual((empty.results, empty.columns, empty.truncated), ([], ["height"], False))

    def test_refused_and_wrong_statements(self) -> None:
        for sql in ("DELETE FROM raw.blocks", "SELECT pg_sleep(1)", "SELEC 1"):
            with self.assertRaises(StatementError, msg=sql) as caught:
                self.client.run_sql(sql)
            self.assertEqual(caught.exception.status, 400)
        with self.assertRaises(StatementError) as caught:
            self.client.run_sql("SELECT heigth FROM raw.blocks")
        self.assertEqual(caught.exception.sql, "SELECT heigth FROM raw.blocks")

    def test_history_has_what_was_run(self) -> None:
        self.client.run_sql("SELECT 1 AS one")
        (item,) = self.client.history()
        self.assertEqual((item.sql, item.row_count, item.error), ("SELECT 1 AS one", 1, None))
        self.assertEqual(self.client.history_item(item.id), item)
        self.client.clear_history()
        self.assertEqual(self.client.history(), [])
        with self.assertRaises(InvalidRequestError):
            self.client.history_item(item.id)

    def test_a_question_is_answered_or_it_is_said_what_to_set(self) -> None:
        if QUESTION is None:
            with self.assertRaises(ModelError) as caught:
                self.client.ask("How many blocks are there?")
            self.assertIn("LLM_API_KEY", caught.exception.detail)
            return
        answer = self.client.ask(QUESTION)
        self.assertEqual(self.client.run_sql(answer.sql).results, answer.results)
        self.assertTrue(self.client.generate_sql(QUESTION).sql)

    def test_a_wrong_token_is_refused(self) -> None:
        if TOKEN is None:
            self.skipTest("the service asks for no token")
        with self.assertRaises(AuthenticationError):
            Client(str(URL), token="wrong").run_sql("SELECT 1")


if __name__ == "__main__":
    unittest.main()
