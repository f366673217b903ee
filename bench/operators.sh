#!/usr/bin/env bash
# Records of operators of lattice gauge theory on a GPU: all sites, even sites, domain walls under
# launch widths, clover, staggered, and an operator of a file.
# Usage: operators.sh RIDGE DEVICE FOLDER
set -euo pipefail
ridge=$1 device=$2 folder=$3
here=$(dirname "$0")
mkdir -p "$folder"

# run NAME KERNEL [OPTIONS]: writes FOLDER/NAME.json and prints a line a record.
run() {
  local name=$1
  shift
  "$ridge" bench "$@" --device "$device" --repeat 9 --json >"$folder/$name.json"
  python3 "$here/print_records.py" "$folder/$name.json"
}

for precision in fp64 fp32; do
  for kernel in wilson wilson-even-odd clover staggered; do
    run "$kernel-$precision" $kernel --size 32x32x32x64 --precision $precision
  done
  run "laplacian-$precision" "$here/../examples/site_operator/laplacian.hpp:Laplacian" --size 32x32x32x64 --precision $precision
done
run dwf-ls16-fp32 dwf --size 32x32x32x32 --ls 16 --schedule all
run dwf-ls12-fp32 dwf --size 32x32x32x32 --ls 12 --schedule all
