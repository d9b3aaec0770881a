"""Client of the HTTP API of cyclecloud-autoscale. Standard library only, Python 3.9 or later.

    demand = Demand("hpc", "pbs", url="https://my-autoscaler.azurewebsites.net", key=os.environ["CCSCALE_KEY"])
    demand.snapshot(jobs=[{"name": "1201", "constraints": {"ncpus": 4}}])

Without `url`, the address and the login come from CCSCALE_URL, CCSCALE_KEY and CCSCALE_AUDIENCE, or from the file
/etc/ccscale/client.json (CCSCALE_SETTINGS names another one).
"""

from .cluster import Cluster
from .demand import Demand, Posted
from .errors import (
    CcscaleError,
    InvalidValue,
    LoginFailed,
    NotFound,
    Problem,
    Refused,
    ServiceError,
    Unavailable,
    Unreachable,
)
from .login import FunctionKey, ManagedIdentity
from .service import Service
from .settings import read_settings
from .transport import Retry
from .version import __version__

__all__ = [
    "CcscaleError",
    "Cluster",
    "Demand",
    "FunctionKey",
    "InvalidValue",
    "LoginFailed",
    "ManagedIdentity",
    "NotFound",
    "Posted",
    "Problem",
    "Refused",
    "Retry",
    "Service",
    "ServiceError",
    "Unavailable",
    "Unreachable",
    "__version__",
    "read_settings",
]
