#!/usr/bin/env bash
# Puts the agent into blobs/ccscale-agent.tgz, for `cyclecloud project upload`.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
"$here/../celery/stage.sh"
mkdir -p "$here/blobs"
cp "$here/../celery/blobs/ccscale-agent.tgz" "$here/blobs/"
