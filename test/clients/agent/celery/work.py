"""The application of the live test: tasks that sleep, and write down when they began and ended."""

import json
import os
import time

from celery import Celery, current_task

journal = os.environ["WORK_JOURNAL"]
host = os.environ.get("WORK_HOST", "")

app = Celery("work", broker=os.environ["CELERY_BROKER_URL"])
app.conf.update(
    worker_prefetch_multiplier=1,
    task_ignore_result=True,
    broker_connection_max_retries=None,
    worker_send_task_events=False,
)


def note(what):
    line = json.dumps({"what": what, "task": current_task.request.id, "host": host, "at": time.time()})
    # One write of one short line: the lines of several workers do not mix.
    with open(journal, "a", encoding="utf-8") as file:
        file.write(line + "\n")


@app.task(name="work.nap")
def nap(seconds):
    note("began")
    time.sleep(seconds)
    note("ended")
