#!/usr/bin/env bash
# Runs one step of a build and prints a line for it: its name and how long it took. What the command
# says goes to a file, and is shown when it fails; with VERBOSE=1 it is shown at once instead.
# Usage: step.sh NAME LOG COMMAND...
set -uo pipefail
name=$1 log=$2
shift 2
[[ -n "${VERBOSE:-}" ]] && exec "$@"

# Lines of ninja and of make: [57/120] and [ 47%].
ninja='^\[([0-9]+)/([0-9]+)\]' make='^\[ *([0-9]+)%\]'
follow() {
  while IFS= read -r line; do
    printf '%s\n' "$line"
    [[ -t 2 ]] || continue
    if [[ "$line" =~ $ninja ]]; then
      printf '\r\033[K%s %s of %s …' "$name" "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" >&2
    elif [[ "$line" =~ $make ]]; then
      printf '\r\033[K%s %s %% …' "$name" "${BASH_REMATCH[1]}" >&2
    fi
  done >"$log"
}

mkdir -p "$(dirname "$log")"
printf '%s … ' "$name" >&2
"$@" 2>&1 </dev/null | follow
status=$?
[[ -t 2 ]] && printf '\r\033[K%s … ' "$name" >&2
if [[ $status -ne 0 ]]; then
  printf 'failed\n' >&2
  grep -Ev "$ninja|$make" "$log" >&2
  printf '%s: failed after %s s; %s has all it said\n' "$name" "$SECONDS" "$log" >&2
  exit "$status"
fi
printf '%s s\n' "$SECONDS" >&2
