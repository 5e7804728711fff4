#!/bin/sh
# Brings a project up by Compose and by windlass in turn, and says how long each took.
# Usage: IMAGE=busybox:1 WINDLASS=windlass COMPOSE="docker compose" ./measure.sh [RUNS] [FILE [OPTION...]]
# FILE is compose.yaml beside this script; options go to windlass. The image has to be there: pulling is not measured.
runs=${1:-3}
file=${2:-$(dirname "$0")/compose.yaml}
[ "$#" -gt 1 ] && shift 2 || shift "$#"
windlass=${WINDLASS:-windlass}
compose=${COMPOSE:-docker compose}
state=$(mktemp -d)
trap 'rm -rf "$state"' EXIT

measure() {
  name=$1
  shift
  begin=$(date +%s%N)
  if ! "$@" > "$state/said" 2>&1; then
    echo "$name failed:" >&2
    cat "$state/said" >&2
    $compose -f "$file" down -t 0 > "$state/said" 2>&1
    exit 1
  fi
  end=$(date +%s%N)
  echo "$name $(((end - begin) / 1000000)) ms, load $(cut -d' ' -f1 /proc/loadavg 2> /dev/null)"
  $compose -f "$file" down -t 0 > "$state/said" 2>&1
}

run=0
while [ "$run" -lt "$runs" ]; do
  run=$((run + 1))
  # shellcheck disable=SC2086
  measure compose $compose -f "$file" up -d
  measure windlass "$windlass" up "$file" --yes --detach --state-dir "$state/$run" "$@"
done
