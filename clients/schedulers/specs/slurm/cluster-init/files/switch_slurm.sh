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
# The service is away, or does not know the cluster yet: worth another try.
not_drawn_up=75
# What cyclecloud.conf says instead. The includes have the nodes of azslurm, and the nodes that it keeps.
replaced='Include[ \t]+(azure|keep_alive)\.conf|(ReturnToService|TreeWidth|PrivateData|SuspendTime|SuspendProgram|ResumeProgram|ResumeFailProgram)='

# The agent's environment, as systemd reads it: no line of it is run.
read_environment() {
  local line
  [ -f "$settings/agent.env" ] || return 0
  while IFS= read -r line; do
    if [[ $line =~ ^[A-Za-z_][A-Za-z0-9_]*= ]]; then export "${line?}"; fi
  done <"$settings/agent.env"
}

# The files as they would be, in a folder of their own; what stands in Slurm's folder already counts.
draw_up() { # folder
  local place=() name
  for name in cyclecloud.conf gres.conf topology.conf topology.yaml; do
    if [ -e "$folder/$name" ]; then cp "$folder/$name" "$1/"; fi
  done
  # The agent's host reads the service's storage, unless it was told the service's address.
  [ -n "${CCSCALE_URL-}" ] || place=(--storage)
  "$home/bin/node" "$home/ccscale.mjs" slurm config "${place[@]}" --agent "$settings/agent.json" --write "$1" --yes >/dev/null ||
    exit "$not_drawn_up"
}

# Puts a file in its place as a whole, with the owner and the rights of the one that was there, or of the folder.
put() { # from, to
  local draft
  # In the same folder: a file is renamed as a whole only within one file system.
  draft=$(mktemp -p "$(dirname "$2")")
  if [ -e "$2" ]; then cp -p "$2" "$draft"; else chown --reference="$folder" "$draft" && chmod 644 "$draft"; fi
  cat "$1" >"$draft"
  mv "$draft" "$2"
}

# Where one cannot be read, the caller ends.
names_in() { # hostlists, one a line
  local list names all=''
  while IFS= read -r list; do
    [ -n "$list" ] || continue
    names=$(scontrol show hostnames "$list") || return 1
    all+=$names$'\n'
  done
  sort -u <<<"$all" | sed '/^$/d'
}

# A node with jobs that has no line any more takes its jobs along when the controller starts.
refuse_to_lose_nodes() { # file with the new lines
  local lines busy lost
  lines=$(sed -n 's/^NodeName=\([^ ]*\).*/\1/p' "$1" | names_in)
  busy=$(squeue --noheader --states=running,completing,configuring,suspended --format=%N)
  busy=$(names_in <<<"$busy")
  lost=$(comm -13 <(echo "$lines") <(echo "$busy"))
  [ -z "$lost" ] && return 0
  echo "Nothing was changed: these nodes have jobs and would have no line: $(tr '\n' ' ' <<<"$lost")" >&2
  echo "Their node array is switched off, or has other names or fewer nodes there: see node_prefix and max_nodes in $settings/agent.json." >&2
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
  echo "slurmctld does not answer: see its log." >&2
  exit 1
}

is_running() { systemctl is-active --quiet slurmctld; }

to_ccscale() {
  read_environment
  mkdir "$work/files"
  draw_up "$work/files"
  if is_running; then refuse_to_lose_nodes "$work/files/cyclecloud.conf"; fi
  restore | sed -E "s/^($replaced)/$mark\1/I" >"$work/slurm.conf"
  echo "Include $folder/cyclecloud.conf $mark" >>"$work/slurm.conf"

  halfway=true
  touch "$marker"
  install -d -m 755 "$units/azslurmd.service.d"
  printf '[Unit]\nConditionPathExists=!%s\n' "$marker" >"$units/azslurmd.service.d/ccscale.conf"
  systemctl daemon-reload
  if systemctl is-active --quiet azslurmd; then systemctl stop azslurmd; fi
  set_cron "s/^([^#].*return_to_idle\.sh)/$mark\1/"
  local file name
  for file in "$work"/files/*; do
    name=$folder/$(basename "$file")
    case $name in *.bak | *.orig) continue ;; esac
    if cmp -s "$file" "$name"; then continue; fi
    # What azslurm or a person wrote.
    if [ -e "$name" ] && [ ! -e "$name.orig" ] && [[ $(head -n 1 "$name") != *'ccscale slurm config'* ]]; then
      cp -p "$name" "$name.orig"
    fi
    put "$file" "$name"
  done
  [ -e "$conf.azslurm" ] || cp -p "$conf" "$conf.azslurm"
  put "$work/slurm.conf" "$conf"
  if is_running; then restart_controller; fi
  systemctl enable ccscale-agent
  systemctl restart ccscale-agent
  echo "Slurm has the nodes of ccscale. Next: ccscale config set read_only false"
}

to_azslurm() {
  azslurm scale --no-restart
  if is_running; then refuse_to_lose_nodes "$folder/azure.conf"; fi
  restore >"$work/slurm.conf"
  # Slurm powers no node up that was powered down less than this before.
  { cat "$work/slurm.conf" && echo "SuspendTimeout=1 $mark"; } >"$work/hurried.conf"

  halfway=true
  systemctl disable ccscale-agent
  systemctl stop ccscale-agent
  rm -f "$marker" "$units/azslurmd.service.d/ccscale.conf"
  systemctl daemon-reload
  set_cron "s/^$mark//"
  if is_running; then
    put "$work/hurried.conf" "$conf"
    restart_controller
    give_back_nodes || echo "Some nodes stay down: Slurm powers them up after scontrol update NodeName=… State=POWER_DOWN_FORCE" >&2
    put "$work/slurm.conf" "$conf"
    scontrol reconfigure
  else
    put "$work/slurm.conf" "$conf"
  fi
  systemctl enable azslurmd
  systemctl start azslurmd
  echo "Slurm has the nodes of azslurm."
}

# slurm.conf without what this script put there.
restore() { sed "/$mark\$/d; s/^$mark//" "$conf"; }

# Nodes that the agent kept down because they are not there: Slurm may power them up again.
give_back_nodes() {
  local down away states tries
  down=$(sinfo --noheader --Node --states=down --format='%N %E') || return 1
  away=$(sed -n 's/ cyclecloud$//p' <<<"$down" | sort -u | paste -s -d , -)
  [ -z "$away" ] && return 0
  away=$(scontrol show hostlist "$away") || return 1
  scontrol update "NodeName=$away" State=POWER_DOWN_FORCE || return 1
  scontrol update "NodeName=$away" State=RESUME || return 1
  for ((tries = 0; tries < 60; tries++)); do
    states=$(sinfo --noheader --Node --nodes="$away" --format=%T) || return 1
    if ! grep -qv '~' <<<"$states"; then return 0; fi
    sleep 1
  done
  return 1
}

# Between two autoscalers there is none: whoever is left there has to know.
work=$(mktemp -d)
halfway=false
at_end() {
  local code=$?
  rm -rf "$work"
  if [ "$code" != 0 ] && [ "$halfway" = true ]; then
    echo "$0 stopped halfway: run it again, or the other direction." >&2
  fi
}
trap at_end EXIT

case ${1-} in
  ccscale) to_ccscale ;;
  azslurm) to_azslurm ;;
  *)
    echo "expected $0 ccscale or $0 azslurm" >&2
    exit 2
    ;;
esac
