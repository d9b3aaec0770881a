#!/usr/bin/env python3
"""Shows, every few seconds, what waits and who works: watch_cluster.py [SECONDS] [TIMES]."""

import sys
import time

from work import app

seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 5.0
times = int(sys.argv[2]) if len(sys.argv) > 2 else None


def waiting():
    """Tasks in the broker that no worker has taken; None when the broker does not tell."""
    with app.connection_for_read() as connection:
        try:
            return connection.default_channel.client.llen("celery")
        except AttributeError:
            return None


def look():
    active = app.control.inspect(timeout=1).active()
    length = waiting()
    shown = "unknown" if length is None else length
    if active is None:
        return f"{time.strftime('%H:%M:%S')}  waiting {shown}, no worker answers"
    running = sum(len(tasks) for tasks in active.values())
    workers = ", ".join(f"{name.split('@', 1)[-1]} {len(tasks)}" for name, tasks in sorted(active.items()))
    return f"{time.strftime('%H:%M:%S')}  waiting {shown}, running {running} on {len(active)} workers: {workers}"


try:
    while times is None or times > 0:
        print(look(), flush=True)
        times = None if times is None else times - 1
        if times != 0:
            time.sleep(seconds)
except KeyboardInterrupt:
    pass
