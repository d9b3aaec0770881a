#!/usr/bin/env python3
"""Tells how far a lot of tasks is: check_tasks.py NAME. Ends with 1 while something is left to do, or has failed."""

import collections
import sys

from celery.result import GroupResult

from work import app

if len(sys.argv) != 2:
    sys.exit(__doc__)
lot = GroupResult.restore(sys.argv[1], app=app)
if lot is None:
    sys.exit(f'Cannot find the lot "{sys.argv[1]}": add_tasks.py prints its name, and it is kept for a week')
states = collections.Counter(result.state for result in lot.results)
for state, count in sorted(states.items()):
    print(f"{state:10} {count}")
sys.exit(0 if states["SUCCESS"] == len(lot.results) else 1)
