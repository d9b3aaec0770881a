#!/usr/bin/env python3
"""Watches Azure's Scheduled Events on a node, and clears the node before Azure takes it.

Settings come from the environment; README.md lists them. Python's standard library alone.
"""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import urllib.request

METADATA = "http://169.254.169.254/metadata"
EVENTS_URL = METADATA + "/scheduledevents?api-version=2020-07-01"
RESOURCE_URL = METADATA + "/instance/compute/name?api-version=2021-02-01&format=text"

# What is done for each kind of event. "requeue": no new jobs, and those that run start again elsewhere, as far as they may.
USUAL = {
    "Preempt": "requeue",
    "Terminate": "requeue",
    "Redeploy": "requeue",
    "Reboot": "requeue",
    "Freeze": "drain",
}
CHOICES = ("requeue", "drain", "ignore")
# The first answer of a machine's Scheduled Events may take two minutes.
ANSWER_SECONDS = 150
COMMAND_SECONDS = 30


def log(event, **fields):
    print(json.dumps({"event": event, **fields}), flush=True)


def run(*words):
    """What a command printed. Raises CalledProcessError, TimeoutExpired or OSError."""
    done = subprocess.run(
        words,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        universal_newlines=True,
        timeout=COMMAND_SECONDS,
        check=True,
    )
    return done.stdout


def each(commands):
    """Runs all of them; one that is refused, as for a job that must not be requeued, keeps no other from running."""
    for words in commands:
        try:
            run(*words)
        except subprocess.CalledProcessError as error:
            log("command-refused", command=" ".join(words), problem=(error.stderr or "").strip()[:300])


class Slurm:
    def __init__(self, node):
        self.node = node
        self.held = set()

    def drain(self, reason):
        run("scontrol", "update", f"NodeName={self.node}", "State=DRAIN", f"Reason={reason}")

    def undrain(self):
        run("scontrol", "update", f"NodeName={self.node}", "State=UNDRAIN")

    def jobs(self):
        states = "RUNNING,SUSPENDED,COMPLETING,CONFIGURING"
        return run("squeue", "--noheader", f"--nodelist={self.node}", f"--states={states}", "--format=%A").split()

    def requeue(self, jobs):
        each([("scontrol", "requeue", job) for job in jobs])
        self.held.update(jobs)

    def release(self):
        """Slurm holds a job back for two minutes after a requeue, too long to order its next node in time."""
        if not self.held:
            return
        asked = ("squeue", "--noheader", "--states=PENDING", "--format=%A %r", "--jobs=" + ",".join(sorted(self.held)))
        try:
            rows = [row.split() for row in run(*asked).splitlines()]
        except subprocess.CalledProcessError:
            # Slurm knows none of them any more.
            self.held.clear()
            return
        begun = sorted(self.held.intersection(row[0] for row in rows if row[1:] == ["BeginTime"]))
        each([("scontrol", "update", f"JobId={job}", "StartTime=now") for job in begun])
        # A job that still ends on this node gets its time to begin only then.
        self.held -= set(begun)


class Pbs:
    def __init__(self, node):
        self.node = node

    def drain(self, reason):
        run("pbsnodes", "-o", "-C", reason, self.node)

    def undrain(self):
        run("pbsnodes", "-r", "-C", "", self.node)

    def jobs(self):
        found = re.search(r"^\s*jobs = (.*)$", run("pbsnodes", "-v", self.node), re.MULTILINE)
        names = [] if found is None else [part.split("/")[0].strip() for part in found.group(1).split(",")]
        return sorted(set(names))

    def requeue(self, jobs):
        each([("qrerun", job) for job in jobs])

    def release(self):
        pass


class GridEngine:
    def __init__(self, node):
        self.node = node

    def drain(self, reason):
        run("qmod", "-d", f"*@{self.node}")

    def undrain(self):
        run("qmod", "-e", f"*@{self.node}")

    def jobs(self):
        rows = run("qstat", "-u", "*", "-s", "r", "-q", f"*@{self.node}").splitlines()[2:]
        return sorted({row.split()[0] for row in rows if row.strip()})

    def requeue(self, jobs):
        each([("qmod", "-rj", job) for job in jobs])

    def release(self):
        pass


class NoScheduler:
    """Celery and others: the service has them drain the node."""

    def __init__(self, node):
        self.node = node

    def drain(self, reason):
        pass

    def undrain(self):
        pass

    def jobs(self):
        return []

    def requeue(self, jobs):
        pass

    def release(self):
        pass


SCHEDULERS = {"slurm": Slurm, "pbs": Pbs, "gridengine": GridEngine, "none": NoScheduler}


METADATA_HEADERS = {"Metadata": "true"}
# The metadata service must not be asked through a proxy.
DIRECTLY = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def call(url, body=None, headers=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data=data, headers={"Content-Type": "application/json", **(headers or {})})
    opened = DIRECTLY.open if headers is METADATA_HEADERS else urllib.request.urlopen
    with opened(request, timeout=ANSWER_SECONDS) as answer:
        return answer.read().decode()


class Watcher:
    def __init__(self, settings, scheduler, resource):
        self.settings = settings
        self.scheduler = scheduler
        self.resource = resource
        # Ids of events by what is done with them already.
        self.cleared = set()
        self.told = set()
        self.acknowledged = set()
        self.is_drained = False

    def look(self):
        """One look. A refused call or command is logged, and tried again by the next look."""
        try:
            document = json.loads(call(self.settings["EVENTS_URL"], headers=METADATA_HEADERS))
            events = [event for event in document.get("Events", []) if self.concerns(event)]
        except (OSError, ValueError, AttributeError) as error:
            log("events-unknown", problem=str(error))
            return
        for event in events:
            for step in (self.clear, self.tell, self.acknowledge):
                try:
                    step(event)
                except (OSError, ValueError, subprocess.SubprocessError) as error:
                    log("step-failed", step=step.__name__, id=event["EventId"], problem=problem_of(error))
        try:
            self.scheduler.release()
        except (OSError, subprocess.SubprocessError) as error:
            log("step-failed", step="release", problem=problem_of(error))
        if self.is_drained and not any(self.action(event) != "ignore" for event in events):
            self.back()

    def concerns(self, event):
        kind, state = event.get("EventType"), event.get("EventStatus")
        return (
            kind in USUAL
            and state in ("Scheduled", "Started")
            and "EventId" in event
            and self.resource in event.get("Resources", [])
        )

    def action(self, event):
        return self.settings["ON_" + event["EventType"].upper()]

    def clear(self, event):
        action = self.action(event)
        if action == "ignore" or event["EventId"] in self.cleared:
            return
        self.scheduler.drain(reason_of(event))
        self.is_drained = True
        jobs = self.scheduler.jobs() if action == "requeue" else []
        self.scheduler.requeue(jobs)
        self.cleared.add(event["EventId"])
        log("cleared", id=event["EventId"], kind=event["EventType"], action=action, jobs=jobs)

    def tell(self, event):
        """The service drains the node too, and orders what its jobs need now."""
        url = self.settings["SERVICE_URL"]
        # After a pause or a restart the node is there again: its place is not ordered anew.
        stays = event["EventType"] in ("Freeze", "Reboot")
        if url == "" or stays or self.action(event) == "ignore" or event["EventId"] in self.told:
            return
        body = {
            "kind": "drain",
            "nodes": {"names": [self.settings["NODE_NAME"]]},
            "reason": reason_of(event),
            "by": "scheduled-events",
            "force": True,
        }
        call(url, body, {"x-functions-key": self.settings["SERVICE_KEY"]})
        self.told.add(event["EventId"])
        log("told", id=event["EventId"])

    def acknowledge(self, event):
        """Lets Azure begin as soon as no job is in the way. An eviction is left to CycleCloud, which acts on it, too."""
        if (
            self.settings["ACKNOWLEDGE"] != "yes"
            or event["EventType"] == "Preempt"
            or event["EventStatus"] != "Scheduled"
            or event["EventId"] not in self.cleared
            or event["EventId"] in self.acknowledged
            or self.scheduler.jobs()
        ):
            return
        call(self.settings["EVENTS_URL"], {"StartRequests": [{"EventId": event["EventId"]}]}, METADATA_HEADERS)
        self.acknowledged.add(event["EventId"])
        log("acknowledged", id=event["EventId"])

    def back(self):
        """The events are over or were cancelled, and the machine is here."""
        try:
            self.scheduler.undrain()
            self.is_drained = False
            log("back")
        except (OSError, subprocess.SubprocessError) as error:
            log("step-failed", step="back", problem=problem_of(error))


def reason_of(event):
    when = event.get("NotBefore") or "now"
    return f"azure {event['EventType']} {when}".strip()


def problem_of(error):
    return str(getattr(error, "stderr", "") or error).strip()[:300]


def node_name():
    jetpack = shutil.which("jetpack", path=os.environ.get("PATH", "") + ":/opt/cycle/jetpack/bin")
    if jetpack:
        name = run(jetpack, "config", "cyclecloud.node.name", "").strip()
        if name:
            return name
    return socket.gethostname().split(".")[0]


def read_settings(env):
    """The settings; a sentence for each that is wrong."""
    settings = {
        "SCHEDULER": env.get("SCHEDULER", ""),
        "EVENTS_URL": env.get("EVENTS_URL", EVENTS_URL),
        "RESOURCE": env.get("RESOURCE", ""),
        "NODE_NAME": env.get("NODE_NAME", ""),
        "SERVICE_URL": env.get("SERVICE_URL", ""),
        "SERVICE_KEY": env.get("SERVICE_KEY", ""),
        "ACKNOWLEDGE": env.get("ACKNOWLEDGE", "yes"),
        "POLL_SECONDS": env.get("POLL_SECONDS", "1"),
    }
    problems = []
    if settings["SCHEDULER"] not in SCHEDULERS:
        problems.append(f'SCHEDULER: "{settings["SCHEDULER"]}", expected one of {", ".join(SCHEDULERS)}')
    for kind, usual in USUAL.items():
        name = "ON_" + kind.upper()
        settings[name] = env.get(name, usual)
        if settings[name] not in CHOICES:
            problems.append(f'{name}: "{settings[name]}", expected one of {", ".join(CHOICES)}')
    if settings["ACKNOWLEDGE"] not in ("yes", "no"):
        problems.append(f'ACKNOWLEDGE: "{settings["ACKNOWLEDGE"]}", expected yes or no')
    if not re.fullmatch(r"\d+(\.\d+)?", settings["POLL_SECONDS"]) or float(settings["POLL_SECONDS"]) <= 0:
        problems.append(f'POLL_SECONDS: "{settings["POLL_SECONDS"]}", expected seconds above 0')
    if settings["SERVICE_URL"] != "" and settings["SERVICE_KEY"] == "":
        problems.append("SERVICE_KEY: not set, expected the function key that SERVICE_URL asks for")
    return settings, problems


def main():
    settings, problems = read_settings(os.environ)
    if problems:
        for problem in problems:
            log("wrong-setting", problem=problem)
        return 1
    stopping = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopping.set())
    settings["NODE_NAME"] = settings["NODE_NAME"] or node_name()
    resource = settings["RESOURCE"]
    poll_seconds = float(settings["POLL_SECONDS"])
    while resource == "" and not stopping.is_set():
        try:
            resource = call(RESOURCE_URL, headers=METADATA_HEADERS).strip()
        except OSError as error:
            log("resource-unknown", problem=str(error))
            stopping.wait(poll_seconds)
    watcher = Watcher(settings, SCHEDULERS[settings["SCHEDULER"]](settings["NODE_NAME"]), resource)
    log("watching", node=settings["NODE_NAME"], resource=resource, scheduler=settings["SCHEDULER"])
    while not stopping.is_set():
        watcher.look()
        stopping.wait(poll_seconds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
