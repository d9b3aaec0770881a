#!/usr/bin/env bash
# Asks the autoscaler whether this node may stop, and says what it answered. Deletes nothing itself: when the answer is
# yes, CycleCloud terminates the node, or deallocates it, as its ShutdownPolicy says.
#
# Reads from the node's configuration (jetpack):
#   autostop.url        https://<app>/api/clusters/<cluster>/autostop
#   autostop.key        a function key, or
#   autostop.username and autostop.password, where the app's setting AUTOSTOP_LOGIN is "basic"
#   autostop.insecure   true: do not check the certificate (tests only)
#
# Ends with 0 when it was answered, yes or no, and also when the autoscaler cannot tell now: the timer asks again. Ends
# with 1 when somebody has to correct something: configuration, login, network.
set -euo pipefail

PATH="$PATH:/opt/cycle/jetpack/bin"

# A key that is not set gives an empty text.
setting() { jetpack config "$1" "" 2>/dev/null || true; }

fail() {
  echo "autostop: $1" >&2
  exit 1
}

# Values for curl's own configuration: quotes and backslashes are escaped, so a password may hold any character.
quoted() {
  local text=${1//\\/\\\\}
  printf '"%s"' "${text//\"/\\\"}"
}

# Given to curl on its standard input: a command line can be read by everybody on the node.
curl_config() {
  printf 'url = %s\n' "$(quoted "$url")"
  printf 'data-urlencode = %s\n' "$(quoted "instance=$instance")"
  if [[ -n $key ]]; then
    printf 'header = %s\n' "$(quoted "x-functions-key: $key")"
  else
    printf 'user = %s\n' "$(quoted "$username:$password")"
  fi
  [[ $insecure != true ]] || echo insecure
}

instance=$(setting cyclecloud.instance.id)
url=$(setting autostop.url)
key=$(setting autostop.key)
username=$(setting autostop.username)
password=$(setting autostop.password)
insecure=$(setting autostop.insecure)

[[ -n $instance ]] || fail "cyclecloud.instance.id is not set, expected the id of this node"
[[ -n $url ]] || fail "autostop.url is not set, expected https://<app>/api/clusters/<cluster>/autostop"
[[ -n $key || (-n $username && -n $password) ]] ||
  fail "no login, expected autostop.key, or autostop.username and autostop.password"

answer=$(mktemp)
trap 'rm -f "$answer"' EXIT
status=$(curl_config | curl --config - --get --silent --show-error --max-time 240 \
  --output "$answer" --write-out '%{http_code}') || fail "cannot reach $url"

# One line, whatever came, for the journal.
said=$(head -c 2000 "$answer" | tr -c '[:print:]' ' ')
case $status in
  200) echo "autostop: yes, this node is going to stop: $said" ;;
  409) echo "autostop: no: $said" ;;
  404) echo "autostop: no node of the cluster is instance $instance: $said" ;;
  429 | 503) echo "autostop: not now, asking again later ($status): $said" ;;
  *) fail "HTTP $status: $said" ;;
esac
