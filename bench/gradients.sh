#!/usr/bin/env bash
# Gradients beside their forward runs and peers, with records:
#     bench/gradients.sh build/ridge OUT [DEVICE]
# Needs the package, h5py, and on a GPU torch; JAX where it is there.
set -euo pipefail
ridge=$1 out=$2 device=${3:-cuda:0} here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$out"
python3 "$here/gradients.py" --device "$device" --json "$out/gradients.json" ${ROWS:-}
for kernel in laplacian heat diffusion wave8; do
  "$ridge" bench "$kernel" --adjoint --size "${SIZE:-512x512x512}" --device "$device" --json >"$out/$kernel-adjoint.json"
done
python3 "$here/systems_gradient.py" "$ridge" --device "$device" ${SYSTEMS:-}
