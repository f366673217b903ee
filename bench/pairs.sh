#!/usr/bin/env bash
# The pairs figures of docs/results: gravity in every precision under the named schedules, from few
# bodies to many, and the other interactions under the default, as JSON records.
# Usage: bench/pairs.sh RIDGE DEVICE OUTPUT_FOLDER
set -euo pipefail
source "$(dirname "$0")/records.sh"

sizes="4096 16384 65536 262144"
[[ "$device" == cpu ]] && sizes="4096 32768"
for precision in fp32 mixed fp64; do
  for size in $sizes; do
    run "gravity-$size-$precision" gravity --size "$size" --precision "$precision" --schedule all
  done
done
largest=${sizes##* }
for kernel in coulomb lennard-jones gaussian biot-savart; do
  for precision in fp32 fp64; do
    run "$kernel-$largest-$precision" "$kernel" --size "$largest" --precision "$precision"
  done
done
