#!/usr/bin/env bash
# A worker: as many tasks at once as there are cpus, under the node's own host name, by which the autoscaler knows it.
set -euo pipefail

cat >/etc/systemd/system/celery-worker.service <<'UNIT'
[Unit]
Description=Celery worker
After=network-online.target
Wants=network-online.target

[Service]
User=celery
Group=celery
WorkingDirectory=/opt/celery
EnvironmentFile=/etc/ccscale/celery.env
ExecStart=/usr/bin/python3 -m celery -A work worker -n celery@%%h -O fair --loglevel info
# SIGTERM lets running tasks end, and gives those that have not begun back to the broker.
KillMode=mixed
TimeoutStopSec=infinity
Restart=on-failure
RestartSec=5

[Install]
WantedBy=multi-user.target
UNIT
systemctl daemon-reload
systemctl enable celery-worker
systemctl restart celery-worker
