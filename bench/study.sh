#!/usr/bin/env bash
# The scaling study of part 4 of AMD's Laplacian series on a GPU here: kernels 1 to 7 and the default at ten
# sizes, 256x256x256 to 1024x1024x1024, with counters, and the model's figures beside them, drawn as one page.
#
#   bench/study.sh [FOLDER [DEVICE [ON]]]
#
# FOLDER is docs/results/h100/study by default, DEVICE cuda:0, and ON, the device that the model describes, that of
# DEVICE. ncu takes most of the time: from BUDGET seconds on (200) schedules run without counters, the most telling
# first. SIZES, PLANES and SCHEDULES may be set, such as on a machine without a GPU:
#
#   SIZES=16x16x16..32x32x32:16 PLANES=32x16x8..32x32x8:y+8 bench/study.sh /tmp/study simt:64 mi250x-gcd
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:-docs/results/h100/study}
device=${2:-cuda:0}
on=${3:-$device}
ridge=${RIDGE:-build/ridge}
sizes=${SIZES:-256x256x256..1024x1024x1024:256}
planes=${PLANES:-512x2048x64..512x16384x64:y+2048}
schedules=${SCHEDULES:-kernel5 default kernel1 kernel7 kernel6 kernel3 kernel2 kernel4}
budget=${BUDGET:-200}
mkdir -p "$folder"
counters=(--counters)
if [[ $device == simt:* || $device == cpu ]]; then
  counters=() # nothing to count there
fi

# Writes to FILE what a command prints, at once or not at all. A size that does not fit leaves the others.
write() {
  local file=$1
  shift
  "$@" >"$file.new" || echo "bench/study.sh: $file lacks what is said above" >&2
  mv "$file.new" "$file"
}

started=$SECONDS
for schedule in $schedules; do
  asked=${schedule/default/auto}
  if ((SECONDS - started >= budget)); then
    counters=()
  fi
  write "$folder/measured-$schedule.json" env RIDGE_WISDOM=/dev/null/none "$ridge" bench laplacian --device "$device" \
    --size "$sizes" --schedule "$asked" --repeat 7 "${counters[@]}" --json
  write "$folder/modelled-$schedule.json" "$ridge" model laplacian --on "$on" --size "$sizes" --schedule "$asked" --json
  echo "$schedule: $((SECONDS - started)) s" >&2
done
# Larger planes, until they leave the cache; without counters, which take most of the time.
for schedule in kernel5 default; do
  asked=${schedule/default/auto}
  write "$folder/planes-$schedule.json" env RIDGE_WISDOM=/dev/null/none "$ridge" bench laplacian --device "$device" \
    --size "$planes" --schedule "$asked" --repeat 7 --no-roof --json
  write "$folder/modelled-planes-$schedule.json" "$ridge" model laplacian --on "$on" --size "$planes" \
    --schedule "$asked" --json
done
compared=()
for schedule in kernel1 kernel5 default; do
  for file in "$folder/measured-$schedule.json" "$folder/modelled-$schedule.json"; do
    [[ -s $file ]] && compared+=("$file")
  done
done
"$ridge" report "$folder"/measured-*.json -o "$folder/sizes.html" --overwrite
"$ridge" report "${compared[@]}" -o "$folder/model.html" --overwrite
"$ridge" report "$folder"/planes-*.json "$folder"/modelled-planes-*.json -o "$folder/planes.html" --overwrite
echo "all: $((SECONDS - started)) s" >&2
