#!/usr/bin/env bash
# The chain figures of docs/results: streaming operations under the named schedules, from data in the
# cache to data in memory, as JSON records. Usage: bench/chain.sh RIDGE DEVICE OUTPUT_FOLDER
set -euo pipefail
ridge=$1 device=$2 folder=$3
here=$(dirname "$0")

for size in 10000 100000 1000000 10000000 100000000; do
  for operations in 2 10; do
    file="$folder/chain-$operations-$size.json"
    "$ridge" bench chain --operations "$operations" --size "$size" --device "$device" --schedule all \
      --json >"$file"
    python3 "$here/print_records.py" "$file"
  done
done
