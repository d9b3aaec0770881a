#!/usr/bin/env bash
# Grid Engine: the agent on the master's host, as a user who is a manager of the cell.
set -euo pipefail

root=$(jetpack config gridengine.root /sched/sge/sge-2011.11)
cell=$(jetpack config gridengine.cell default)
set +u
# shellcheck disable=SC1090
. "$root/$cell/common/settings.sh"
set -u

manager=$(jetpack config ccscale.manager root)
managers=$(qconf -sm)
if ! grep -Fqx "$manager" <<<"$managers"; then
  echo "User $manager is no manager of the cell: qconf -am $manager" >&2
  exit 1
fi

/opt/ccscale/write_agent_config.py --driver gridengine \
  --cluster "$(jetpack config cyclecloud.cluster.name)" \
  --section "$(jetpack config ccscale.settings)" \
  --output /etc/ccscale/agent.json
chown "$manager" /etc/ccscale/agent.json

install -d -m 755 /etc/systemd/system/ccscale-agent.service.d
cat >/etc/systemd/system/ccscale-agent.service.d/scheduler.conf <<UNIT
[Service]
User=$manager
Environment=SGE_ROOT=$root SGE_CELL=$cell
Environment=PATH=$(dirname "$(command -v qconf)"):/usr/bin:/bin
UNIT
systemctl daemon-reload
systemctl enable ccscale-agent
systemctl restart ccscale-agent
