"""The tasks of the cluster. Put your own in its place: the name of the module is what `app` in agent.json says."""

import os
import time

from celery import Celery

address = os.environ["CELERY_BROKER_URL"]
app = Celery("work", broker=address, backend=address)
app.conf.update(
    # A worker that takes more tasks than it runs keeps them from new nodes.
    worker_prefetch_multiplier=1,
    # A task is taken off the queue when it is done, not when it starts: one whose node breaks runs again.
    # Leave this out for tasks that must never run twice; see the README for what holds then.
    task_acks_late=True,
    # Longer than any task: after it, Redis gives a task that was not acknowledged to somebody else.
    broker_transport_options={"visibility_timeout": 12 * 3600},
    result_expires=7 * 24 * 3600,
)


@app.task(name="work.nap")
def nap(seconds):
    """Something that takes a while."""
    time.sleep(seconds)
    return seconds
