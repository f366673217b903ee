#!/usr/bin/env bash
# Records of the lattice kernels: every reduction and map on fields of 1 GB and more, for each site
# type; 12x12 propagators under all schedules, beside the vendor's sum where there is one.
# Usage: lattice.sh RIDGE DEVICE FOLDER
set -euo pipefail
repeat=9
source "$(dirname "$0")/records.sh"

# Fields of 1 GB and a little more.
size_of() {
  case "$1-$2" in
  real-fp64) echo 64x128x128x128 ;;
  real-fp32) echo 128x128x128x128 ;;
  complex-fp64) echo 64x64x128x128 ;;
  complex-fp32) echo 64x128x128x128 ;;
  vector-fp64) echo 64x64x64x128 ;;
  vector-fp32) echo 64x64x128x128 ;;
  matrix-fp64 | spinor-fp64) echo 32x64x64x64 ;;
  matrix-fp32 | spinor-fp32) echo 64x64x64x64 ;;
  propagator-fp64) echo 32x32x32x32 ;;
  propagator-fp32) echo 32x32x32x64 ;;
  esac
}

for kernel in sum norm2; do
  run "lattice-$kernel-propagator-fp64" "lattice-$kernel" --size 32x32x32x32 --schedule all
done
for site in real complex vector matrix spinor; do
  for kernel in sum norm2 inner; do
    run "lattice-$kernel-$site-fp64" "lattice-$kernel" --site $site --size "$(size_of $site fp64)" \
      --schedule "${LATTICE_SCHEDULE:-auto}"
  done
done
for site in real complex propagator; do
  for kernel in sum norm2; do
    run "lattice-$kernel-$site-fp32" "lattice-$kernel" --site $site --precision fp32 \
      --size "$(size_of $site fp32)"
  done
done
for site in complex propagator; do
  for kernel in axpy scale axpy-norm slice-sum slice-norm2 slice-inner sum-reproducible \
    norm2-reproducible inner-reproducible; do
    run "lattice-$kernel-$site-fp64" "lattice-$kernel" --site $site --size "$(size_of $site fp64)"
  done
done
for precision in fp64 fp32; do
  size=$([ $precision = fp64 ] && echo 64x64x32x32 || echo 64x64x64x32)
  for kernel in residual residual-reproducible; do
    run "lattice-$kernel-$precision" "lattice-$kernel" --precision $precision --size "$size"
  done
done
run lattice-sum-real-small lattice-sum --site real --size 16x16x16x16 --schedule all
run lattice-norm2-real-small lattice-norm2 --site real --size 16x16x16x16 --schedule all
