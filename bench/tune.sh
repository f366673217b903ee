#!/usr/bin/env bash
# The tuner against the best of the whole space, random search with as many measurements, the default, and
# the model alone: 16 cases on a GPU, 4 on the cpu. Minutes on an H200, most of them for compiling the whole space.
# Usage: bench/tune.sh RIDGE DEVICE OUTPUT_FOLDER [SIZE...]      (or SIZE-fp32; all where none is given)
# Writes space.csv, tuned.json (see tune_cases.py) and curves.svg, and prints a table. OUTPUT_FOLDER/raw has
# what `ridge tune` printed. The small sizes come first, and each case is written when it is done; cases that
# raw has are not repeated: a run that was cut off goes on where it ended.
set -euo pipefail
ridge=$1 device=$2 folder=$3
shift 3
here=$(dirname "$0")
raw=$folder/raw
mkdir -p "$raw"

if [[ $# -gt 0 ]]; then
  sizes=("$@")
elif [[ "$device" == cpu ]]; then
  sizes=(256x256x256 700x500x100)
else
  sizes=(332x217x129 256x256x256 700x500x100 500x500x200 512x512x256 1024x1024x64 2048x2048x32 4096x2048x16)
fi

for asked in "${sizes[@]}"; do
  size=${asked%%-*}
  precisions=(fp64 fp32)
  [[ $asked == *-* ]] && precisions=("${asked#*-}")
  for precision in "${precisions[@]}"; do
    name=$raw/$size-$precision
    what=(tune laplacian --device "$device" --size "$size" --precision "$precision" --json)
    [[ -s $name-all.json ]] && continue
    # Wisdom of its own, so that no case learns from another.
    export RIDGE_WISDOM=$name.wisdom
    rm -f "$RIDGE_WISDOM"
    "$ridge" "${what[@]}" --budget 30s >"$name-guided.json"
    # It begins with what the tuner found, which its wisdom has, and has it in its finals.
    "$ridge" "${what[@]}" --search all --budget 540s >"$name-all.json.part"
    mv "$name-all.json.part" "$name-all.json"
    python3 "$here/tune_cases.py" "$folder" "$raw"
    echo "$(date +%T) $size $precision" >&2
  done
done
python3 "$here/tune_curves.py" "$folder" >"$folder/curves.svg.part"
mv "$folder/curves.svg.part" "$folder/curves.svg"
python3 "$here/tune_table.py" "$folder"
