#!/usr/bin/env python3
"""Writes the agent's settings as JSON: values from CycleCloud are data, and never part of a script."""

import argparse
import json

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--cluster", required=True)
parser.add_argument("--driver", required=True)
parser.add_argument("--section", type=json.loads, default={}, help="the driver's settings, as JSON")
parser.add_argument("--output", required=True)
given = parser.parse_args()

settings = {
    "cluster": given.cluster,
    "source": given.driver,
    "driver": given.driver,
    "wake_file": "/run/ccscale-agent/wake",
    given.driver: given.section,
}
with open(given.output, "w", encoding="utf-8") as file:
    json.dump(settings, file, indent=2)
    file.write("\n")
