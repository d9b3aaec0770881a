"""The application: `celery -A tasks worker` runs its tasks."""

import os
import time

from celery import Celery

address = os.environ.get("CELERY_BROKER_URL", "redis://127.0.0.1:6379/0")
app = Celery("tasks", broker=address, backend=address)
app.conf.update(
    # A worker that takes more tasks than it runs keeps them from new nodes.
    worker_prefetch_multiplier=1,
    # A task is taken off the broker when it is done: one whose node breaks runs again.
    task_acks_late=True,
)


@app.task(name="tasks.wait")
def wait(seconds):
    """Something that takes a while."""
    time.sleep(seconds)
    return seconds
