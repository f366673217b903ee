#!/usr/bin/env bash
# An example writes what its folder says: expected.txt on every device, or expected.KIND.txt where a
# kind of device has output of its own; no file, no run there. Usage: as_expected.sh PROGRAM FOLDER
set -euo pipefail
program=$1 folder=$2
RIDGE_WISDOM=$(mktemp -d)/wisdom
export RIDGE_WISDOM
trap 'rm -rf "$(dirname "$RIDGE_WISDOM")"' EXIT

compared=0
for device in cpu simt:32 simt:64; do
  expected=$folder/expected.${device%%:*}.txt
  [[ -e "$expected" ]] || expected=$folder/expected.txt
  [[ -e "$expected" ]] || continue
  "$program" "$device" | diff "$expected" - || { echo "on $device, compared with $expected"; exit 1; }
  compared=$((compared + 1))
done
[[ $compared -gt 0 ]] || { echo "$folder has no expected output"; exit 1; }
echo "$compared devices write what is expected"
