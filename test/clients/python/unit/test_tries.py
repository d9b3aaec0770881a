"""Tries and errors: what is tried again, how long it waits, and what is raised at the end."""

import socket
import unittest
from unittest import mock

from ccscale import Demand, FunctionKey, LoginFailed, NotFound, Refused, Retry, Service, Unavailable, Unreachable
from served import Served


class TriesTest(Served):
    def service(self, **retry):
        return Service(self.url, FunctionKey("the-key"), retry=Retry(**retry))

    def test_busy_is_tried_again_after_the_time_that_the_service_says(self):
        busy = (503, {"Retry-After": "3"}, {})
        self.answers = [busy, (429, {"Retry-After": "2"}, {}), (200, {}, {"cluster": "hpc"})]
        self.assertEqual(self.service().call("GET", "clusters"), {"cluster": "hpc"})
        self.assertEqual((len(self.asked), self.waits), (3, [3.0, 2.0]))

    def test_the_same_message_is_sent_again_with_the_same_sequence(self):
        self.answers = [(500, {}, {}), (200, {}, {"cluster": "hpc"})]
        Demand("hpc", "pbs", url=self.url).snapshot()
        first, second = self.asked
        self.assertEqual(first["body"], second["body"])

    def test_waits_grow_and_end(self):
        self.answers = [(503, {}, {})]
        with self.assertRaises(Unavailable):
            self.service(attempts=4, first_wait_seconds=1).call("GET", "clusters")
        self.assertEqual(len(self.asked), 4)
        for wait, longest in zip(self.waits, (1, 2, 4)):
            self.assertTrue(longest / 2 <= wait <= longest, (wait, longest))

    def test_a_wait_beyond_the_time_for_all_tries_is_told_and_not_waited(self):
        self.answers = [self.problem(503, "busy", retryAfterSeconds=600)]
        self.answers[0][1]["Retry-After"] = "600"
        with self.assertRaises(Unavailable) as caught:
            self.service(total_seconds=60).call("GET", "clusters")
        self.assertEqual((self.waits, caught.exception.retry_after_seconds), ([], 600))

    def test_all_waits_together_have_an_end(self):
        self.answers = [(503, {"Retry-After": "25"}, {})]
        with mock.patch("ccscale.transport.time.monotonic", side_effect=lambda: sum(self.waits)):
            with self.assertRaises(Unavailable):
                self.service(attempts=9, total_seconds=60).call("GET", "clusters")
        self.assertEqual(self.waits, [25.0, 25.0])

    def test_a_date_in_retry_after_is_left_to_the_back_off(self):
        self.answers = [(503, {"Retry-After": "Wed, 21 Oct 2026 07:28:00 GMT"}, {}), (200, {}, {"cluster": "hpc"})]
        self.service(first_wait_seconds=1).call("GET", "clusters")
        self.assertLessEqual(self.waits[0], 1)

    def test_wrong_requests_are_sent_once(self):
        for status, kind, expected in (
            (400, "bad-request", Refused),
            (409, "refused", Refused),
            (413, "too-large", Refused),
            (401, "unauthorized", LoginFailed),
            (403, "forbidden", LoginFailed),
            (404, "unknown-cluster", NotFound),
        ):
            with self.subTest(status=status):
                self.asked, self.answers = [], [self.problem(status, kind, detail="look again")]
                with self.assertRaises(expected) as caught:
                    self.service().call("GET", "clusters")
                error = caught.exception
                self.assertEqual((error.status, error.kind, str(error)), (status, kind, "no; look again"))
                self.assertEqual(len(self.asked), 1)

    def test_problems_are_read_into_field_value_and_what_was_wanted(self):
        sentences = ["source: missing, expected text", "jobs.0: expected an object", "something else"]
        self.answers = [self.problem(400, "bad-request", problems=sentences)]
        with self.assertRaises(Refused) as caught:
            self.service().call("POST", "clusters/hpc/demand", body={})
        read = [problem[1:] for problem in caught.exception.problems]
        self.assertEqual(read, [("source", "missing", "text"), ("jobs.0", None, "an object"), (None, None, None)])
        self.assertEqual([problem.text for problem in caught.exception.problems], sentences)

    def test_an_answer_that_is_no_json_is_an_error(self):
        for answer in ((200, {}, b"<html>Sign in</html>"), (302, {"Location": f"{self.url}/login"}, b"")):
            with self.subTest(status=answer[0]):
                self.asked, self.answers = [], [answer]
                with self.assertRaisesRegex(Refused, f"HTTP {answer[0]} without JSON"):
                    self.service().call("GET", "clusters")
                self.assertEqual([asked["path"] for asked in self.asked], ["/api/clusters"])

    def test_nobody_there_is_tried_again_and_named(self):
        with socket.socket() as closed:
            closed.bind(("127.0.0.1", 0))
            url = f"http://127.0.0.1:{closed.getsockname()[1]}"
        with self.assertRaisesRegex(Unreachable, f"Cannot reach {url}: "):
            Service(url, FunctionKey("the-key"), retry=Retry(attempts=3)).call("GET", "clusters")
        self.assertEqual(len(self.waits), 2)


if __name__ == "__main__":
    unittest.main()
