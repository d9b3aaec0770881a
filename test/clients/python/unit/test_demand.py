"""Messages, answers and warnings of Demand."""

import unittest
from unittest import mock

from ccscale import Demand, InvalidValue
from served import Served

SET_ASIDE = {"kind": "job", "index": 1, "name": "2", "problems": ["constraints.ncpus: -1, expected more than 0"]}


class DemandTest(Served):
    def demand(self, **options):
        return Demand("hpc/1", "pbs", url=f"{self.url}/api/", key="the-key", **options)

    def test_a_snapshot_is_everything_that_the_source_wants(self):
        jobs = [{"name": "1", "constraints": {"ncpus": 4}, "node_count": 2}]
        posted = self.demand().snapshot(iter(jobs), [{"hostname": "a"}], ttl_seconds=60, capabilities=["drain"])
        [asked] = self.asked
        self.assertEqual((asked["method"], asked["path"]), ("POST", "/api/clusters/hpc%2F1/demand"))
        self.assertEqual(asked["headers"]["x-functions-key"], "the-key")
        expected = {"version": 1, "kind": "snapshot", "source": "pbs", "jobs": jobs, "nodes": [{"hostname": "a"}]}
        self.assertEqual({**asked["body"], **expected}, asked["body"])
        self.assertEqual((asked["body"]["ttlSeconds"], asked["body"]["capabilities"]), (60, ["drain"]))
        self.assertRegex(asked["body"]["sentAt"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$")
        self.assertNotIn("nodeShapes", asked["body"])
        self.assertEqual(posted.warnings, ())

    def test_a_snapshot_says_what_nodes_that_come_will_offer(self):
        shapes = [{"nodeArray": "htc", "resources": {"ncpus": 2, "memmb": 15000}}]
        self.demand().snapshot(node_shapes=iter(shapes))
        self.assertEqual(self.asked[0]["body"]["nodeShapes"], shapes)

    def test_sequences_grow_even_when_the_clock_does_not(self):
        demand = self.demand()
        with mock.patch("ccscale.demand.time.time", return_value=1000.0):
            demand.snapshot()
            demand.snapshot()
            demand.delta(remove=["1"])
        self.assertEqual([asked["body"]["sequence"] for asked in self.asked], [1_000_000, 1_000_001, 1_000_002])
        self.assertEqual(self.asked[2]["body"]["remove"], ["1"])

    def test_a_delta_needs_the_message_before_it(self):
        with self.assertRaises(InvalidValue) as caught:
            self.demand().delta()
        self.assertEqual(caught.exception.field, "sequence")
        self.demand(sequence=7).delta()
        self.assertEqual(self.asked[0]["body"]["sequence"], 8)

    def test_a_dry_run_and_a_refused_message_leave_the_sequence_as_it_was(self):
        demand = self.demand(sequence=7)
        demand.delta(dry_run=True)
        self.assertEqual(self.asked[0]["query"], {"dry_run": "true"})
        self.answers = [self.problem(400, "bad-request")]
        with self.assertRaises(Exception):
            demand.delta()
        self.assertEqual(demand.sequence, 7)

    def test_what_is_set_aside_is_a_warning_in_the_answer_and_in_the_log(self):
        aside = {"count": 3, "items": [SET_ASIDE, {**SET_ASIDE, "name": None}]}
        self.answers = [(202, {}, {"cluster": "hpc", "setAside": aside, "warnings": ["no array x"]})]
        with self.assertLogs("ccscale", "WARNING") as logged:
            posted = self.demand().snapshot()
        expected = (
            "no array x",
            "job '2' was set aside: constraints.ncpus: -1, expected more than 0",
            "job number 1 was set aside: constraints.ncpus: -1, expected more than 0",
            "1 more were set aside",
        )
        self.assertEqual(posted.warnings, expected)
        self.assertEqual([record.getMessage() for record in logged.records], list(expected))

    def test_wait_ends_when_the_status_has_the_sequence_and_after_its_time(self):
        demand = self.demand(sequence=7)
        seen = [[], [{"source": "slurm", "sequence": 9}, {"source": "pbs", "sequence": 6}], [{"source": "pbs", "sequence": 7}]]
        self.answers = [(200, {}, {"demand": sources}) for sources in seen]
        self.assertTrue(demand.wait())
        self.assertEqual(len(self.asked), 3)
        self.answers = [(200, {}, {"demand": seen[1]})]
        with mock.patch("ccscale.demand.time.monotonic", side_effect=[0, 10, 31]):
            self.assertFalse(demand.wait(30))

    def test_targets_are_sent_with_their_set_and_their_time(self):
        array = {"Name": "execute", "TargetCoreCount": 128}
        self.demand().targets([array], request_set="nightly", expiration_interval=600)
        self.demand().targets([array])
        full, plain = self.asked
        self.assertEqual((full["path"], full["body"]), ("/api/clusters/hpc%2F1/autoscale", [array]))
        expected = {"request_set": "nightly", "expiration_interval": "600", "dry_run": "false", "by": "pbs"}
        self.assertEqual(full["query"], expected)
        self.assertEqual(plain["query"], {"dry_run": "false", "by": "pbs"})

    def test_names_are_quoted_in_addresses(self):
        self.demand().explain("a/b ?")
        self.assertEqual(self.asked[0]["path"], "/api/clusters/hpc%2F1/jobs/a%2Fb%20%3F/explain")

    def test_values_that_cannot_be_used_name_field_value_and_what_was_wanted(self):
        not_json = "Object of type set is not JSON serializable"
        for make, field, value in (
            (lambda: Demand("", "pbs", url=self.url), "cluster", "''"),
            (lambda: Demand("hpc", None, url=self.url), "source", "None"),
            (lambda: Demand("hpc", "pbs", url="ftp://x"), "url", "'ftp://x'"),
            (lambda: Demand("hpc", "pbs", url="http://example.com"), "url", "'http://example.com'"),
            (lambda: self.demand().snapshot([{"name": {1}}]), "body", not_json),
            (lambda: self.demand().snapshot([{"name": float("nan")}]), "body", None),
        ):
            with self.subTest(field=field, value=value), self.assertRaises(InvalidValue) as caught:
                make()
            error = caught.exception
            self.assertEqual(error.field, field)
            self.assertEqual(error.value, value or error.value)
            self.assertEqual(str(error), f"{error.field}: {error.value}, expected {error.wanted}")
        self.assertEqual(self.asked, [])


if __name__ == "__main__":
    unittest.main()
