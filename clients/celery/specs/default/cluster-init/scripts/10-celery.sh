#!/usr/bin/env bash
# On every node: Celery from the distribution, the tasks, and the broker's address for those who may know it.
set -euo pipefail

export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -y -qq --no-install-recommends python3-celery python3-redis

if ! id celery >/dev/null 2>&1; then
  useradd --system --home-dir /opt/celery --shell /usr/sbin/nologin celery
fi
install -d -o root -g celery -m 750 /opt/celery /etc/ccscale
install -o root -g celery -m 640 "$CYCLECLOUD_SPEC_PATH/files/work.py" /opt/celery/work.py

broker=$(jetpack config ccscale.broker.address 127.0.0.1)
password=$(jetpack config ccscale.broker.password)
if [[ ! $password =~ ^[A-Za-z0-9]{16,}$ ]]; then
  echo "ccscale.broker.password: expected at least 16 letters and digits" >&2
  exit 1
fi
umask 027
printf 'CELERY_BROKER_URL=redis://:%s@%s:6379/0\n' "$password" "$broker" >/etc/ccscale/celery.env
chgrp celery /etc/ccscale/celery.env
