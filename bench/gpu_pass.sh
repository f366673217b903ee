#!/bin/bash
# Measures passes of several sweeps on the GPU here, variant by variant: bench/gpu_pass.sh [SIZE...]
# Needs nvcc of CUDA 12 or later and a GPU of compute capability 8.0; compiles for a minute or two on
# sixteen cores. With SANITIZE=1 it runs them once more under compute-sanitizer, at a small size. With
# RIDGE=build/ridge that command then compares passes of waves, of order 4 and between faces that move
# with single sweeps, and checks them.
set -e
cd "$(dirname "$0")/.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export scratch
[ $# -gt 0 ] || set -- 301x37x29 130x259x41 512x512x512 1024x1024x1024

# compile KIND SWEEPS ROWS WARPS PRECISION
compile() {
  local options=(-DPASS_SWEEPS="$2" -DPASS_ROWS="$3" -DPASS_WARPS="$4")
  [ "$1" = heat ] || options+=("-D${1^^}")
  [ "$5" = fp64 ] || options+=(-DSINGLE)
  nvcc -std=c++20 -O3 -arch=native -DRIDGE_TARGET_CUDA -Iinclude --expt-relaxed-constexpr -diag-suppress 177 \
    "${options[@]}" -x cu bench/gpu_pass.cu -x cu src/stencil/pass_plan.cpp -o "$scratch/$1-$2-$3-$4-$5"
}
export -f compile

nvidia-smi --query-gpu=name,clocks.sm,clocks.max.sm --format=csv,noheader
for variant in "heat 2 3 12" "heat 3 3 12" "heat 4 2 16" "heat 4 3 12" "wave 2 3 12" "wave 3 2 16" "wave 4 2 16" \
  "mirror 3 3 12" "mirror 4 2 16"; do
  printf '%s fp64\n%s fp32\n' "$variant" "$variant"
done | xargs -P "$(nproc)" -I{} bash -c 'compile {}'
for bench in "$scratch"/*; do
  "$bench" "$@"
  [[ $bench != */mirror-* ]] || "$bench" ppp "$1" pmn "$1" npm "$1"
  if [ -n "$SANITIZE" ]; then
    for tool in memcheck racecheck; do
      compute-sanitizer --error-exitcode 1 --tool $tool "$bench" 301x37x29
    done
  fi
done
[ -n "$RIDGE" ] || exit 0
for kernel in heat wave heat4 wave4; do
  for precision in fp64 fp32; do
    for boundary in untouched x=mirror,y=mirror,z=mirror x=periodic,y=periodic,z=periodic; do
      for size in 301x157x83 512x512x512 1024x1024x1024; do
        "$RIDGE" bench $kernel --device cuda:0 --size $size --steps 24 --precision $precision \
          --boundary $boundary --schedule all
      done
    done
  done
done
