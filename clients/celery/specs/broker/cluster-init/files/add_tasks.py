#!/usr/bin/env python3
"""Adds tasks and prints the name of the lot: add_tasks.py [COUNT] [SECONDS]."""

import sys

from celery import group

from work import nap

count = int(sys.argv[1]) if len(sys.argv) > 1 else 100
seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 30.0

lot = group(nap.s(seconds) for _ in range(count)).apply_async()
lot.save()
print(lot.id)
