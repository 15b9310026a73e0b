#!/usr/bin/env bash
# Joins the queue at /zkviz/queue with nothing but ZooKeeper's command line, three times.
server=${1:-127.0.0.1:2181} seconds=${2:-3} queue=/zkviz/queue
zkcli=$(command -v zkCli.sh || echo /usr/share/zookeeper/bin/zkCli.sh)
coproc zk { "$zkcli" -server "$server" 2>&1; }

say() { echo "$*" >&"${zk[1]}"; }

hear() { # reads on until a line matches, and keeps what it matched
  while IFS= read -r line <&"${zk[0]}"; do [[ $line =~ $1 ]] && return; done
  echo "shell: zkCli.sh has ended" >&2
  exit 1
}

just_ahead() { # of the names $2, as ls prints them, the one with the next lower number than $1, or else $1
  tr -d ' ' <<<"$2" | tr , '\n' | sed -E 's/.*([0-9]{10})$/\1 &/' | sort | cut -d' ' -f2 |
    grep -B1 -x "$1" | head -1
}

say create ${queue%/*}
say create $queue # says so if it exists
for _ in 1 2 3; do
  say create -s -e $queue/shell-lock-
  hear "^Created $queue/(.*)"
  mine=${BASH_REMATCH[1]}
  while true; do
    say ls $queue
    hear '^\[(.*)\]$'
    ahead=$(just_ahead "$mine" "${BASH_REMATCH[1]}")
    [ "$ahead" = "$mine" ] && break
    say get -w "$queue/$ahead"
    hear "(Node does not exist: |type:NodeDeleted path:)$queue/$ahead$"
  done
  echo "shell: inside"
  sleep "$seconds"
  echo "shell: leaving"
  say delete "$queue/$mine"
done
say quit
wait
