#!/usr/bin/env bash
# Gradients with their targets and peers: adjoints of built-in kernels as records, then those of Python beside their
# forward runs and peers, then 1000 steps of `acoustic` (SIZE/2 points along an axis).
# Usage: bench/gradients.sh RIDGE DEVICE OUTPUT_FOLDER [SIZE [WORDS]]; python3 has ridge and, on GPUs, torch. WORDS are
# those of gradients.py, such as `--only wave8`: then only adjoints and these rows.
set -euo pipefail
source "$(dirname "$0")/records.sh"

size=${4:-512}
shift $(($# < 4 ? $# : 4))
for kernel in laplacian heat diffusion wave8; do
  run "adjoint-$kernel" "$kernel" --adjoint --size "${size}x${size}x$size"
done
python3 "$here/gradients.py" --device "$device" --size "$size" --json "$folder/python.json" "$@"
[ $# -gt 0 ] || python3 "$here/systems_gradient.py" "$ridge" --device "$device" --size $((size / 2))
