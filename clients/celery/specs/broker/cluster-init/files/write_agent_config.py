#!/usr/bin/env python3
"""Writes the agent's settings as JSON: values from CycleCloud are data, and never part of a script."""

import argparse
import json

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--cluster", required=True)
parser.add_argument("--source", required=True)
parser.add_argument("--minimum", type=int, required=True)
parser.add_argument("--buffer", type=int, required=True)
parser.add_argument("--output", required=True)
given = parser.parse_args()

settings = {
    "cluster": given.cluster,
    "source": given.source,
    "driver": "celery",
    "celery": {
        "app": "work",
        "command": ["/usr/bin/python3", "-m", "celery"],
        "queues": ["celery"],
        "min_core_count": given.minimum,
        "warm_buffer": given.buffer,
    },
}
with open(given.output, "w", encoding="utf-8") as file:
    json.dump(settings, file, indent=2)
    file.write("\n")
