#!/usr/bin/env bash
# Where a device's caches end, its constants as measured, and what the model says with them beside what it says with
# those that ship; then what the doctor says of the sources' own slow launches, proved.
# Usage: bench/caches.sh RIDGE DEVICE OUTPUT_FOLDER
set -euo pipefail
ridge=$1 device=$2 folder=$3
mkdir -p "$folder"

"$ridge" roof --device "$device" --cache --json -o "$folder/device.json" >"$folder/curve.json.part"
mv "$folder/curve.json.part" "$folder/curve.json"

for size in 512x512x512 1024x1024x1024; do
  "$ridge" model laplacian --on "$device" --size $size --schedule all
  "$ridge" model laplacian --on "$folder/device.json" --size $size --schedule all
done

# A proof that contradicts its prediction exits 1: it is said, and the next is run.
prove() {
  "$ridge" doctor "$@" --device "$device" --prove || echo "exit code $?: doctor $*"
}
prove laplacian --size 512x512x512 --schedule kernel1
prove laplacian --size 1024x1024x1024 --schedule kernel5
prove lattice-sum --schedule staged2
prove chain --size 10000 --schedule fission
prove chain --schedule fission
