#!/usr/bin/env python3
"""One pass of an autoscaler for Celery, for cron: reads tasks and workers, posts them, and prints what the plan makes of them.

The service does the rest: it starts nodes, and deletes them when they have been idle for `idle_timeout`. CCSCALE_URL,
CCSCALE_KEY and CCSCALE_CLUSTER say where the service is and which cluster this is.
"""

import json
import sys

from kombu.exceptions import OperationalError

from ccscale import CcscaleError, Demand, InvalidValue, read_settings

from tasks import app

SOURCE = "celery"
QUEUE = "celery"
#: What one task needs. Any constraint of the service may stand here, such as {"ncpus": 2, "memgb": 8}.
CONSTRAINTS = {"ncpus": 1}
#: Cores that are kept for the tasks to come: WARM_BUFFER more than there are tasks, and MIN_CORE_COUNT in all.
MIN_CORE_COUNT = 4
WARM_BUFFER = 2
COLUMNS = ("name", "hostname", "job_ids", "required", "slots", "vm_size", "vcpu_count", "state")


def read_tasks():
    """Every task and the host that it runs on; None: it waits. Raises when the broker cannot be read."""
    tasks = {}
    with app.connection_for_read() as connection:
        redis = connection.default_channel.client
        # In one transaction, and before the workers: a task that moves meanwhile is seen twice, and never missed.
        waiting, taken = redis.pipeline().lrange(QUEUE, 0, -1).hvals("unacked").execute()
    for message in [json.loads(text) for text in waiting] + [json.loads(text)[0] for text in taken]:
        tasks[message["headers"]["id"]] = None
    # No answer means no worker, or none that answers: what it had taken still counts above, as tasks that wait.
    for worker, running in (app.control.inspect(timeout=2).active() or {}).items():
        for task in running:
            tasks[task["id"]] = worker.partition("@")[2]
    return tasks


def read_workers():
    return sorted(worker.partition("@")[2] for worker in app.control.inspect(timeout=2).ping() or {})


def jobs_of(tasks):
    # The buffer waits for tasks to come: beside its idle nodes it is no job that Celery would not start.
    pad = {"constraints": CONSTRAINTS, "behind_others": True}
    jobs = [{"name": f"pad-{number}", **pad} for number in range(padding(len(tasks)))]
    for task, host in tasks.items():
        running = {} if host is None else {"executing_hostnames": [host]}
        jobs.append({"name": task, "constraints": CONSTRAINTS, **running})
    return jobs


def padding(tasks):
    return max(tasks + WARM_BUFFER, MIN_CORE_COUNT) - tasks


def print_demand(nodes):
    """The nodes of a plan: those that there are, and those that it would start."""
    rows = [[column.upper() for column in COLUMNS]]
    for node in nodes:
        jobs = ",".join(each["job"] for each in node["jobs"])
        slots = node["resources"].get("slots", "")
        row = [node["name"], node["hostname"], jobs, bool(jobs), slots, node["vmSize"], node["vcpuCount"], node["state"]]
        rows.append(["" if cell is None else str(cell) for cell in row])
    widths = [max(len(row[column]) for row in rows) for column in range(len(COLUMNS))]
    for row in rows:
        print(" ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())


def main():
    cluster = read_settings().get("cluster")
    if not cluster:
        raise InvalidValue("CCSCALE_CLUSTER", "not set", "the name of the cluster")
    demand = Demand(cluster, SOURCE)
    demand.snapshot(jobs_of(read_tasks()), [{"hostname": host} for host in read_workers()])
    if not demand.wait():
        print("The service has not read it yet: the plan is of what was posted before", file=sys.stderr)
    print_demand(demand.plan()["nodes"])


if __name__ == "__main__":
    try:
        main()
    # A broker that does not answer must not become "no tasks": nothing is posted, and the last demand counts on.
    except (CcscaleError, OperationalError, *app.connection_for_read().connection_errors) as error:
        sys.exit(f"Nothing was posted: {error}")
