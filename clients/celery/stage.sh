#!/usr/bin/env bash
# Packs the agent as one script, and a Node.js to run it, into blobs/ccscale-agent.tgz, for `cyclecloud project upload`.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT

cd "$root"
npm install --no-audit --no-fund --silent

app=$stage/ccscale
mkdir -p "$app/bin" "$here/blobs"
# One script with all it needs. Libraries in it that are older than modules look for a `require`.
node_modules/.bin/esbuild clients/cli/main.ts --bundle --platform=node --target=node22 --format=esm \
  --outfile="$app/ccscale.mjs" --log-level=warning \
  --banner:js='import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);'
cp package.json LICENSE clients/agent/ccscale-agent.service "$app/"
cp "$(node_modules/.bin/node -p process.execPath)" "$app/bin/node"
cp clients/agent/wake-agent.sh "$app/bin/"

tar -C "$stage" -czf "$here/blobs/ccscale-agent.tgz" ccscale
ls -lh "$here/blobs/ccscale-agent.tgz"
