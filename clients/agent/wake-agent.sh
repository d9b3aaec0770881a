#!/bin/sh
# ResumeProgram, SuspendProgram and ResumeFailProgram of Slurm: has the agent look at once at what Slurm powers up and down.
# It hands nothing over but that: the agent reads Slurm's own states, so that a call that is lost or repeated does no harm.
touch "${CCSCALE_WAKE_FILE:-/run/ccscale-agent/wake}" 2>/dev/null
# Without it the agent looks by itself some seconds later.
exit 0
