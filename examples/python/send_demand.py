#!/usr/bin/env python3
"""Posts what a scheduler's list says, once: my-queue --list | send_demand.py CLUSTER SOURCE

Each line of the list is a job: ID CPUS STATE [HOST], where STATE is Q (waits) or R (runs on HOST).
CCSCALE_URL and CCSCALE_KEY say where the service is and how to log in.
"""

import sys

from ccscale import CcscaleError, Demand


def job_of(line):
    name, cpus, state, *hosts = line.split()
    job = {"name": name, "constraints": {"ncpus": int(cpus)}}
    return {**job, "executing_hostnames": hosts} if state == "R" else job


if len(sys.argv) != 3:
    sys.exit(__doc__)
# A list that cannot be read must not become "no jobs": then nothing is posted, and the last demand counts on.
jobs = [job_of(line) for line in sys.stdin if line.strip()]
try:
    posted = Demand(sys.argv[1], sys.argv[2]).snapshot(jobs)
except CcscaleError as error:
    sys.exit(f"Not posted: {error}")
print(posted.answer["summary"], *posted.warnings, sep="\n")
