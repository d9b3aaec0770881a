"""Calls of Cluster: what is asked, and lists of several pages."""

import unittest
from datetime import datetime, timedelta, timezone
from unittest import mock

from ccscale import Cluster, InvalidValue, Refused, Service
from served import Served


class ClusterTest(Served):
    def cluster(self):
        return Cluster("hpc/1", url=f"{self.url}/api/", key="the-key")

    def only(self):
        [asked] = self.asked
        return asked["method"], asked["path"].removeprefix("/api/clusters/hpc%2F1/"), asked["query"], asked["body"]

    def test_events_of_a_time_about_a_node(self):
        event = {"id": "e1", "kind": "drain", "text": "No new jobs there: disks."}
        self.answers = [(200, {}, {"events": [event], "next": None})]
        since = datetime(2026, 11, 23, 5, tzinfo=timezone(timedelta(hours=1)))
        self.assertEqual(list(self.cluster().events(since, kind=("drain", "undrain"), node="htc-1")), [event])
        expected = {"from": "1795406400.0", "kind": "drain,undrain", "node": "htc-1", "limit": "1000"}
        self.assertEqual(self.only(), ("GET", "events", expected, None))

    def test_lists_give_all_pages_and_ask_for_no_page_before_it_is_needed(self):
        pages = [{"jobs": [{"job": "1"}, {"job": "2"}], "next": "c1"}, {"jobs": [{"job": "3"}], "next": None}]
        self.answers = [(200, {}, page) for page in pages]
        jobs = self.cluster().jobs(state="waiting", node_array=["htc", "hpc-*"])
        self.assertEqual(self.asked, [])
        self.assertEqual([next(jobs)["job"], len(self.asked)], ["1", 1])
        self.assertEqual([job["job"] for job in jobs], ["2", "3"])
        first, second = (asked["query"] for asked in self.asked)
        self.assertEqual(first, {"state": "waiting", "nodeArray": "htc,hpc-*", "limit": "1000"})
        self.assertEqual(second, {**first, "cursor": "c1"})

    def test_jobs_have_their_user_account_and_queue(self):
        job = {"job": "1201", "user": "ada", "account": "geo", "queue": "long"}
        self.answers = [(200, {}, {"jobs": [job, {**job, "user": None}], "next": None})]
        said = [(each["user"], each["account"], each["queue"]) for each in self.cluster().jobs()]
        self.assertEqual(said, [("ada", "geo", "long"), (None, "geo", "long")])

    def test_versions_of_the_configuration(self):
        self.answers = [(200, {}, {"versions": [{"version": 2}], "config": {"read_only": True}})]
        self.assertEqual(self.cluster().config_versions(limit=5, version=2)["config"], {"read_only": True})
        self.assertEqual(self.only(), ("GET", "config/versions", {"limit": "5", "version": "2"}, None))

    def test_a_configuration_replaces_only_what_its_writer_has_seen(self):
        for etag, header, value in (('"0x1"', "If-Match", '"0x1"'), (None, "If-None-Match", "*")):
            with self.subTest(etag=etag):
                self.asked = []
                self.cluster().put_config({"url": "x"}, "new image", etag=etag, by="ann", dry_run=True)
                body = {"config": {"url": "x"}, "reason": "new image", "by": "ann", "dryRun": True}
                self.assertEqual(self.only(), ("PUT", "config", {}, body))
                self.assertEqual(self.asked[0]["headers"][header], value)

    def test_who_asks_is_the_login_name_and_a_user_without_a_name_can_ask_too(self):
        for raised, name in ((None, "ada"), (KeyError("uid"), "python"), (OSError("no user name"), "python")):
            with self.subTest(raised=raised), mock.patch("getpass.getuser", side_effect=raised, return_value="ada"):
                self.asked = []
                self.cluster().actions("pause", "quota talks")
                self.assertEqual(self.asked[0]["body"]["by"], name)

    def test_an_action_is_asked_for_once_however_often_it_is_sent(self):
        self.answers = [(503, {}, {}), (200, {}, {"outcome": "requested"})]
        self.cluster().actions("drain", "disks", names=["htc-1"], by="ann", untilSeconds=1795406400)
        first, second = self.asked
        body = {"kind": "drain", "reason": "disks", "by": "ann", "dryRun": False, "untilSeconds": 1795406400}
        self.assertEqual(first["body"], {**body, "nodes": {"names": ["htc-1"]}})
        self.assertEqual(first["body"], second["body"])
        keys = {asked["headers"]["Idempotency-Key"] for asked in self.asked}
        self.assertRegex(keys.pop(), r"^[0-9a-f-]{36}$")
        self.assertEqual(keys, set())
        self.asked, self.answers = [], [(200, {}, {"outcome": "requested"})]
        self.cluster().actions("pause", "quota", key="mine")
        self.assertEqual(self.asked[0]["headers"]["Idempotency-Key"], "mine")

    def test_who_asks_is_the_user_of_the_program_unless_it_is_said(self):
        with mock.patch("ccscale.cluster.getpass.getuser", return_value="svc-sim"):
            self.cluster().replay_reject("r1")
        self.assertEqual(self.only(), ("POST", "rejects/r1/replay", {}, {"by": "svc-sim", "dryRun": False}))

    def test_times_of_usage_are_texts_in_a_zone(self):
        self.answers = [(200, {}, {"intervals": []})]
        utc = timezone.utc
        self.cluster().usage(datetime(2026, 11, 1, tzinfo=utc), datetime(2026, 11, 3, tzinfo=utc), granularity="daily")
        query = self.asked[0]["query"]
        self.assertEqual(datetime.fromisoformat(query["from"]), datetime(2026, 11, 1, tzinfo=utc))
        self.assertEqual((query["timeframe"], query["granularity"]), ("custom", "daily"))

    def test_times_of_usage_may_be_unix_seconds_as_everywhere(self):
        self.answers = [(200, {}, {"intervals": []})]
        self.cluster().usage(1_793_491_200, 1_793_664_000.5)
        query = self.asked[0]["query"]
        moments = [datetime.fromisoformat(query[name]).timestamp() for name in ("from", "to")]
        self.assertEqual(moments, [1_793_491_200, 1_793_664_000.5])
        self.assertEqual(query["timeframe"], "custom")

    def test_a_selection_that_is_none_is_refused_here(self):
        with self.assertRaisesRegex(InvalidValue, "nodearray: 'htc', expected one of name, hostname"):
            self.cluster().nodes(nodearray="htc")
        with self.assertRaisesRegex(InvalidValue, "cluster: '', expected a name"):
            Cluster("", service=Service(self.url))
        self.assertEqual(self.asked, [])

    def test_a_constraint_is_sent_as_json_and_names_in_paths_are_quoted(self):
        self.answers = [(200, {}, {"buckets": [{"vmSize": "F4"}]})]
        self.assertEqual(self.cluster().buckets(constraint={"ncpus": 4}), [{"vmSize": "F4"}])
        self.assertEqual(self.asked[0]["query"], {"constraint": '{"ncpus": 4}'})
        self.asked = []
        self.cluster().explain("a/b?c", source="pbs")
        self.assertEqual(self.only(), ("GET", "jobs/a%2Fb%3Fc/explain", {"source": "pbs"}, None))

    def test_refusals_are_raised(self):
        self.answers = [self.problem(409, "refused", problems=["nodes: none matches"])]
        with self.assertRaises(Refused) as caught:
            self.cluster().actions("drain", "disks", names=["nope"])
        self.assertEqual([problem.text for problem in caught.exception.problems], ["nodes: none matches"])


if __name__ == "__main__":
    unittest.main()
