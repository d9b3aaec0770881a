#!/usr/bin/env bash
# Hands a CycleCloud cluster with Slurm from azslurm to ccscale, or back. Jobs that run go on, jobs that wait keep their place.
# Each direction may be run again. Where something is missing, it stops before it changed anything.
set -euo pipefail

home=${CCSCALE_HOME:-/opt/ccscale}
settings=${CCSCALE_SETTINGS:-/etc/ccscale}
units=${CCSCALE_UNITS:-/etc/systemd/system}
# Nodes read the files where the links of /etc/slurm lead.
conf=$(readlink -f "${SLURM_CONF:-/etc/slurm/slurm.conf}")
folder=$(dirname "$conf")
# While it is there, azslurmd does not start.
marker=$settings/has-slurm
mark='#ccscale# '
# What cyclecloud.conf says instead. The includes have the nodes of azslurm, and the nodes that it keeps.
replaced='Include[ \t]+(azure|keep_alive)\.conf|(ReturnToService|PrivateData|SuspendTime|SuspendProgram|ResumeProgram|ResumeFailProgram)='

# The agent's environment, as systemd reads it: no line of it is run.
read_environment() {
  local line
  [ -f "$settings/agent.env" ] || return 0
  while IFS= read -r line; do
    if [[ $line =~ ^[A-Za-z_][A-Za-z0-9_]*= ]]; then export "${line?}"; fi
  done <"$settings/agent.env"
}

draw_up() { # folder
  local place=()
  # The agent's host reads the service's storage, unless it was told the service's address.
  [ -n "${CCSCALE_URL-}" ] || place=(--storage)
  "$home/bin/node" "$home/ccscale.mjs" slurm config "${place[@]}" --agent "$settings/agent.json" --write "$1" --yes
}

# Replaces a file as a whole, with its owner and its rights.
replace() { # file; its new text is read
  local draft
  draft=$(mktemp "$1.XXXXXX")
  cp -p "$1" "$draft"
  cat >"$draft"
  mv "$draft" "$1"
}

names_in() { # hostlists, one a line
  while IFS= read -r list; do scontrol show hostnames "$list"; done | sort -u
}

# A node with jobs that has no line any more takes its jobs along when the controller starts.
refuse_to_lose_nodes() { # folder of the new files
  local lost
  lost=$(comm -13 \
    <(sed -n 's/^NodeName=\([^ ]*\).*/\1/p' "$1/cyclecloud.conf" | names_in) \
    <(squeue --noheader --states=running,completing,configuring,suspended --format=%N | grep . | sort -u | names_in))
  [ -z "$lost" ] && return 0
  echo "Nothing was changed: these nodes have jobs and would have no line: $(tr '\n' ' ' <<<"$lost")" >&2
  echo "See node_prefix, partitions and max_nodes in $settings/agent.json." >&2
  exit 1
}

set_cron() { # sed expression
  local table
  table=$(crontab -l 2>/dev/null) || return 0
  sed -E "$1" <<<"$table" | crontab -
}

restart_controller() {
  systemctl restart slurmctld
  local tries
  for ((tries = 0; tries < 60; tries++)); do
    if scontrol ping >/dev/null 2>&1 && [ -n "$(sinfo --noheader 2>/dev/null)" ]; then return 0; fi
    sleep 1
  done
  echo "slurmctld does not answer: see its log. $0 has the way back." >&2
  exit 1
}

is_running() { systemctl is-active --quiet slurmctld; }

to_ccscale() {
  read_environment
  local draft
  draft=$(mktemp -d)
  # shellcheck disable=SC2064
  trap "rm -rf '$draft'" EXIT
  draw_up "$draft" >/dev/null
  if is_running; then refuse_to_lose_nodes "$draft"; fi

  touch "$marker"
  install -d -m 755 "$units/azslurmd.service.d"
  printf '[Unit]\nConditionPathExists=!%s\n' "$marker" >"$units/azslurmd.service.d/ccscale.conf"
  systemctl daemon-reload
  systemctl stop azslurmd
  set_cron "s/^([^#].*return_to_idle\.sh)/$mark\1/"

  draw_up "$folder"
  [ -e "$conf.azslurm" ] || cp -p "$conf" "$conf.azslurm"
  {
    grep -v "$mark\$" "$conf" | sed -E "s/^($replaced)/$mark\1/I"
    echo "Include $folder/cyclecloud.conf $mark"
  } | replace "$conf"
  if is_running; then restart_controller; fi
  systemctl enable ccscale-agent
  systemctl restart ccscale-agent
  echo "Slurm has the nodes of ccscale. Next: ccscale config set read_only false"
}

to_azslurm() {
  systemctl disable ccscale-agent
  systemctl stop ccscale-agent
  rm -f "$marker" "$units/azslurmd.service.d/ccscale.conf"
  systemctl daemon-reload
  set_cron "s/^$mark//"
  restore | replace "$conf"
  azslurm scale --no-restart
  if is_running; then
    # Slurm powers no node up that was powered down less than this before.
    { restore && echo "SuspendTimeout=1 $mark"; } | replace "$conf"
    restart_controller
    give_back_nodes
    restore | replace "$conf"
    scontrol reconfigure
  fi
  systemctl enable azslurmd
  systemctl start azslurmd
  echo "Slurm has the nodes of azslurm."
}

restore() { grep -v "$mark\$" "$conf" | sed "s/^$mark//"; }

# Nodes that the agent kept down because they are not there: Slurm may power them up again.
give_back_nodes() {
  local away tries states
  away=$(sinfo --noheader --Node --states=down --format='%N %E' | sed -n 's/ cyclecloud$//p' | sort -u)
  [ -z "$away" ] && return 0
  # shellcheck disable=SC2086
  away=$(scontrol show hostlist "$(echo $away | tr ' ' ,)")
  scontrol update "NodeName=$away" State=POWER_DOWN_FORCE
  scontrol update "NodeName=$away" State=RESUME
  for ((tries = 0; tries < 60; tries++)); do
    states=$(sinfo --noheader --Node --nodes="$away" --format=%T || true)
    if ! grep -qv '~' <<<"$states"; then return 0; fi
    sleep 1
  done
  echo "$away: Slurm powers them up when SuspendTimeout is over" >&2
}

case ${1-} in
  ccscale) to_ccscale ;;
  azslurm) to_azslurm ;;
  *)
    echo "expected $0 ccscale or $0 azslurm" >&2
    exit 2
    ;;
esac
