#!/usr/bin/env bash
# Slurm: the agent in place of azslurm, on the scheduler that CycleCloud's Slurm project has set up. Nodes need nothing of ours.
set -euo pipefail

install -m 755 "$CYCLECLOUD_SPEC_PATH/files/switch_slurm.sh" /opt/ccscale/switch_slurm.sh
/opt/ccscale/write_agent_config.py --driver slurm \
  --cluster "$(jetpack config cyclecloud.cluster.name)" \
  --section "$(jetpack config ccscale.settings '{}')" \
  --output /etc/ccscale/agent.json

conf=$(readlink -f /etc/slurm/slurm.conf)
scontrol=$(command -v scontrol) || { echo "No scontrol here: this spec comes after those of CycleCloud's Slurm project" >&2 && exit 1; }
slurm_user=$(sed -nE 's/^SlurmUser=([A-Za-z0-9_-]+).*/\1/Ip' "$conf" | tail -n 1)
install -d -m 755 /etc/systemd/system/ccscale-agent.service.d
cat >/etc/systemd/system/ccscale-agent.service.d/scheduler.conf <<UNIT
[Unit]
After=slurmctld.service

[Service]
Environment=PATH=$(dirname "$scontrol"):/usr/bin:/bin
# Where settings say that it keeps the files of Slurm.
ReadWritePaths=$(dirname "$conf")
# slurmctld touches it.
ExecStartPre=+/usr/bin/install -o ${slurm_user:-root} -m 644 /dev/null /run/ccscale-agent/wake
UNIT
systemctl daemon-reload

# jetpack prints what the template has as True, too.
take_over=$(jetpack config ccscale.take_over true)
if [ "${take_over,,}" != true ]; then
  echo "azslurm stays until somebody runs /opt/ccscale/switch_slurm.sh ccscale"
  exit 0
fi
# The service has not seen a cluster that starts for the first time.
not_drawn_up=75
for ((tries = 0; tries < 20; tries++)); do
  code=0
  /opt/ccscale/switch_slurm.sh ccscale || code=$?
  if [ "$code" != "$not_drawn_up" ]; then exit "$code"; fi
  sleep 30
done
echo "The files of Slurm could not be drawn up: was the cluster's configuration pushed, and may this host read the service's storage?" >&2
exit 1
