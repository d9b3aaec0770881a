#!/usr/bin/env python3
"""Writes where the autoscaler is and how to log in, from the node's configuration: write_settings.py FILE.

The values never become arguments of a command, because every user of the node can see those.
"""

import json
import os
import shutil
import subprocess
import sys


def configured(key):
    found = subprocess.run(["jetpack", "config", key, ""], stdout=subprocess.PIPE, check=False, text=True)
    return found.stdout.strip() if found.returncode == 0 else ""


settings = {name: configured(f"ccscale.{name}") for name in ("url", "cluster", "key", "audience", "client_id")}
if not settings["url"]:
    print("ccscale.url is not set: this node asks for no targets")
    sys.exit(0)
if not settings["key"] and not settings["audience"]:
    sys.exit("ccscale.key: not set, expected a function key, or ccscale.audience for a managed identity")
settings["cluster"] = settings["cluster"] or configured("cyclecloud.cluster.name")

path, group = sys.argv[1], configured("ccscale.group")
os.makedirs(os.path.dirname(path), mode=0o755, exist_ok=True)
# Readable to nobody else from its first byte on.
with open(os.open(f"{path}.new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
    json.dump({name: value for name, value in settings.items() if value}, file, indent=2)
if group:
    shutil.chown(f"{path}.new", group=group)
    os.chmod(f"{path}.new", 0o640)
os.replace(f"{path}.new", path)
