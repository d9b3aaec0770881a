"""What is known of a cluster, and what may be asked of it: a method for each operation of the API."""

from __future__ import annotations

import getpass
import json
import urllib.parse
import uuid
from datetime import datetime, timezone
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Union

from .errors import InvalidValue
from .service import Service, service_of

Answer = Dict[str, Any]
Item = Mapping[str, Any]
Names = Union[str, Sequence[str]]
#: Unix seconds, or a datetime; one without a zone is local time.
Moment = Union[float, datetime]
_largest_page = 1000


class Cluster:
    """One cluster. Methods are named after the operations of the OpenAPI document, and return its JSON.

    Those that list things give one after the other from all pages. Many take a selection of nodes: `name`, `hostname` and
    `node_array` are names or shell wildcards, one or several; `constraint` is one as in a job.
    """

    def __init__(
        self,
        name: str,
        *,
        url: Optional[str] = None,
        key: Optional[str] = None,
        audience: Optional[str] = None,
        client_id: Optional[str] = None,
        service: Optional[Service] = None,
    ) -> None:
        if not isinstance(name, str) or not name:
            raise InvalidValue("cluster", repr(name), "a name")
        self.name = name
        self.service = service or service_of(url, key, audience, client_id)

    def status(self) -> Answer:
        """The cluster on one page; `problems` first, the most serious on top."""
        return self.__get("status")

    def doctor(self) -> Answer:
        """Whether the cluster is set up and at work: `checks`, a line each; what is not `ok` says what to do in `next`."""
        return self.__get("doctor")

    def nodes(
        self,
        *,
        state: Optional[Names] = None,
        where: Optional[str] = None,
        fields: Optional[Names] = None,
        **selection: Any,
    ) -> Iterator[Answer]:
        """
        Nodes with their jobs; `state`: only in these states; `where`: of which all terms hold, such as "user:ann cost>10";
        `fields`: each with these alone, such as ("name", "state").
        """
        query = {**_selection(selection), "state": _joined(state), "where": where, "fields": _joined(fields)}
        return self.__list("nodes", "nodes", query)

    def history(self, node: str) -> Answer:
        """What is remembered of a node: its `lives`, and the newest `operations` about it."""
        return self.__get(f"nodes/{_quoted(node)}/history")

    def lives(
        self,
        since: Optional[Moment] = None,
        until: Optional[Moment] = None,
        *,
        node_array: Optional[str] = None,
    ) -> Iterator[Answer]:
        """Boots, use and idle times of nodes, those that are gone too; of the last 24 hours where `since` is not given."""
        query = {"from": _whole(since), "until": _whole(until), "nodeArray": node_array}
        return self.__list("lives", "lives", query)

    def buckets(self, **selection: Any) -> List[Answer]:
        """What new nodes can come from, in order of preference, with every limit."""
        return list(self.__get("buckets", _selection(selection))["buckets"])

    def limits(self, **selection: Any) -> List[Answer]:
        """Every limit once."""
        return list(self.__get("limits", _selection(selection))["limits"])

    def prices(self, **selection: Any) -> Answer:
        """What nodes cost, and where each price comes from."""
        return self.__get("prices", _selection(selection))

    def events(
        self,
        since: Optional[Moment] = None,
        until: Optional[Moment] = None,
        *,
        kind: Optional[Names] = None,
        node: Optional[str] = None,
    ) -> Iterator[Answer]:
        """What happened, newest first: from an hour ago where `since` is not given, at most 30 days back."""
        query = {"from": _seconds(since), "until": _seconds(until), "kind": _joined(kind), "node": node}
        return self.__list("events", "events", query)

    def cost(
        self,
        by: Names = "array",
        since: Optional[Moment] = None,
        until: Optional[Moment] = None,
        *,
        user: Optional[str] = None,
        account: Optional[str] = None,
        queue: Optional[str] = None,
    ) -> Answer:
        """
        What nodes cost and whom, `by` such as ("user", "queue"); from the start of the month where `since` is not given.
        With `user`, `account` or `queue`: what their jobs cost alone.
        """
        whose = {"user": user, "account": account, "queue": queue}
        return self.__get("cost", {"by": _joined(by), "from": _whole(since), "until": _whole(until), **whose})

    def job_cost(self, job: str, *, source: Optional[str] = None) -> Answer:
        """What a job has cost until now, run by run."""
        return self.__get(f"jobs/{_quoted(job)}/cost", {"source": source})

    def samples(self, since: Optional[Moment] = None, until: Optional[Moment] = None) -> List[Answer]:
        """How the cluster was over time; the last 24 hours where `since` is not given."""
        return list(self.__get("samples", {"from": _whole(since), "until": _whole(until)})["samples"])

    def week(self, *, node_array: Optional[Names] = None) -> Answer:
        """The last seven days of each of `nodeArrays`: use and idle money by the hour, boots, failures, evictions, schedules."""
        return self.__get("week", {"nodeArray": _joined(node_array)})

    def usage(
        self,
        since: Optional[Moment] = None,
        until: Optional[Moment] = None,
        *,
        timeframe: Optional[str] = None,
        granularity: Optional[str] = None,
    ) -> List[Answer]:
        """Core-hours and cost as CycleCloud counts them, by interval. Each call asks CycleCloud."""
        if timeframe is None and since is not None:
            timeframe = "custom"
        period = {"from": _iso(since), "to": _iso(until)}
        return list(self.__get("usage", {**period, "timeframe": timeframe, "granularity": granularity})["intervals"])

    def jobs(
        self,
        *,
        state: Optional[str] = None,
        source: Optional[str] = None,
        where: Optional[str] = None,
        request: Optional[bool] = None,
        **selection: Any,
    ) -> Iterator[Answer]:
        """
        Jobs in the order of the queue, with `user`, `account` and `queue` where their scheduler says them, and what each
        asks for where `request` is true; `where`: of which all terms hold, such as "user:ann waits>1h".
        """
        query: Dict[str, Any] = {
            **_selection(selection),
            "state": state,
            "source": source,
            "where": where,
            "request": request,
        }
        return self.__list("jobs", "jobs", query)

    def explain(self, job: str, *, source: Optional[str] = None, limits_to_raise: bool = True) -> Answer:
        """Why a job waits, or where it goes. Which limits to raise takes the service several plans."""
        query = {"source": source, "raise": None if limits_to_raise else "false"}
        return self.__get(f"jobs/{_quoted(job)}/explain", query)

    def explain_target(self, target: str, *, request_set: Optional[str] = None) -> Answer:
        """Why a target is not met, or what it has."""
        return self.__get(f"targets/{_quoted(target)}/explain", {"requestSet": request_set})

    def demand(self, **selection: Any) -> Answer:
        """What a plan would do now; nothing is sent."""
        return self.__get("demand", _selection(selection))

    def post_demand(self, message: Item, *, dry_run: bool = False, by: Optional[str] = None) -> Answer:
        """Posts a whole message. `Demand` writes them."""
        return self.call("POST", "demand", {"dry_run": dry_run, "by": by}, message)

    def plans(self) -> Iterator[Answer]:
        """Plans, newest first."""
        return self.__list("plans", "plans")

    def plan(self, plan_id: str) -> Answer:
        """One plan: what it decided, and what became of it."""
        return self.__get(f"plans/{_quoted(plan_id)}")

    def plan_archive(self, plan_id: str) -> Answer:
        """One plan with what it was made from."""
        return self.__get(f"plans/{_quoted(plan_id)}/archive")

    def plan_difference(self, plan_id: str, before: str) -> Answer:
        """What a plan decided otherwise than the plan `before`."""
        return self.__get(f"plans/{_quoted(plan_id)}/difference", {"before": before})

    def operations(
        self, *, open: Optional[bool] = None, since: Optional[Moment] = None, **selection: Any
    ) -> Iterator[Answer]:
        """Requests to CycleCloud, newest first, those made since `since` where it is given."""
        query: Dict[str, Any] = {**_selection(selection), "open": open, "from": _whole(since)}
        return self.__list("operations", "operations", query)

    def operation(self, action_id: str) -> Answer:
        """One request to CycleCloud."""
        return self.__get(f"operations/{_quoted(action_id)}")

    def rejects(self) -> Iterator[Answer]:
        """Messages that were refused or given up, newest first."""
        return self.__list("rejects", "rejections")

    def reject(self, rejection_id: str) -> Answer:
        """One of them, whole, with every problem."""
        return self.__get(f"rejects/{_quoted(rejection_id)}")

    def replay_reject(
        self,
        rejection_id: str,
        message: Optional[str] = None,
        *,
        by: Optional[str] = None,
        dry_run: bool = False,
    ) -> Answer:
        """Sends a rejected message again, or the text of a fixed one in its place."""
        body = {"message": message, "by": by or _login_name(), "dryRun": dry_run}
        return self.call("POST", f"rejects/{_quoted(rejection_id)}/replay", body=_given(body))

    def config(self) -> Answer:
        """The stored configuration; secrets are `***`."""
        return self.__get("config")

    def config_versions(self, *, limit: Optional[int] = None, version: Optional[int] = None) -> Answer:
        """Who changed the configuration, when and why; with `version` also what was stored then."""
        return self.__get("config/versions", {"limit": limit, "version": version})

    def put_config(
        self,
        config: Item,
        reason: str,
        *,
        etag: Optional[str] = None,
        includes: Optional[Item] = None,
        by: Optional[str] = None,
        dry_run: bool = False,
    ) -> Answer:
        """Checks a configuration and stores it. `etag`: of what it replaces, as `config()` has it; None: there is none yet."""
        body = {"config": config, "includes": includes, **_request(reason, by, dry_run)}
        guard = {"If-None-Match": "*"} if etag is None else {"If-Match": etag}
        return self.call("PUT", "config", body=_given(body), headers=guard)

    def support(self, part: str, *, limit: Optional[int] = None) -> Answer:
        """One part of a support archive, without secrets."""
        return self.__get(f"support/{_quoted(part)}", {"limit": limit})

    def what_if(self, jobs: Iterable[Item] = (), **more: Any) -> Answer:
        """A plan with extra jobs; `more`: `change`, `limits`, `placement` and so on, as in the request's body."""
        return self.call("POST", "what-if", body={"jobs": list(jobs), **more})

    def quote(self, jobs: Iterable[Item], *, by_seconds: Optional[float] = None) -> Answer:
        """What jobs would cost before they are submitted, when they start and when they are done, in up to three ways."""
        return self.call("POST", "quote", body=_given({"jobs": list(jobs), "bySeconds": by_seconds}))

    def validate_constraint(self, constraints: Sequence[Item], **more: Any) -> Answer:
        """Whether constraints can be read, and which buckets and nodes satisfy them."""
        return self.call("POST", "validate-constraint", body={"constraints": list(constraints), **more})

    def actions(
        self,
        kind: str,
        reason: str,
        *,
        names: Optional[Sequence[str]] = None,
        by: Optional[str] = None,
        dry_run: bool = False,
        key: Optional[str] = None,
        **more: Any,
    ) -> Answer:
        """Asks for something to be done, such as `drain` of nodes by their `names`; `more` as in the request's body.

        With the same `key` again it is done once; each call makes its own, so that its tries ask for one and the same.
        """
        body: Answer = {"kind": kind, **_request(reason, by, dry_run), **more}
        if names is not None:
            body["nodes"] = {**body.get("nodes", {}), "names": list(names)}
        return self.call("POST", "actions", body=body, headers={"Idempotency-Key": key or str(uuid.uuid4())})

    def autoscale(
        self,
        arrays: Iterable[Item],
        *,
        request_set: Optional[str] = None,
        expiration_interval: Optional[float] = None,
        dry_run: bool = False,
        by: Optional[str] = None,
    ) -> Answer:
        """How many nodes of which arrays there should be, in the words of CycleCloud's auto-scale API."""
        query = {"request_set": request_set, "expiration_interval": expiration_interval, "dry_run": dry_run, "by": by}
        return self.call("POST", "autoscale", query, list(arrays))

    def autostop(self, instance: str) -> Answer:
        """A node asks whether it may stop; `instance` is its own id. Refused when it has to stay."""
        return self.__get("autostop", {"instance": instance})

    def leaving(self, instance: str, event: str, *, not_before: Optional[str] = None) -> Answer:
        """A node says that Azure is about to take it; `event` and `not_before` as in Azure's Scheduled Events."""
        body = {"instance": instance, "event": event}
        return self.call("POST", "leaving", body=body if not_before is None else {**body, "notBefore": not_before})

    def stop(self, instance: str, *, reason: Optional[str] = None, by: Optional[str] = None) -> Answer:
        """Asks for a node to be stopped when nobody needs it, however short it has been idle."""
        return self.call("POST", "stop", {"instance": instance, "reason": reason, "by": by})

    def call(
        self,
        method: str,
        path: str,
        query: Optional[Item] = None,
        body: Any = None,
        headers: Optional[Mapping[str, str]] = None,
    ) -> Answer:
        """Any call below the cluster's own path."""
        return self.service.call(method, f"clusters/{_quoted(self.name)}/{path}", query, body, headers)

    def __get(self, path: str, query: Optional[Item] = None) -> Answer:
        return self.call("GET", path, query)

    def __list(self, path: str, items: str, query: Optional[Item] = None) -> Iterator[Answer]:
        cursor: Optional[str] = None
        while True:
            page = self.__get(path, {**(query or {}), "limit": _largest_page, "cursor": cursor})
            yield from page[items]
            cursor = page["next"]
            if cursor is None:
                return

    def __repr__(self) -> str:
        return f"Cluster({self.name!r}, service={self.service!r})"


_selected = {"name": "name", "hostname": "hostname", "node_array": "nodeArray", "constraint": "constraint"}


def _selection(given: Item) -> Dict[str, Optional[str]]:
    for name in given:
        if name not in _selected:
            raise InvalidValue(name, repr(given[name]), f"one of {', '.join(_selected)}")
    query: Dict[str, Optional[str]] = {}
    for name, value in given.items():
        query[_selected[name]] = json.dumps(value) if name == "constraint" and value is not None else _joined(value)
    return query


def _joined(names: Optional[Names]) -> Optional[str]:
    return names if names is None or isinstance(names, str) else ",".join(names)


def _seconds(moment: Optional[Moment]) -> Optional[float]:
    return moment.timestamp() if isinstance(moment, datetime) else moment


def _iso(moment: Optional[Moment]) -> Optional[str]:
    if moment is None:
        return None
    known = moment if isinstance(moment, datetime) else datetime.fromtimestamp(moment, timezone.utc)
    return known.astimezone().isoformat()


def _whole(moment: Optional[Moment]) -> Optional[int]:
    seconds = _seconds(moment)
    return None if seconds is None else int(seconds)


def _login_name() -> str:
    """As whom this program runs. A container may run under a number that has no name."""
    try:
        return getpass.getuser()
    except (ImportError, KeyError, OSError):
        return "python"


def _request(reason: str, by: Optional[str], dry_run: bool) -> Answer:
    return {"reason": reason, "by": by or _login_name(), "dryRun": dry_run}


def _given(body: Item) -> Answer:
    return {name: value for name, value in body.items() if value is not None}


def _quoted(text: str) -> str:
    return urllib.parse.quote(text, safe="")
