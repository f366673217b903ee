#!/usr/bin/env bash
# The stencil figures of docs/results: the named schedules and the default at the sizes of interest, as
# JSON records. Usage: bench/stencil.sh RIDGE DEVICE OUTPUT_FOLDER
set -euo pipefail
ridge=$1 device=$2 folder=$3

run() { # name, then arguments of ridge bench
  local name=$1
  shift
  "$ridge" bench "$@" --device "$device" --json >"$folder/$name.json"
  python3 - "$folder/$name.json" <<'PY'
import json, sys
for r in json.load(open(sys.argv[1])):
    size = "x".join(map(str, r["size"]))
    fraction = "-" if r["fraction"] is None else f'{r["fraction"]:.3f}'
    print(f'{r["kernel"]:11} {size:15} {r["precision"]} {r["achieved"] / 1e9:8.1f} GB/s {fraction} '
          f'{"ok" if r["check"]["ok"] else "FAILED"} {r.get("schedule_name", "")}', flush=True)
PY
}

sizes="512x512x512 1024x1024x1024 2048x2048x256 4096x4096x64"
[[ "$device" == cpu ]] && sizes="512x512x512 1024x1024x256"
for size in $sizes; do
  for precision in fp64 fp32; do
    run "laplacian-$size-$precision" laplacian --size "$size" --precision "$precision" --schedule all
  done
done
for kernel in laplacian4 laplacian6 laplacian8 box27 diffusion; do
  run "$kernel-512x512x512-fp64" "$kernel" --size 512x512x512
done
