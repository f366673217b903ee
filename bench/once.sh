#!/usr/bin/env bash
# Reductions without a loop (reduce=once) beside those of blocks that loop, of one GPU: both precisions, fields of
# 2^20 to 2^28 real numbers. bench/once.sh RIDGE DEVICE FOLDER [KERNEL...], of axpy-norm, norm2, inner and sum, all
# if none is named. Fields of 2^22 come first, under every schedule, so that nothing is compiled while it is timed;
# with SANITIZE=1 they run under compute-sanitizer. What was predicted: docs/design/lattices.md.
set -euo pipefail
ridge=$1 device=$2 folder=$3
here=$(dirname "$0")
mkdir -p "$folder"
shift 3
[ $# -gt 0 ] || set -- axpy-norm norm2 inner sum

# Blocks of 256 threads that loop, the default of every size before, with sums finished by the last block and
# by a launch of its own; a block a tile of 1024, 512 and 256 threads, and of two or four words a thread.
schedules() { # lanes of a site group
  local loop="reduce=fused items=16 bounds=256 groups=$((256 / $1)) spread=0"
  local tile="reduce=once finish=second spread=0 bounds=1024"
  echo "auto;$loop finish=last;$loop finish=second;$tile items=1 groups=$((1024 / $1));\
$tile items=1 groups=$((512 / $1));$tile items=1 groups=$((256 / $1));$tile items=4 groups=$((512 / $1));\
$tile items=4 groups=$((256 / $1))"
}

checked=()
if [[ -n ${SANITIZE:-} ]]; then checked=(compute-sanitizer --error-exitcode 1 --tool memcheck); fi

for kernel in "$@"; do
  for precision in fp64 fp32; do
    lanes=$([[ $precision == fp64 ]] && echo 8 || echo 16)
    common=(bench "lattice-$kernel" --device "$device" --site real --precision "$precision"
      --schedule "$(schedules "$lanes")")
    "${checked[@]}" "$ridge" "${common[@]}" --size $((1 << 22)) --repeat 1 >/dev/null
    for exponent in 20 22 23 24 26 28; do
      name=$kernel-$precision-2^$exponent
      echo "$name"
      "$ridge" "${common[@]}" --size $((1 << exponent)) --repeat 15 --json >"$folder/$name.json"
      python3 "$here/print_records.py" "$folder/$name.json"
    done
  done
done
