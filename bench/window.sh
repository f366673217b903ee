#!/usr/bin/env bash
# Marches with windows of registers beside tiles of points, the march by bulk copies and the copy, as
# JSON records: bench/window.sh RIDGE DEVICE OUTPUT_FOLDER. What was predicted is in
# docs/design/stencils_on_gpus.md. Schedules that are not compiled ahead are compiled first.
# With SANITIZE=1 small fields run under compute-sanitizer before.
set -euo pipefail
ridge=$1 device=$2 folder=$3
here=$(dirname "$0")
rest="loads=stencil bounds=1024 grid=xyz split=1"
window="$rest stage=window block=32x8x1 tile=2 store=nontemporal"
mkdir -p "$folder"

if [[ -n ${SANITIZE:-} ]]; then
  for tool in memcheck racecheck synccheck; do
    for size in 301x37x29 320x40x32; do
      compute-sanitizer --error-exitcode 1 --tool "$tool" \
        "$ridge" bench laplacian --device "$device" --size "$size" --schedule "$window" --repeat 1
    done
  done
fi

run() { # name, schedule, then arguments of ridge bench
  local name=$1 schedule=$2
  shift 2
  "$ridge" bench "$@" --device "$device" --schedule "$schedule" --json >"$folder/$name.json"
  python3 "$here/print_records.py" "$folder/$name.json"
}

for size in 512x512x512 1024x1024x1024 2048x2048x256 4096x4096x64; do
  for precision in fp64 fp32; do
    ask=(laplacian --size "$size" --precision "$precision")
    at=$size-$precision
    run "points-$at" "kernel5" "${ask[@]}"
    run "points-split-$at" "kernel7" "${ask[@]}"
    run "bulk-$at" auto "${ask[@]}" # where there is a bulk copy engine
    run "window-$at" "$window" "${ask[@]}"
    # What each part of it brings.
    run "window-plain-$at" "$window store=plain" "${ask[@]}"
    run "window-apart-$at" "$window drift=0" "${ask[@]}"
    run "window-pace4-$at" "$window pace=4" "${ask[@]}"
    run "window-wide-$at" "$window block=64x4x1" "${ask[@]}"
    run "window-tall-$at" "$window block=32x16x1" "${ask[@]}"
    run "window-one-$at" "$window tile=1" "${ask[@]}"
  done
done
for kernel in laplacian4 laplacian6 laplacian8 box27 diffusion; do
  for precision in fp64 fp32; do
    run "window-$kernel-$precision" "$window" "$kernel" --size 512x512x512 --precision "$precision"
    run "points-$kernel-$precision" "kernel1 store=nontemporal" "$kernel" --size 512x512x512 \
      --precision "$precision"
  done
done
for size in 500x500x500 511x511x511 1291x1301x1303; do # rows of packs that are no lines, and others
  for precision in fp64 fp32; do
    run "window-$size-$precision" "$window" laplacian --size "$size" --precision "$precision"
  done
done
