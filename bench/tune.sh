#!/usr/bin/env bash
# The tuner against the best of the whole space, random search with as many measurements, the default, and
# the model alone: 16 cases on a GPU, 4 on the cpu, as JSON of `ridge tune`, a table of them, and curves.svg.
# Usage: bench/tune.sh RIDGE DEVICE OUTPUT_FOLDER [SIZE...]      (sizes to do; all where none is given)
# Cases that the folder already has are not repeated: a run that was cut off goes on where it ended.
set -euo pipefail
ridge=$1 device=$2 folder=$3
shift 3
here=$(dirname "$0")
mkdir -p "$folder"

if [[ $# -gt 0 ]]; then
  sizes=("$@")
elif [[ "$device" == cpu ]]; then
  sizes=(256x256x256 700x500x100)
else
  sizes=(256x256x256 333x217x129 500x500x500 512x512x512 700x500x300 1024x1024x512 2048x2048x256 4096x4096x64)
fi

for size in "${sizes[@]}"; do
  for precision in fp64 fp32; do
    name=$folder/$size-$precision
    what=(tune laplacian --device "$device" --size "$size" --precision "$precision" --json)
    [[ -s $name-all.json ]] && continue
    # Wisdom of its own, so that no case learns from another.
    export RIDGE_WISDOM=$name-guided.wisdom
    rm -f "$RIDGE_WISDOM"
    "$ridge" "${what[@]}" --budget 120s >"$name-guided.json"
    measured=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["measured"])' "$name-guided.json")
    rm -f "$name-random.wisdom"
    RIDGE_WISDOM=$name-random.wisdom "$ridge" "${what[@]}" --search random --most "$measured" --budget 120s \
      >"$name-random.json"
    # It begins with what the tuner found, which its wisdom has, and so measures both alike.
    "$ridge" "${what[@]}" --search all --budget 540s >"$name-all.json.part"
    mv "$name-all.json.part" "$name-all.json"
  done
done
python3 "$here/tune_curves.py" "$folder" >"$folder/curves.svg.part"
mv "$folder/curves.svg.part" "$folder/curves.svg"
python3 "$here/tune_table.py" "$folder"
