#!/usr/bin/env bash
# The stencil figures of docs/results: the named schedules and the default at the sizes of interest, as
# JSON records. Usage: bench/stencil.sh RIDGE DEVICE OUTPUT_FOLDER
set -euo pipefail
source "$(dirname "$0")/records.sh"

sizes="512x512x512 1024x1024x1024 2048x2048x256 4096x4096x64"
# Rows narrower than a march's widest tile, and rows that do not begin at whole cache lines.
awkward="256x256x256 500x500x500"
[[ "$device" == cpu ]] && sizes="512x512x512 1024x1024x256" awkward=""
for size in $sizes $awkward; do
  for precision in fp64 fp32; do
    run "laplacian-$size-$precision" laplacian --size "$size" --precision "$precision" --schedule all
  done
done
for kernel in laplacian4 laplacian6 laplacian8 box27 diffusion; do
  run "$kernel-512x512x512-fp64" "$kernel" --size 512x512x512
done
for kernel in laplacian laplacian8; do
  for precision in fp64 fp32; do
    run "$kernel-16384x8192-$precision" "$kernel" --size 16384x8192 --precision "$precision"
  done
done
