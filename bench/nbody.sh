#!/usr/bin/env bash
# A Plummer sphere of 65536 bodies over one crossing time, in every precision: JSON records.
# Usage: nbody.sh RIDGE DEVICE FOLDER
set -euo pipefail
ridge=$1 device=$2 folder=$3
mkdir -p "$folder"
plummer() { # name, options
  local name=$1
  shift
  echo "$name" >&2
  "$ridge" nbody --plummer 65536 --softening 0.01 --device "$device" --json "$@" \
    >"$folder/nbody-plummer-65536-$name.json"
}
for precision in fp32 mixed fp64; do
  plummer $precision --precision $precision --dt 9.765625e-4 --steps 2896 --every 362
done
plummer mixed-yoshida4 --precision mixed --integrator yoshida4 --dt 1.953125e-3 --steps 1448 --every 181
