#!/bin/sh
# Measures passes of several sweeps on the GPU here, variant by variant: bench/gpu_pass.sh [SIZE...]
# Needs nvcc of CUDA 12 or later and a GPU of compute capability 9.0. With SANITIZE=1 it runs them
# once more under compute-sanitizer, at a small size.
set -e
cd "$(dirname "$0")/.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
flags="-std=c++20 -O3 -arch=native -DRIDGE_TARGET_CUDA -Iinclude --expt-relaxed-constexpr -diag-suppress 177"
sizes=${*:-301x37x29 130x259x41 512x512x512 1024x1024x1024}
nvidia-smi --query-gpu=name,clocks.sm,clocks.max.sm --format=csv,noheader
for precision in "" -DSINGLE; do
  nvcc $flags $precision -x cu bench/gpu_pass.cu -x cu src/stencil/pass_plan.cpp -o "$scratch/bench"
  "$scratch/bench" $sizes
  if [ -n "$SANITIZE" ]; then
    for tool in memcheck racecheck; do
      compute-sanitizer --error-exitcode 1 --tool $tool "$scratch/bench" 301x37x29
    done
  fi
done
