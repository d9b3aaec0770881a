"""`jetpack.autoscale` as CycleCloud documents it: how many nodes of which node arrays a cluster should have.

The autoscaler keeps what is asked for: 128 cores of `execute`, for five minutes.

    jetpack.autoscale.set(name="execute", corecount=128)
    jetpack.autoscale.update([{"Name": "gpu", "TargetCount": 2}], request_set="nightly", expiration_interval=600)
"""

from __future__ import annotations

from typing import Any, Iterable, Mapping, Optional

from ccscale import Demand, InvalidValue, Posted, read_settings
from ccscale.settings import settings_file

__all__ = ["set", "update"]


def set(  # noqa: A001 - the documented name
    name: str = "execute", corecount: Optional[int] = None, instancecount: Optional[int] = None
) -> Posted:
    """One node array: cores, or nodes. Like `update`, it replaces what the request set "standard" wanted."""
    if corecount is None and instancecount is None:
        raise InvalidValue("corecount", "none", "a number of cores, or an instancecount")
    counts = {"TargetCoreCount": corecount, "TargetCount": instancecount}
    return update([{"Name": name, **{key: value for key, value in counts.items() if value is not None}}])


def update(
    arrays: Iterable[Mapping[str, Any]],
    request_set: str = "standard",
    expiration_interval: Optional[float] = None,
) -> Posted:
    """All node arrays that the request set wants now, for `expiration_interval` seconds (300)."""
    if isinstance(arrays, (str, bytes, Mapping)):
        raise InvalidValue("arrays", type(arrays).__name__, "a list of node array definitions")
    cluster = read_settings().get("cluster")
    if not cluster:
        raise InvalidValue("CCSCALE_CLUSTER", "not set", f"the name of the cluster, there or in {settings_file()}")
    demand = Demand(cluster, "jetpack")
    return demand.targets(arrays, request_set=request_set, expiration_interval=expiration_interval)


def __getattr__(name: str) -> Any:
    wanted = "set or update, or ccscale.Demand for jobs"
    raise AttributeError(f"jetpack.autoscale.{name} is no part of CycleCloud's documented API, expected {wanted}")
