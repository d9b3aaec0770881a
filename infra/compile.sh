#!/usr/bin/env bash
# Compiles every Bicep file and the explained parameters with the compiler that is there: `bicep`, or the one of the Azure CLI.
set -euo pipefail
cd "$(dirname "$0")"

if command -v bicep >/dev/null; then
  build() { bicep build --stdout "$1"; }
  build_parameters() { bicep build-params --stdout "$1"; }
elif command -v az >/dev/null && az bicep version >/dev/null 2>&1; then
  build() { az bicep build --stdout --file "$1"; }
  build_parameters() { az bicep build-params --stdout --file "$1"; }
else
  echo "No Bicep compiler: install bicep, or run az bicep install" >&2
  exit 1
fi

for file in *.bicep modules/*.bicep; do
  echo "infra/$file"
  build "$file" >/dev/null
done
for file in *.bicepparam; do
  echo "infra/$file"
  build_parameters "$file" >/dev/null
done
