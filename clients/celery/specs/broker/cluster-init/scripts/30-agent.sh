#!/usr/bin/env bash
# The agent: reads Celery and its broker, posts what is wanted, and drains workers when it is asked to.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
jetpack download ccscale-agent.tgz "$work/ccscale-agent.tgz" --project ccscale-celery
tar -xzf "$work/ccscale-agent.tgz" -C "$work"
rm -rf /opt/ccscale.old
if [ -d /opt/ccscale ]; then mv /opt/ccscale /opt/ccscale.old; fi
mv "$work/ccscale" /opt/ccscale
chown -R root:root /opt/ccscale

python3 "$CYCLECLOUD_SPEC_PATH/files/write_agent_config.py" \
  --cluster "$(jetpack config cyclecloud.cluster.name)" \
  --source "$(jetpack config ccscale.source celery)" \
  --minimum "$(jetpack config ccscale.min_core_count 4)" \
  --buffer "$(jetpack config ccscale.warm_buffer 2)" \
  --output /etc/ccscale/agent.json
chgrp celery /etc/ccscale/agent.json
chmod 640 /etc/ccscale/agent.json

umask 027
{
  printf 'AutoscaleStorage__accountName=%s\n' "$(jetpack config ccscale.storage_account)"
  printf 'AZURE_CLIENT_ID=%s\n' "$(jetpack config ccscale.identity_client_id '')"
  printf 'PYTHONPATH=/opt/celery\n'
} >/etc/ccscale/agent.env
chgrp celery /etc/ccscale/agent.env

install -m 644 /opt/ccscale/ccscale-agent.service /etc/systemd/system/ccscale-agent.service
install -d -m 755 /etc/systemd/system/ccscale-agent.service.d
cat >/etc/systemd/system/ccscale-agent.service.d/celery.conf <<'UNIT'
[Service]
User=celery
Group=celery
EnvironmentFile=/etc/ccscale/celery.env
UNIT
systemctl daemon-reload
systemctl enable ccscale-agent
systemctl restart ccscale-agent
for program in add_tasks.py check_tasks.py watch_cluster.py; do
  install -m 755 "$CYCLECLOUD_SPEC_PATH/files/$program" "/opt/celery/$program"
done
