#!/usr/bin/env bash
# Many sweeps with boundaries on this machine: single sweeps against several in one pass, and what
# boundaries cost. Usage: bench/sweeps.sh DEVICE [SIDE]; records go to sweeps-DEVICE.json.
set -euo pipefail
cd "$(dirname "$0")/.."
device=${1:?usage: bench/sweeps.sh DEVICE [SIDE]}
side=${2:-512}
ridge=${RIDGE:-build/ridge}
prefix=sweeps-${device//:/-}
size=${side}x${side}x${side}

records=()
run() { # NAME ARGUMENTS...
  local file=$prefix-$1.json
  shift
  "$ridge" bench "$@" --device "$device" --json > "$file"
  python3 bench/print_records.py "$file"
  records+=("$file")
}

# The limit of a single sweep, and what a graph and the layout of the fields cost beside it.
run laplacian laplacian --size "$size"
for precision in fp64 fp32; do
  run "heat-$precision" heat --size "$size" --precision "$precision" --steps 64 --schedule all --repeat 5
  run "wave-$precision" wave --size "$size" --precision "$precision" --steps 64 --schedule all --repeat 5
done
# One more launch a sweep sets the points beyond the faces.
for boundary in untouched x=dirichlet:0,y=dirichlet:0,z=dirichlet:0 z=periodic y=periodic x=periodic \
    x=neumann:0,y=neumann:0,z=neumann:0; do
  run "heat-${boundary//[^a-z0-9]/-}" heat --size "$size" --steps 64 --repeat 5 --boundary "$boundary" --schedule sweeps=1
done
for order in 4 6 8; do
  run "heat$order" "heat$order" --size "$size" --steps 24 --repeat 5 --schedule all --boundary x=periodic,y=mirror,z=neumann:0
done
echo "${records[*]}"
