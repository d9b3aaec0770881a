"""What the live test has Python do: one step, whose name is the first argument. Prints JSON."""

import json
import sys

from ccscale import Demand, NotFound, Refused

demand = Demand("small-cpu", "python")


def wait_for_nodes():
    # The misspelt job is set aside, and the others count.
    jobs = [{"name": "two", "constraints": {"ncpus": 4}, "node_count": 2}, {"name": "odd", "constraints": {"ncpus": -1}}]
    posted = demand.snapshot(jobs, ttl_seconds=600)
    return {"sequence": demand.sequence, "warnings": posted.warnings, "aside": posted.answer["setAside"]["count"]}


def one_less(sequence):
    changed = Demand("small-cpu", "python", sequence=int(sequence))
    changed.delta([{"name": "one", "constraints": {"ncpus": 8}}], remove=["two", "odd"])
    return {"sequence": changed.sequence}


def look():
    return {
        "sequence": {each["source"]: each["sequence"] for each in demand.status()["demand"]},
        "jobs": demand.plan()["jobs"],
    }


def explain(job):
    return demand.explain(job)["job"]


def targets():
    posted = demand.targets([{"Name": "memory", "TargetCoreCount": 8}, {"Name": "none", "TargetCount": 1}], dry_run=True)
    return {"asked": [each["asked"] for each in posted.answer["targets"]], "warnings": posted.warnings}


def wrong():
    said = []
    for cluster, source in (("nowhere", "python"), ("small-cpu", "NOT A SOURCE")):
        try:
            Demand(cluster, source).snapshot()
        except (NotFound, Refused) as error:
            said.append([type(error).__name__, error.kind, error.problems[0].field])
    return said


print(json.dumps(globals()[sys.argv[1]](*sys.argv[2:])))
