#!/usr/bin/env bash
# PBS: the resources that the driver sets, and the agent in place of azpbs.
set -euo pipefail

# Names the server's programs and its folder, PBS_HOME and PBS_EXEC.
# shellcheck disable=SC1091
. /etc/pbs.conf
PATH="$PBS_EXEC/bin:$PATH"

known=$(qmgr -c 'list resource')
added=()
add_resource() { # name, type
  grep -qx "Resource $1" <<<"$known" || qmgr -c "create resource $1 type=$2, flag=h"
  added+=("$1")
}
add_resource nodearray string
add_resource machinetype string
add_resource group_id string
add_resource ungrouped boolean
add_resource ccnodeid string

# The scheduler looks at the resources of one line only.
config=$PBS_HOME/sched_priv/sched_config
for name in "${added[@]}"; do
  grep -Eq "^resources:.*[\", ]${name}[\", ]" "$config" || sed -i "s/^\(resources: *\".*\)\"/\1, $name\"/" "$config"
done
kill -HUP "$(cat "$PBS_HOME/sched_priv/sched.lock")"

# Two autoscalers would buy for the same jobs.
hooks=$(qmgr -c 'list hook')
if grep -qx 'Hook autoscale' <<<"$hooks"; then qmgr -c 'set hook autoscale enabled = false'; fi

/opt/ccscale/write_agent_config.py --driver pbs \
  --cluster "$(jetpack config cyclecloud.cluster.name)" \
  --section "$(jetpack config ccscale.settings '{}')" \
  --output /etc/ccscale/agent.json

install -d -m 755 /etc/systemd/system/ccscale-agent.service.d
cat >/etc/systemd/system/ccscale-agent.service.d/scheduler.conf <<UNIT
[Service]
Environment=PATH=$PBS_EXEC/bin:/usr/bin:/bin
UNIT
systemctl daemon-reload
systemctl enable ccscale-agent
systemctl restart ccscale-agent
