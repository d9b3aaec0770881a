"""What the live test has Python do: one step, whose name is the first argument. Prints JSON."""

import json
import sys

from ccscale import Cluster, Demand, NotFound, Refused

demand = Demand("small-cpu", "python")
cluster = Cluster("small-cpu")


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


def whose():
    whose = {"user": "ada", "account": "geo", "queue": "long", "job_name": "relax"}
    demand.snapshot([{"name": "hers", "constraints": {"ncpus": 4}, **whose}, {"name": "nobodys", "constraints": {"ncpus": 4}}])
    demand.wait()


def jobs():
    return {job["job"]: [job["user"], job["account"], job["queue"], job["jobName"]] for job in cluster.jobs(source="python")}


def pause_and_resume():
    cluster.actions("pause", "tests", by="ann")
    cluster.actions("resume", "tests", by="ann")
    return [[each["kind"], each["by"]] for each in cluster.events(kind=("pause", "resume"))]


def change_config():
    before = cluster.config()
    changed = cluster.put_config({**before["config"], "idle_timeout": 1800}, "tests", etag=before["etag"], by="ann")
    try:
        cluster.put_config(before["config"], "tests", etag=before["etag"])
    except Refused as error:
        stale = error.status
    newest = cluster.config_versions(limit=1)["versions"][0]
    return {"outcome": changed["outcome"], "stale": stale, "by": newest["by"], "reason": newest["reason"]}


def wrong():
    said = []
    for cluster, source in (("nowhere", "python"), ("small-cpu", "NOT A SOURCE")):
        try:
            Demand(cluster, source).snapshot()
        except (NotFound, Refused) as error:
            said.append([type(error).__name__, error.kind, error.problems[0].field])
    return said


print(json.dumps(globals()[sys.argv[1]](*sys.argv[2:])))
