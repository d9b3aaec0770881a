#!/usr/bin/env bash
# The agent and its environment, on the scheduler's host. The script of the scheduler writes its settings and starts it.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
jetpack download ccscale-agent.tgz "$work/ccscale-agent.tgz" --project ccscale-schedulers
tar -xzf "$work/ccscale-agent.tgz" -C "$work"
rm -rf /opt/ccscale.old
if [ -d /opt/ccscale ]; then mv /opt/ccscale /opt/ccscale.old; fi
mv "$work/ccscale" /opt/ccscale
chown -R root:root /opt/ccscale
install -m 755 "$CYCLECLOUD_SPEC_PATH/files/write_agent_config.py" /opt/ccscale/write_agent_config.py

install -d -m 755 /etc/ccscale
umask 077
{
  printf 'AutoscaleStorage__accountName=%s\n' "$(jetpack config ccscale.storage_account)"
  printf 'AZURE_CLIENT_ID=%s\n' "$(jetpack config ccscale.identity_client_id '')"
  # Of the service, where Slurm itself names nodes.
  url=$(jetpack config ccscale.url '')
  if [ -n "$url" ]; then printf 'CCSCALE_URL=%s\nCCSCALE_KEY=%s\n' "$url" "$(jetpack config ccscale.key '')"; fi
} >/etc/ccscale/agent.env
install -m 644 /opt/ccscale/ccscale-agent.service /etc/systemd/system/ccscale-agent.service
