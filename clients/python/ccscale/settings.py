"""Where the service is and how to log in, for programs that are not told."""

from __future__ import annotations

import json
import os
from typing import Any, Dict

from .errors import InvalidValue

usual_file = "/etc/ccscale/client.json"
names = ("url", "cluster", "key", "audience", "client_id")


def settings_file() -> str:
    return os.environ.get("CCSCALE_SETTINGS") or usual_file


def read_settings() -> Dict[str, str]:
    """`url`, `cluster`, `key`, `audience`, `client_id`: each from the environment (CCSCALE_URL), else from the file."""
    stored = _stored()
    read = {name: os.environ.get(f"CCSCALE_{name.upper()}") or stored.get(name) for name in names}
    return {name: str(value) for name, value in read.items() if value}


def _stored() -> Dict[str, Any]:
    try:
        with open(settings_file(), encoding="utf-8") as file:
            stored = json.load(file)
    except FileNotFoundError:
        return {}
    except ValueError:
        # The text is not shown: it holds the key.
        raise InvalidValue(settings_file(), "no JSON", "an object with url, cluster and key or audience") from None
    if not isinstance(stored, dict):
        raise InvalidValue(settings_file(), type(stored).__name__, "an object with url, cluster and key or audience")
    return stored
