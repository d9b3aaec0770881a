#!/usr/bin/env bash
# An execution host: its daemon may start once the agent has made the host an administrative host, so it tries again until then.
set -euo pipefail

root=$(jetpack config gridengine.root /sched/sge/sge-2011.11)
cell=$(jetpack config gridengine.cell default)
execd=$root/bin/$("$root/util/arch")/sge_execd
if [ ! -x "$execd" ]; then
  echo "No sge_execd at $execd: set gridengine.root in the cluster's template" >&2
  exit 1
fi
cat >/etc/systemd/system/ccscale-execd.service <<UNIT
[Unit]
Description=Grid Engine execution daemon
After=network-online.target remote-fs.target
Wants=network-online.target

[Service]
# In the foreground.
Environment=SGE_ND=1 SGE_ROOT=$root SGE_CELL=$cell
ExecStart=$execd
# Jobs outlive a restart of the daemon.
KillMode=process
Restart=always
RestartSec=5

[Install]
WantedBy=multi-user.target
UNIT
systemctl daemon-reload
systemctl enable ccscale-execd
systemctl restart ccscale-execd
