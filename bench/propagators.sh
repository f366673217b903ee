#!/usr/bin/env bash
# Propagators on a GPU: domain walls in double and in mixed precision, Wilson columns one after the
# other, at once and in 16 bits, and the hopping term of several right-hand sides.
# Usage: propagators.sh RIDGE DEVICE FOLDER
set -euo pipefail
ridge=$(realpath "$1"); device=$2; mkdir -p "$3"; cd "$3"
lattice() { [ -e "$1" ] || "$ridge" gauge heatbath --size "$2" --beta 6.0 --sweeps 4 -o "$1" --device "$device" | tail -1; }
solve() { # NAME WORDS...
  local name=$1; shift
  echo "$name: $*"
  "$ridge" solve "$@" --tol 1e-10 -o "$name.h5" --overwrite --device "$device" | grep -E "^ +(0|11) |iterations in"
}
lattice small.nersc 16x16x16x32
lattice large.nersc 24x24x24x48
# What is compiled on demand is compiled first.
solve warm dwf small.nersc --mass 0.5 --ls 12
for precision in fp64 mixed; do
  solve "dwf-$precision" dwf small.nersc --mass 0.05 --ls 12 --precision $precision
done
for columns in 12 4 1; do
  for precision in mixed fp64; do
    solve "wilson-$columns-$precision" wilson large.nersc --kappa 0.12 --columns $columns --precision $precision
  done
done
for kappa in 0.12 0.14; do
  solve "wilson-$kappa-mixed" wilson large.nersc --kappa $kappa --columns 12
  solve "wilson-$kappa-fp64" wilson large.nersc --kappa $kappa --columns 12 --precision fp64
  solve "wilson-$kappa-fixed16" wilson large.nersc --kappa $kappa --precision fixed16
done
for precision in fp32 fp64; do
  "$ridge" bench wilson-even-odd --site links18 --size 32x32x32x64 --precision $precision --device "$device"
  for rhs in 2 3 4 6 12; do
    "$ridge" bench wilson-columns --rhs $rhs --size 32x32x32x64 --precision $precision --device "$device"
  done
done
