#!/usr/bin/env python3
"""Adds tasks and prints their ids: add_task.py [COUNT] [SECONDS]."""

import sys

from tasks import wait

count = int(sys.argv[1]) if len(sys.argv) > 1 else 1
seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 60.0
for _ in range(count):
    print(wait.delay(seconds).id)
