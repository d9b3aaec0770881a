#!/usr/bin/env bash
# Slurm: the agent in place of azslurm, on the scheduler that CycleCloud's Slurm project has set up. Nodes need nothing of ours.
set -euo pipefail

install -m 755 "$CYCLECLOUD_SPEC_PATH/files/switch_slurm.sh" /opt/ccscale/switch_slurm.sh
/opt/ccscale/write_agent_config.py --driver slurm \
  --cluster "$(jetpack config cyclecloud.cluster.name)" \
  --section "$(jetpack config ccscale.settings '{}')" \
  --output /etc/ccscale/agent.json

conf=$(readlink -f /etc/slurm/slurm.conf)
install -d -m 755 /etc/systemd/system/ccscale-agent.service.d
cat >/etc/systemd/system/ccscale-agent.service.d/scheduler.conf <<UNIT
[Unit]
After=slurmctld.service

[Service]
Environment=PATH=$(dirname "$(command -v scontrol)"):/usr/bin:/bin
# Where settings say that it keeps the files of Slurm.
ReadWritePaths=$(dirname "$conf")
UNIT
systemctl daemon-reload

if [ "$(jetpack config ccscale.take_over true)" != true ]; then
  echo "azslurm stays until somebody runs /opt/ccscale/switch_slurm.sh ccscale"
  exit 0
fi
# The service has not seen a cluster that starts for the first time.
for ((tries = 0; tries < 20; tries++)); do
  if /opt/ccscale/switch_slurm.sh ccscale; then exit 0; fi
  sleep 30
done
echo "The service does not know this cluster: was its configuration pushed?" >&2
exit 1
