#!/usr/bin/env bash
# The chain figures of docs/results: streaming operations under the named schedules, from data in the
# cache to data in memory, as JSON records. Usage: bench/chain.sh RIDGE DEVICE OUTPUT_FOLDER
set -euo pipefail
source "$(dirname "$0")/records.sh"

for size in 10000 100000 1000000 10000000 100000000; do
  for operations in 2 10; do
    run "chain-$operations-$size" chain --operations "$operations" --size "$size" --schedule all
  done
done
