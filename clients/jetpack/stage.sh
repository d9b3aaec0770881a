#!/usr/bin/env bash
# Puts the Python module beside the scripts, so that the project can be uploaded as it is.
set -euo pipefail
cd "$(dirname "$0")"
lib=specs/default/cluster-init/files/lib
rm -rf "$lib/ccscale"
cp -R ../python/ccscale "$lib/ccscale"
find "$lib" -name __pycache__ -prune -exec rm -rf {} +
