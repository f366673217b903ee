#!/usr/bin/env bash
# Loops of the portability wiki. Usage: bench/loops.sh RIDGE [DEVICE [OUTPUT_FOLDER [TURNS]]]
# JSON records of elements and cloud models under the wiki's loops, and of ten operations in ten launches and in one,
# in turns: each schedule's least and greatest time over these.
set -euo pipefail
ridge=$(realpath "$1") device=${2:-cpu} folder=${3:-} turns=${4:-3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
folder=${folder:-$work}
elements=5400 models=4096 words=()
tiles="fission;tile=4x4x1;tile=4x4x72x1;tile=4x4x72x8;tile=4x4x8x4;auto"
models_tiles="fission;tile=allxallxallx1;tile=allxallxallx4;auto"
if [[ $device != cpu ]]; then
  elements=86400 models=65536 tiles="fission;fused" models_tiles="fission;fused;auto"
fi
for turn in $(seq "$turns"); do
  run() { "$ridge" bench "${@:2}" --device "$device" --json >"$folder/loops-$1-$turn.json"; }
  run elements elements --size 4x4x72x$elements --schedule "$tiles"
  run merged elements --size 4x4x$((72 * elements)) --schedule auto
  run cloud-models cloud-models --size 64x1x28x$models --schedule "$models_tiles"
  run everywhere cloud-models-everywhere --size 64x1x28x$models --schedule auto
  for items in 1000 10000 100000 1000000 10000000; do
    run launches-$items chain --size $items --schedule "fission;fused" --no-roof
  done
done
python3 - "$folder" <<'PY'
import collections, json, pathlib, sys
seen = collections.defaultdict(list)
for file in sorted(pathlib.Path(sys.argv[1]).glob("loops-*.json")):
    for r in json.loads(file.read_text()):
        assert r["check"]["ok"], (file, r["schedule"])
        size = "x".join(map(str, r["size"]))
        seen[r["kernel"], size, r.get("schedule_name") or r["schedule"]].append(r)
for (kernel, size, schedule), all in seen.items():
    times = [1e6 * r["seconds"] for r in all]
    alone = [1e6 * r["launch_seconds"] for r in all if "launch_seconds" in r]
    fraction = max(r.get("fraction") or 0 for r in all)
    print(f"{kernel:24} {size:16} {schedule:60} {min(times):11.1f} to {max(times):11.1f} us"
          + (f"  of copy {fraction:.2f}" if fraction else "")
          + (f"  launches alone {min(alone):.1f} us" if alone else ""))
PY
