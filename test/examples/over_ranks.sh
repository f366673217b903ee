#!/usr/bin/env bash
# What an example over ranks finds does not depend on how many there are. Usage: over_ranks.sh
# PROGRAM MPIRUN -n
set -euo pipefail
program=$1
shift
found() { sed -n 's/^[^ ]*: \(.*\), grid .*/\1/p'; }

for device in cpu simt:32; do
  one=$("$program" "$device" | found)
  [[ -n "$one" ]]
  for ranks in 2 3 4; do
    several=$("$@" "$ranks" "$program" "$device" | found)
    echo "$device: $one on one rank, $several on $ranks"
    [[ "$several" == "$one" ]]
  done
done
