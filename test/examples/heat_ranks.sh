#!/usr/bin/env bash
# The total of heat over ranks does not depend on how many there are. Usage: heat_ranks.sh PROGRAM
# MPIRUN -n
set -euo pipefail
program=$1
shift
total() { sed -n 's/.* total \([^,]*\),.*/\1/p'; }

for device in cpu simt:32; do
  one=$("$program" "$device" | total)
  [[ -n "$one" ]]
  for ranks in 2 3 4; do
    several=$("$@" "$ranks" "$program" "$device" | total)
    echo "$device: $one on one rank, $several on $ranks"
    [[ "$several" == "$one" ]]
  done
done
