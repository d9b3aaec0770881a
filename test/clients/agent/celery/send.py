"""Sends tasks of one to three seconds: python3 send.py COUNT."""

import random
import sys

from work import nap

draw = random.Random(7)
for _ in range(int(sys.argv[1])):
    nap.delay(draw.uniform(1, 3))
