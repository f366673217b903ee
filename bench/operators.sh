#!/usr/bin/env bash
# Records of operators of lattice gauge theory on a GPU: all sites, even sites, domain walls under
# launch widths, clover, staggered, and an operator of a file.
# Usage: operators.sh RIDGE DEVICE FOLDER
set -euo pipefail
repeat=9
source "$(dirname "$0")/records.sh"

for precision in fp64 fp32; do
  for kernel in wilson wilson-even-odd clover staggered; do
    run "$kernel-$precision" $kernel --size 32x32x32x64 --precision $precision
  done
  run "laplacian-$precision" "$here/../examples/site_operator/laplacian.hpp:Laplacian" --size 32x32x32x64 --precision $precision
done
run dwf-ls16-fp32 dwf --size 32x32x32x32 --ls 16 --schedule all
run dwf-ls12-fp32 dwf --size 32x32x32x32 --ls 12 --schedule all
