#!/usr/bin/env bash
# The broker: Redis with a password, on the private address, with its queue on disk.
set -euo pipefail

export DEBIAN_FRONTEND=noninteractive
apt-get install -y -qq --no-install-recommends redis-server

address=$(jetpack config cloud.local_ipv4)
password=$(jetpack config ccscale.broker.password)
umask 027
cat >/etc/redis/ccscale.conf <<REDIS
bind 127.0.0.1 $address
protected-mode yes
requirepass $password
appendonly yes
appendfsync everysec
maxmemory-policy noeviction
REDIS
chgrp redis /etc/redis/ccscale.conf
if ! grep -q '^include /etc/redis/ccscale.conf' /etc/redis/redis.conf; then
  printf '\ninclude /etc/redis/ccscale.conf\n' >>/etc/redis/redis.conf
fi
systemctl enable redis-server
systemctl restart redis-server
