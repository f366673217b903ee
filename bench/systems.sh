#!/usr/bin/env bash
# Systems of several fields. Usage: bench/systems.sh RIDGE [DEVICE [OUTPUT_FOLDER]]
# JSON records of all built-in systems under their default schedules, in both precisions.
set -euo pipefail
ridge=$(realpath "$1") device=${2:-cuda:0} folder=${3:-}
here=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
folder=${folder:-$work}
cube=384 large=512 lattice=384 plane=8192
[[ $device != cpu ]] || cube=192 large=192 lattice=128 plane=2048

bench() { # name, words
  "$ridge" bench "${@:2}" --device "$device" --json >"$folder/$1.json"
  python3 "$here/bench/print_records.py" "$folder/$1.json"
}
for precision in fp32 fp64; do
  [[ $precision == fp32 ]] || large=$cube lattice=$((lattice * 2 / 3))
  bench acoustic-$precision acoustic --size ${large}x${large}x$large --precision $precision
  for system in elastic maxwell; do
    bench $system-$precision $system --size ${cube}x${cube}x$cube --precision $precision
  done
  bench lbm-d3q19-$precision lbm-d3q19 --size ${lattice}x${lattice}x$lattice --precision $precision
  bench shallow-water-$precision shallow-water --size ${plane}x$plane --precision $precision
done
