#!/usr/bin/env python3
"""Watches Azure's Scheduled Events on a node, and clears the node before Azure takes it.

Settings come from the environment; README.md lists them. Python's standard library alone.
"""

import base64
import glob
import json
import os
import re
import shutil
import socket
import stat
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.parse
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
# After these the machine is there again: its place is not ordered anew.
STAYING = ("Freeze", "Reboot")
# The first answer of a machine's Scheduled Events may take two minutes.
ANSWER_SECONDS = 150
# An eviction leaves 30 s for everything: neither the scheduler nor the service may take them all.
COMMAND_SECONDS = 8
SERVICE_SECONDS = 8
AGAIN_SECONDS = 3
MOST_BYTES = 1024 * 1024
LONGEST_REASON = 200


def log(event, **fields):
    print(json.dumps({"event": event, **fields}), flush=True)


def run(*words):
    """What a command printed. Raises CalledProcessError, TimeoutExpired or OSError."""
    done = subprocess.run(
        words,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
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
            log("command-refused", command=" ".join(words), problem=problem_of(error))


class Slurm:
    """Slurm calls a node by the name in slurm.conf, which is slurmd's -N, CycleCloud's name or the host name."""

    def __init__(self, names):
        self.names = names
        self.found = None
        self.held = set()

    def node(self):
        self.record()
        return self.found

    def record(self):
        """What Slurm says of this node. The first of the names that it knows is the node's."""
        names = [self.found] if self.found else self.names()
        refused = None
        for name in names:
            try:
                text = run("scontrol", "show", "node", name)
            except subprocess.CalledProcessError as error:
                refused = error
                continue
            if "NodeName=" + name in text:
                self.found = name
                return text
        raise refused or ValueError("Slurm knows no node called " + ", ".join(names))

    def reason(self):
        """The reason of the node's drain; None: it is not drained."""
        text = self.record()
        states = re.search(r"\bState=(\S+)", text)
        if states is None or "DRAIN" not in re.split(r"\W", states.group(1)):
            return None
        found = re.search(r"^\s*Reason=(.*?)(?: \[[^\[\]]*@[^\[\]]*\])?\s*$", text, re.MULTILINE)
        return "" if found is None else found.group(1)

    def parts(self):
        return []

    def drain(self, reason, parts):
        run("scontrol", "update", f"NodeName={self.node()}", "State=DRAIN", f"Reason={reason}")

    def is_back(self):
        """Whether Slurm has seen this machine since it booted: a node that is free earlier, it calls "unexpectedly rebooted"."""
        text = self.record()
        if re.search(r"\bState=\S*\*", text):
            return False
        booted = re.search(r"\bBootTime=(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)", text)
        if booted is None:
            return False
        return time.mktime(time.strptime(booted.group(1), "%Y-%m-%dT%H:%M:%S")) > booted_at() - 60

    def undrain(self, parts):
        """A restart leaves the node DOWN as well, for the reason of the drain."""
        down = re.search(r"\bState=DOWN\b", self.record())
        run("scontrol", "update", f"NodeName={self.node()}", "State=RESUME" if down else "State=UNDRAIN")

    def listed(self, *states):
        asked = (f"--nodelist={self.node()}", f"--states={','.join(states)}")
        return run("squeue", "--noheader", *asked, "--format=%A").split()

    def jobs(self):
        return self.listed("RUNNING", "SUSPENDED", "COMPLETING", "CONFIGURING")

    def requeue(self):
        jobs = self.listed("RUNNING", "SUSPENDED", "CONFIGURING")
        each([("scontrol", "requeue", job) for job in jobs])
        self.held.update(jobs)
        return jobs

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
    """Root of the node has to be an operator of PBS."""

    def __init__(self, names):
        self.name = names()[0]

    def node(self):
        return self.name

    def record(self):
        return run("pbsnodes", "-H", self.name)

    def reason(self):
        text = self.record()
        states = re.search(r"^\s*state = (.*)$", text, re.MULTILINE)
        if states is None or "offline" not in states.group(1).split(","):
            return None
        found = re.search(r"^\s*comment = (.*)$", text, re.MULTILINE)
        return "" if found is None else found.group(1).strip()

    def parts(self):
        return []

    def drain(self, reason, parts):
        run("pbsnodes", "-o", "-C", reason, self.name)

    def is_back(self):
        return True

    def undrain(self, parts):
        run("pbsnodes", "-r", "-C", "", self.name)

    def jobs(self):
        lists = re.findall(r"^\s*jobs = (.*)$", self.record(), re.MULTILINE)
        return sorted({part.split("/")[0].strip() for jobs in lists for part in jobs.split(",")})

    def requeue(self):
        jobs = self.jobs()
        each([("qrerun", job) for job in jobs])
        return jobs

    def release(self):
        pass


class GridEngine:
    """A queue of a host is disabled without a reason: those that were enabled before are remembered, and enabled again."""

    def __init__(self, names):
        self.name = names()[0]

    def node(self):
        return self.name

    def queues(self, *options):
        try:
            return run("qselect", "-q", f"*@{self.name}", *options).split()
        except subprocess.CalledProcessError as error:
            # It has no word for "none".
            if error.returncode == 1 and not (error.stderr or "").strip():
                return []
            raise

    def reason(self):
        return None

    def parts(self):
        disabled = set(self.queues("-qs", "d"))
        return [queue for queue in self.queues() if queue not in disabled]

    def drain(self, reason, parts):
        if parts:
            run("qmod", "-d", *parts)

    def is_back(self):
        return True

    def undrain(self, parts):
        if parts:
            run("qmod", "-e", *parts)

    def jobs(self):
        """A task of an array is `job.task`: the job's number alone means all of them."""
        text = run("qstat", "-xml", "-u", "*", "-s", "rs", "-g", "t", "-q", f"*@{self.name}")
        if "<job_info" not in text:
            raise ValueError("qstat printed no list of jobs")
        jobs = set()
        for row in re.findall(r"<job_list\b.*?</job_list>", text, re.DOTALL):
            number = re.search(r"<JB_job_number>(\d+)</JB_job_number>", row)
            queue = re.findall(r"<queue_name>([^<]*)</queue_name>", row)
            task = re.findall(r"<tasks>(\d+)</tasks>", row)
            if number and queue and self.is_here(queue[-1]):
                jobs.add(number.group(1) + ("." + task[-1] if task else ""))
        return sorted(jobs)

    def is_here(self, queue):
        host = queue.rpartition("@")[2]
        return host.split(".")[0].lower() == self.name.split(".")[0].lower()

    def requeue(self):
        jobs = self.jobs()
        each([("qmod", "-rj", job) for job in jobs])
        return jobs

    def release(self):
        pass


class NoScheduler:
    """Celery and others: the service has them drain the node."""

    def __init__(self, names):
        pass

    def node(self):
        return None

    def reason(self):
        return None

    def parts(self):
        return []

    def drain(self, reason, parts):
        pass

    def is_back(self):
        return True

    def undrain(self, parts):
        pass

    def jobs(self):
        """Cannot tell."""
        return None

    def requeue(self):
        return []

    def release(self):
        pass


SCHEDULERS = {"slurm": Slurm, "pbs": Pbs, "gridengine": GridEngine, "none": NoScheduler}


class NoRedirects(urllib.request.HTTPRedirectHandler):
    """Where an answer points to has no business with the key."""

    def redirect_request(self, *_):
        return None


METADATA_HEADERS = {"Metadata": "true"}
# The metadata service must not be asked through a proxy.
DIRECTLY = urllib.request.build_opener(urllib.request.ProxyHandler({}), NoRedirects())
USUALLY = urllib.request.build_opener(NoRedirects())


def call(opener, url, seconds, body=None, headers=None):
    """The answer's text. One that is too large or never ends is an error."""
    data = None if body is None else json.dumps(body).encode()
    given = {"Content-Type": "application/json", **(headers or {})}
    ends_at = time.monotonic() + seconds
    read = b""
    with opener.open(urllib.request.Request(url, data=data, headers=given), timeout=seconds) as answer:
        while True:
            part = answer.read1(65536)
            if not part:
                break
            read += part
            if len(read) > MOST_BYTES:
                raise ValueError(f"an answer of more than {MOST_BYTES} bytes")
            if time.monotonic() > ends_at:
                raise ValueError(f"an answer that takes longer than {seconds} s")
        if answer.length:
            raise ValueError("an answer that was cut short")
    return read.decode()


class Notice:
    """Tells the service that the node is about to go, beside the scheduler's commands: neither waits for the other."""

    def __init__(self, settings):
        self.settings = settings
        self.lock = threading.Lock()
        self.told = set()
        self.busy = set()
        self.next_at = 0.0

    def give(self, event):
        identity = event["EventId"]
        with self.lock:
            if identity in self.told or identity in self.busy or time.monotonic() < self.next_at:
                return
            self.busy.add(identity)
        threading.Thread(target=self.send, args=(event,), daemon=True).start()

    def send(self, event):
        identity = event["EventId"]
        wait = AGAIN_SECONDS
        try:
            instance = self.settings["INSTANCE"] or jetpack("cyclecloud.instance.id")
            if instance == "":
                raise ValueError("jetpack knows no cyclecloud.instance.id, and INSTANCE is not set")
            body = {"instance": instance, "event": event["EventType"]}
            when = event.get("NotBefore")
            if isinstance(when, str) and when != "":
                body["notBefore"] = when
            call(USUALLY, self.settings["SERVICE_URL"], SERVICE_SECONDS, body, self.login())
            with self.lock:
                self.told.add(identity)
            log("told", id=identity)
        except Exception as error:
            if isinstance(error, urllib.error.HTTPError):
                wait = seconds_of(error.headers.get("Retry-After"), AGAIN_SECONDS)
            log("step-failed", step="tell", id=identity, problem=problem_of(error))
        finally:
            with self.lock:
                self.busy.discard(identity)
                self.next_at = time.monotonic() + wait if identity not in self.told else 0.0

    def login(self):
        key = read_key(self.settings["SERVICE_KEY_FILE"])
        name = self.settings["SERVICE_USERNAME"]
        if name == "":
            return {"x-functions-key": key}
        return {"Authorization": "Basic " + base64.b64encode(f"{name}:{key}".encode()).decode()}


def seconds_of(text, usual):
    return min(60, int(text)) if re.fullmatch(r"\d{1,9}", text or "") else usual


def read_key(path):
    """The key of a file that nobody else can read or replace."""
    with open(path, "rb") as file:
        about = os.fstat(file.fileno())
        if not stat.S_ISREG(about.st_mode) or about.st_mode & 0o077 or about.st_uid not in (0, os.geteuid()):
            raise PermissionError(f"{path}: expected a file of its owner alone, mode 0600")
        key = file.read(4097).decode("ascii").strip()
    if not re.fullmatch(r"[!-~]{1,4096}", key):
        raise ValueError(f"{path}: expected one key")
    return key


class Marker:
    """What was drained by us, on the disk: a drain outlives a restart of the machine, and has to be ended then."""

    def __init__(self, folder):
        self.path = os.path.join(folder, "drained.json")

    def read(self):
        try:
            with open(self.path, encoding="utf-8") as file:
                kept = json.loads(file.read(MOST_BYTES))
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            log("marker-unreadable", problem=problem_of(error))
            return None
        texts = isinstance(kept, dict) and all(isinstance(kept.get(key), str) for key in ("reason", "bootId"))
        lists = texts and all(
            isinstance(kept.get(key), list) and all(isinstance(each, str) for each in kept[key])
            for key in ("parts", "events", "cleared")
        )
        if lists:
            return kept
        log("marker-unreadable", problem="expected reason, bootId, parts, events and cleared")
        return None

    def write(self, kept):
        """On the disk before the node is drained. Left by a machine that stops between the two, it ends nothing."""
        os.makedirs(os.path.dirname(self.path), mode=0o755, exist_ok=True)
        new = self.path + ".new"
        with open(new, "w", encoding="utf-8") as file:
            json.dump(kept, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(new, self.path)

    def remove(self):
        try:
            os.unlink(self.path)
        except FileNotFoundError:
            pass


def booted_at():
    with open("/proc/stat", encoding="ascii") as file:
        return int(re.search(r"^btime (\d+)$", file.read(), re.MULTILINE).group(1))


def boot_id():
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            return file.read().strip()
    except OSError:
        return ""


class Watcher:
    def __init__(self, settings, scheduler, resource):
        self.settings = settings
        self.scheduler = scheduler
        self.resource = resource
        self.notice = Notice(settings)
        self.marker = Marker(settings["STATE_DIRECTORY"])
        # What this watcher drained, also before the machine restarted; None: nothing.
        self.drained = self.marker.read()
        # Ids of events by what is done with them already.
        self.cleared = set(self.drained["cleared"] if self.drained else [])
        self.acknowledged = set()
        self.shared = set()
        self.behind = set()
        self.complaints = {}

    def look(self):
        """One look. Whatever fails is logged once, and tried again by the next look."""
        events = self.attempt("events-unknown", self.read_events)
        if events is None:
            return
        told = self.settings["SERVICE_URL"] != ""
        for event in events:
            if told and event["EventType"] not in STAYING:
                self.notice.give(event)
        for event in events:
            self.attempt("clear", self.clear, event)
            self.attempt("acknowledge", self.acknowledge, event)
        self.attempt("release", self.scheduler.release)
        if not events:
            self.cleared.clear()
            self.complaints = {about: problem for about, problem in self.complaints.items() if len(about) == 1}
            if self.drained:
                self.attempt("back", self.back)

    def attempt(self, step, work, *given):
        """What `work` gives. A failure that stays the same is one line of the log."""
        about = (step, *(event["EventId"] for event in given))
        try:
            result = work(*given)
            self.complaints.pop(about, None)
            return result
        except Exception as error:
            problem = problem_of(error)
            if self.complaints.get(about) != problem:
                self.complaints[about] = problem
                if step == "events-unknown":
                    log(step, problem=problem)
                else:
                    log("step-failed", step=step, problem=problem, **({"id": about[1]} if given else {}))
            return None

    def read_events(self):
        """Events about this machine that something is to be done for, until Azure lists them no longer."""
        document = json.loads(call(DIRECTLY, self.settings["EVENTS_URL"], ANSWER_SECONDS, None, METADATA_HEADERS))
        # Without the list nobody knows what is announced: taken for "nothing", it would end the drain.
        if not isinstance(document, dict) or not isinstance(document.get("Events"), list):
            raise ValueError("expected an object with a list of Events")
        return [event for event in document["Events"] if self.concerns(event)]

    def concerns(self, event):
        if not isinstance(event, dict) or event.get("EventType") not in tuple(USUAL):
            return False
        resources, identity = event.get("Resources"), event.get("EventId")
        return (
            event.get("EventStatus") in ("Scheduled", "Started")
            and isinstance(identity, str)
            and isinstance(resources, list)
            and self.resource in resources
            and self.action(event) != "ignore"
            and not self.is_behind(event)
        )

    def is_behind(self, event):
        """A restart that Azure began, and that this machine has come back from: Azure lists it for some time yet."""
        if (
            self.drained is not None
            and event["EventId"] in self.drained["events"]
            and event["EventType"] in ("Reboot", "Redeploy")
            and event["EventStatus"] == "Started"
            and self.drained["bootId"] != boot_id()
        ):
            self.behind.add(event["EventId"])
        return event["EventId"] in self.behind

    def action(self, event):
        return self.settings["ON_" + event["EventType"].upper()]

    def clear(self, event):
        if event["EventId"] in self.cleared:
            return
        self.drain(event)
        jobs = self.scheduler.requeue() if self.action(event) == "requeue" else []
        self.cleared.add(event["EventId"])
        if self.drained:
            self.drained["cleared"] = sorted(self.cleared)
            self.marker.write(self.drained)
        log("cleared", id=event["EventId"], kind=event["EventType"], action=self.action(event), jobs=jobs)

    def drain(self, event):
        before = self.scheduler.reason()
        if self.drained is not None and before == self.drained["reason"]:
            if event["EventId"] not in self.drained["events"]:
                self.drained["events"].append(event["EventId"])
                self.marker.write(self.drained)
            return
        if before is not None:
            # Somebody else's drain, and the reason for it, stay.
            log("drained-already", id=event["EventId"], reason=before)
            return
        before_parts = self.drained["parts"] if self.drained else []
        parts = self.scheduler.parts()
        kept = {
            "node": self.scheduler.node(),
            "reason": reason_of(event),
            "parts": sorted({*before_parts, *parts}),
            "events": sorted({*(self.drained["events"] if self.drained else []), event["EventId"]}),
            "cleared": sorted(self.cleared),
            "bootId": boot_id(),
        }
        self.marker.write(kept)
        self.drained = kept
        self.scheduler.drain(kept["reason"], parts)

    def acknowledge(self, event):
        """Lets Azure begin as soon as no job is in the way. An eviction is left to CycleCloud, which acts on it, too."""
        identity = event["EventId"]
        if (
            self.settings["ACKNOWLEDGE"] != "yes"
            or self.settings["SCHEDULER"] == "none"
            or event["EventType"] == "Preempt"
            or event["EventStatus"] != "Scheduled"
            or identity not in self.cleared
            or identity in self.acknowledged
        ):
            return
        if event["Resources"] != [self.resource]:
            # It would begin for the others too, whatever runs there.
            if identity not in self.shared:
                self.shared.add(identity)
                others = len(event["Resources"]) - 1
                why = f"shared with {others} other machines"
                log("not-acknowledged", id=identity, why=why, begins=event.get("NotBefore"))
            return
        if self.scheduler.jobs() != []:
            return
        call(
            DIRECTLY,
            self.settings["EVENTS_URL"],
            SERVICE_SECONDS,
            {"StartRequests": [{"EventId": identity}]},
            METADATA_HEADERS,
        )
        self.acknowledged.add(identity)
        log("acknowledged", id=identity)

    def back(self):
        """The events are over or were cancelled, and the machine is here."""
        reason = self.scheduler.reason()
        if reason is not None and reason != self.drained["reason"]:
            log("drain-left", reason=reason, ours=self.drained["reason"])
        elif reason is not None or self.drained["parts"]:
            if not self.scheduler.is_back():
                return
            self.scheduler.undrain(self.drained["parts"])
            log("back", reason=self.drained["reason"])
        self.marker.remove()
        self.drained = None


def reason_of(event):
    when = event.get("NotBefore") or "now"
    words = re.sub(r"[^\w ,:+-]", "?", f"azure {event['EventType']} {when}", flags=re.ASCII)
    return words[:LONGEST_REASON].strip()


def problem_of(error):
    return str(getattr(error, "stderr", "") or error or type(error).__name__).strip()[:300]


def jetpack(key):
    """A value of the node's configuration; empty without jetpack."""
    program = shutil.which("jetpack", path=os.environ.get("PATH", "") + ":/opt/cycle/jetpack/bin")
    if not program:
        return ""
    try:
        return run(program, "config", key, "").strip()
    except (OSError, subprocess.SubprocessError) as error:
        log("jetpack-failed", key=key, problem=problem_of(error))
        return ""


def host_name():
    return socket.gethostname().split(".")[0]


def slurmd_names():
    """The names by which slurmd was started on this machine (`slurmd -N NAME`); none: without one, or not yet."""
    names = []
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        try:
            with open(path, "rb") as file:
                words = file.read(4096).decode("utf-8", "replace").split("\0")
        except OSError:
            continue
        if os.path.basename(words[0]) != "slurmd":
            continue
        for word, following in zip(words[1:], words[2:]):
            if word.startswith("-N"):
                names.append(word[2:] or following)
    return names


def names_in(settings):
    """Gives the names by which the scheduler may know this node, the likeliest first."""
    if settings["SCHEDULER_NODE"] != "":
        return lambda: [settings["SCHEDULER_NODE"]]
    if settings["SCHEDULER"] != "slurm":
        return lambda: [host_name()]
    cycles = jetpack("cyclecloud.node.name")
    return lambda: list(dict.fromkeys(name for name in (*slurmd_names(), cycles, host_name()) if name))


def problem_of_url(text):
    """Why the key must not be sent there; None: it may."""
    try:
        parts = urllib.parse.urlsplit(text)
        host = parts.hostname
    except ValueError as error:
        return str(error)
    if not host or parts.username is not None:
        return "expected https://<app>/api/clusters/<cluster>/leaving"
    is_near = host == "localhost" or host == "::1" or re.fullmatch(r"127(\.\d{1,3}){3}", host)
    if parts.scheme == "https" or (parts.scheme == "http" and is_near):
        return None
    return "expected https, because the key goes there"


def read_settings(env):
    """The settings; a sentence for each that is wrong."""
    settings = {
        "SCHEDULER": env.get("SCHEDULER", ""),
        "SCHEDULER_NODE": env.get("SCHEDULER_NODE", ""),
        "EVENTS_URL": env.get("EVENTS_URL", EVENTS_URL),
        "RESOURCE": env.get("RESOURCE", ""),
        "INSTANCE": env.get("INSTANCE", ""),
        "SERVICE_URL": env.get("SERVICE_URL", ""),
        "SERVICE_KEY_FILE": env.get("SERVICE_KEY_FILE", ""),
        "SERVICE_USERNAME": env.get("SERVICE_USERNAME", ""),
        "ACKNOWLEDGE": env.get("ACKNOWLEDGE", "yes"),
        "POLL_SECONDS": env.get("POLL_SECONDS", "1"),
        "STATE_DIRECTORY": env.get("STATE_DIRECTORY", "/var/lib/ccscale-scheduled-events"),
    }
    problems = []
    if settings["SCHEDULER"] not in SCHEDULERS:
        problems.append(f'SCHEDULER: "{settings["SCHEDULER"]}", expected one of {", ".join(SCHEDULERS)}')
    if not re.fullmatch(r"[\w.-]{0,255}", settings["SCHEDULER_NODE"]) or settings["SCHEDULER_NODE"].startswith("-"):
        problems.append(f'SCHEDULER_NODE: "{settings["SCHEDULER_NODE"]}", expected one name')
    for kind, usual in USUAL.items():
        name = "ON_" + kind.upper()
        settings[name] = env.get(name, usual)
        if settings[name] not in CHOICES:
            problems.append(f'{name}: "{settings[name]}", expected one of {", ".join(CHOICES)}')
    if settings["ACKNOWLEDGE"] not in ("yes", "no"):
        problems.append(f'ACKNOWLEDGE: "{settings["ACKNOWLEDGE"]}", expected yes or no')
    if not re.fullmatch(r"\d+(\.\d+)?", settings["POLL_SECONDS"]) or float(settings["POLL_SECONDS"]) <= 0:
        problems.append(f'POLL_SECONDS: "{settings["POLL_SECONDS"]}", expected seconds above 0')
    if settings["SERVICE_URL"] != "":
        wrong = problem_of_url(settings["SERVICE_URL"])
        if wrong:
            problems.append(f"SERVICE_URL: {wrong}")
        try:
            read_key(settings["SERVICE_KEY_FILE"])
        except (OSError, ValueError) as error:
            problems.append(f"SERVICE_KEY_FILE: {error}")
    if "SERVICE_KEY" in env:
        problems.append("SERVICE_KEY: set, expected the key in a file, which SERVICE_KEY_FILE names")
    return settings, problems


def resource_name(seconds):
    """Azure's name of this machine, asked for until it is known."""
    said = None
    while True:
        try:
            found = call(DIRECTLY, RESOURCE_URL, ANSWER_SECONDS, None, METADATA_HEADERS).strip()
            if re.fullmatch(r"[\w.-]{1,300}", found):
                return found
            problem = "expected one name"
        except Exception as error:
            problem = problem_of(error)
        if problem != said:
            log("resource-unknown", problem=problem)
            said = problem
        time.sleep(seconds)


def main():
    settings, problems = read_settings(os.environ)
    if problems:
        for problem in problems:
            log("wrong-setting", problem=problem)
        return 1
    # A signal ends it at once, between any two steps, as a crash does: what is written is enough to go on.
    poll_seconds = float(settings["POLL_SECONDS"])
    resource = settings["RESOURCE"] or resource_name(poll_seconds)
    watcher = Watcher(settings, SCHEDULERS[settings["SCHEDULER"]](names_in(settings)), resource)
    log("watching", resource=resource, scheduler=settings["SCHEDULER"])
    while True:
        watcher.look()
        time.sleep(poll_seconds)


if __name__ == "__main__":
    sys.exit(main())
