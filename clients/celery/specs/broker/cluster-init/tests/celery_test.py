"""Smoke test of the cluster, for `jetpack test` on the broker: one task, from the queue to a node and back.

Needs a minute with a free worker, and as long as a node takes to boot without one. By hand, as root on the broker:
    set -a; . /etc/ccscale/celery.env; set +a
    PYTHONPATH=/opt/celery python3 celery_test.py -v
"""

import os
import sys
import time
import unittest

settings = "/etc/ccscale/celery.env"
if "CELERY_BROKER_URL" not in os.environ and os.path.exists(settings):
    with open(settings, encoding="utf-8") as lines:
        os.environ.update(line.strip().split("=", 1) for line in lines if "=" in line)
sys.path.append("/opt/celery")

#: How long a new node may take.
PATIENCE_SECONDS = float(os.environ.get("CELERY_TEST_SECONDS", 1800))


class CeleryTest(unittest.TestCase):
    def test_1_the_broker_answers(self):
        from work import app

        with app.connection_for_read() as connection:
            connection.ensure_connection(max_retries=1)

    def test_2_a_task_comes_back_from_a_worker(self):
        from work import app, nap

        waiting = nap.delay(0.1)
        give_up_at = time.monotonic() + PATIENCE_SECONDS
        while not waiting.ready() and time.monotonic() < give_up_at:
            time.sleep(1)
        if not waiting.ready():
            waiting.revoke()
            self.fail(
                f"The task is {waiting.state} after {PATIENCE_SECONDS:.0f} s. Look at `journalctl -u ccscale-agent` here, "
                "and at `ccscale status` and `ccscale explain`"
            )
        self.assertEqual((waiting.state, waiting.result), ("SUCCESS", 0.1))
        self.assertTrue(app.control.inspect(timeout=5).ping(), "a worker answers")


if __name__ == "__main__":
    unittest.main()
