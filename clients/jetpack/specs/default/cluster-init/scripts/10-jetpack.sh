#!/usr/bin/env bash
# Puts our `jetpack autoscale` and `jetpack.autoscale` before CycleCloud's, and leaves all else of jetpack as it is.
# CCSCALE_ROOT: another root folder than /, for tests.
set -euo pipefail

root=${CCSCALE_ROOT:-}
target=$root/opt/ccscale-jetpack

install -d -m 755 "$target" "$root/etc/profile.d"
cp -R "$CYCLECLOUD_SPEC_PATH/files/bin" "$CYCLECLOUD_SPEC_PATH/files/lib" "$target/"
chmod -R a+rX "$target"
chmod 755 "$target/bin/jetpack"
echo "export PATH=$target/bin:\$PATH" >"$root/etc/profile.d/zz-ccscale-jetpack.sh"

# The distribution's Python, and the one that comes with jetpack, which scripts run with for its modules.
chosen=
for python in "$root/usr/bin/python3" "$root/opt/cycle/jetpack/system/embedded/bin/python"; do
  [ -x "$python" ] || continue
  if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 9))'; then
    echo "$python is older than Python 3.9 and stays as it is: its scripts do not reach the autoscaler" >&2
    continue
  fi
  folder=$("$python" -c 'import site; print(site.getsitepackages()[0])')
  install -d -m 755 "$folder"
  printf '%s\nimport ccscale_jetpack_path\n' "$target/lib" >"$folder/ccscale-jetpack.pth"
  chosen=${chosen:-$python}
done
# The command runs with the first of them.
echo "$chosen" >"$target/python"

if [ -n "$chosen" ]; then
  "$chosen" "$CYCLECLOUD_SPEC_PATH/files/write_settings.py" "$root/etc/ccscale/client.json"
elif [ -n "$(jetpack config ccscale.url "")" ]; then
  echo "ccscale.url is set, and there is no Python 3.9 or later on this node, expected one to set targets with" >&2
  exit 1
fi
