"""What a scheduler wants."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any, Dict, Iterable, Mapping, Optional, Sequence, Tuple

from .cluster import Cluster
from .errors import InvalidValue
from .service import Service, service_of

_log = logging.getLogger("ccscale")
Item = Mapping[str, Any]


@dataclass(frozen=True)
class Posted:
    """What became of demand or targets. `warnings`: what was set aside or is unknown, one sentence each."""

    warnings: Tuple[str, ...]
    answer: Mapping[str, Any] = field(repr=False)


class Demand:
    """What one source (a scheduler) of one cluster wants. A repeated message changes nothing."""

    def __init__(
        self,
        cluster: str,
        source: str,
        *,
        url: Optional[str] = None,
        key: Optional[str] = None,
        audience: Optional[str] = None,
        client_id: Optional[str] = None,
        service: Optional[Service] = None,
        sequence: Optional[int] = None,
    ) -> None:
        """`sequence`: of the source's last message, for a delta that follows it; a snapshot needs none."""
        for name, value in (("cluster", cluster), ("source", source)):
            if not isinstance(value, str) or not value:
                raise InvalidValue(name, repr(value), "a name")
        self.cluster, self.source, self.sequence = cluster, source, sequence
        self.service = service or service_of(url, key, audience, client_id)
        self.__cluster = Cluster(cluster, service=self.service)

    def snapshot(
        self,
        jobs: Iterable[Item] = (),
        nodes: Iterable[Item] = (),
        *,
        ttl_seconds: Optional[int] = None,
        capabilities: Optional[Sequence[str]] = None,
        node_shapes: Optional[Iterable[Item]] = None,
        dry_run: bool = False,
    ) -> Posted:
        """Everything that the source wants now. `node_shapes`: what nodes that come will offer, as the scheduler counts it."""
        # Milliseconds: a script that remembers nothing still counts upwards.
        sequence = max(int(time.time() * 1000), (self.sequence or 0) + 1)
        shapes = None if node_shapes is None else list(node_shapes)
        items: Dict[str, Any] = {"jobs": list(jobs), "nodes": list(nodes), "nodeShapes": shapes}
        items.update({"ttlSeconds": ttl_seconds, "capabilities": capabilities})
        return self.__post("snapshot", sequence, items, dry_run)

    def delta(
        self,
        jobs: Iterable[Item] = (),
        nodes: Iterable[Item] = (),
        *,
        remove: Iterable[str] = (),
        dry_run: bool = False,
    ) -> Posted:
        """Changes to the message just before: new and changed jobs and nodes, and names of jobs that are gone."""
        if self.sequence is None:
            raise InvalidValue("sequence", "none", "a snapshot before the delta, or the sequence of the last message")
        items = {"jobs": list(jobs), "nodes": list(nodes), "remove": list(remove)}
        return self.__post("delta", self.sequence + 1, items, dry_run)

    def targets(
        self,
        arrays: Iterable[Item],
        *,
        request_set: Optional[str] = None,
        expiration_interval: Optional[float] = None,
        dry_run: bool = False,
    ) -> Posted:
        """How many nodes of which node arrays there should be, in the words of CycleCloud's auto-scale API."""
        answer = self.__cluster.autoscale(
            arrays,
            request_set=request_set,
            expiration_interval=expiration_interval,
            dry_run=dry_run,
            by=self.source,
        )
        return _posted(answer)

    def wait(self, seconds: float = 30.0) -> bool:
        """Waits until the last message of this object has taken effect. False: it had not after so long."""
        give_up_at = time.monotonic() + seconds
        while True:
            taken = {each["source"]: each["sequence"] for each in self.status()["demand"]}
            if taken.get(self.source, -1) >= (self.sequence or 0):
                return True
            if time.monotonic() >= give_up_at:
                return False
            time.sleep(0.5)

    def status(self) -> Dict[str, Any]:
        """The cluster on one page; `problems` first, the most serious on top."""
        return self.__cluster.status()

    def plan(self) -> Dict[str, Any]:
        """What a plan would do now; nothing is sent."""
        return self.__cluster.demand()

    def explain(self, job: str) -> Dict[str, Any]:
        """Why a job waits, or where it goes."""
        return self.__cluster.explain(job, source=self.source)

    def __post(self, kind: str, sequence: int, items: Item, dry_run: bool) -> Posted:
        sent_at = datetime.now(timezone.utc).isoformat(timespec="milliseconds")
        envelope = {"version": 1, "kind": kind, "source": self.source, "sequence": sequence, "sentAt": sent_at}
        message = {**envelope, **{name: value for name, value in items.items() if value is not None}}
        posted = _posted(self.__cluster.post_demand(message, dry_run=dry_run))
        if not dry_run:
            self.sequence = sequence
        return posted

    def __repr__(self) -> str:
        return f"Demand({self.cluster!r}, {self.source!r}, service={self.service!r})"


def _posted(answer: Mapping[str, Any]) -> Posted:
    aside = answer.get("setAside") or {}
    items = aside.get("items", [])
    warnings = [*answer.get("warnings", ())]
    for item in items:
        named = repr(item["name"]) if item["name"] is not None else f"number {item['index']}"
        warnings.append(f"{item['kind']} {named} was set aside: {'; '.join(item['problems'])}")
    if aside.get("count", 0) > len(items):
        warnings.append(f"{aside['count'] - len(items)} more were set aside")
    for warning in warnings:
        _log.warning("%s", warning)
    return Posted(tuple(warnings), answer)
