#!/usr/bin/env bash
# The chain figures of docs/results: streaming operations under the named schedules, from data in the
# cache to data in memory, as JSON records. Usage: bench/chain.sh RIDGE DEVICE OUTPUT_FOLDER
set -euo pipefail
ridge=$1 device=$2 folder=$3

for size in 10000 100000 1000000 10000000 100000000; do
  for operations in 2 10; do
    file="$folder/chain-$operations-$size.json"
    "$ridge" bench chain --operations "$operations" --size "$size" --device "$device" --schedule all \
      --json >"$file"
    python3 - "$file" <<'PY'
import json, sys
for r in json.load(open(sys.argv[1])):
    fraction = "-" if r["fraction"] is None else f'{r["fraction"]:.3f}'
    gain = f' graph {r["graph_gain"]:.2f}x' if "graph_gain" in r else ""
    print(f'{r["operations"]:3.0f} operations {r["size"][0]:10} {r["achieved"] / 1e9:8.1f} GB/s '
          f'{fraction} {"ok" if r["check"]["ok"] else "FAILED"} {r["schedule_name"]}{gain}', flush=True)
PY
  done
done
