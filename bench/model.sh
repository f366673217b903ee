#!/usr/bin/env bash
# The model's traffic beside ncu's counters: 28 launches of the Laplacian, four sizes under seven
# schedules, three of which have no name.
#
#   bench/model.sh predict [FOLDER [SIZE...]]   writes FOLDER/predicted.json; needs no GPU
#   bench/model.sh count [FOLDER [SIZE...]]     counts the same launches on cuda:0, writes
#                                               FOLDER/counted.json and prints the errors
#
# FOLDER is docs/results/h200/model by default, whose predictions were committed before anything was counted, as
# were those of other sizes: 640x640x640 1536x1536x384 1920x1080x240 900x800x700 in docs/results/h200/model/second.
# Of a folder `planes` only the four schedules are launched under which planes may be gone when they are
# used again: 896x896x512 1152x1152x384 1408x1408x256 in docs/results/h200/model/planes.
set -euo pipefail
cd "$(dirname "$0")/.."
mode=${1:-}
folder=${2:-docs/results/h200/model}
ridge=${RIDGE:-build/ridge}
case $mode in
  predict) on=(--on h200) ;;
  count) on=(--on cuda:0 --compare) ;;
  *)
    echo "bench/model.sh: the first word is predict or count" >&2
    exit 2
    ;;
esac
rest="ring=5 chunks=1 drift=2 pace=2"
schedules=(
  kernel1 kernel3 kernel5 kernel6
  "block=128x2x1 tile=4 loads=stencil bounds=1024 store=plain grid=xyz split=1 stage=bulk $rest"
  "block=128x4x1 tile=2 loads=ascending bounds=1024 store=plain grid=yxz split=1 stage=none $rest"
  "block=64x4x1 tile=4 loads=stencil bounds=256 store=nontemporal grid=xzy split=2 stage=none $rest"
)
parts=$(mktemp -d)
trap 'rm -rf "$parts"' EXIT
number=0
sizes=(512x512x512 1024x1024x1024 2048x2048x256 700x500x300)
if [[ $# -gt 2 ]]; then
  sizes=("${@:3}")
fi
if [[ $(basename "$folder") == planes ]]; then
  schedules=("${schedules[@]:0:3}" "${schedules[5]}")
fi
for size in "${sizes[@]}"; do
  for schedule in "${schedules[@]}"; do
    number=$((number + 1))
    "$ridge" model laplacian "${on[@]}" --size "$size" --schedule "$schedule" --json \
      >"$parts/$(printf '%03d' $number).json"
    echo "$number: $size $schedule" >&2
  done
done
mkdir -p "$folder"
if [[ $mode == predict ]]; then
  python3 bench/model_errors.py join "$parts" >"$folder/predicted.json.new"
  mv "$folder/predicted.json.new" "$folder/predicted.json"
else
  python3 bench/model_errors.py join "$parts" >"$folder/counted.json.new"
  mv "$folder/counted.json.new" "$folder/counted.json"
  python3 bench/model_errors.py errors "$folder/predicted.json" "$folder/counted.json"
fi
