#!/usr/bin/env bash
# `ridge evolve` on two GPUs of one machine: the bits of one GPU, and what a step costs. Needs a build
# with CUDA and MPI (`make build`), NCCL beside it, and Python with h5py and numpy.
#
#   bench/evolve_ranks.sh [BUILD] [PYTHON]     fails when a check or a limit fails
set -euo pipefail
build=$(realpath "${1:-build}")
python=${2:-python3}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
ridge=$build/ridge
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"$python" - <<'PY'
import h5py, numpy
u = numpy.random.default_rng(1)
with h5py.File("in.h5", "w") as h5:
    h5["small"] = u.standard_normal((93, 101, 203))
    h5["large"] = u.standard_normal((1024, 512, 512))
PY

evolve() { # RANKS NAME words...
  local ranks=$1 name=$2; shift 2
  if [[ $ranks == 1 ]]; then
    "$ridge" evolve "$@" -o "$name.h5" --overwrite --json > "$name.json"
  else
    mpirun --bind-to none -n "$ranks" "$ridge" evolve "$@" --device cuda -o "$name.h5" --overwrite \
      --json > "$name.json"
  fi
}

echo "== bits, 1000 steps: enough for graphs"
for words in "heat in.h5:/small --boundary x=periodic,y=periodic,z=periodic" \
             "heat8 in.h5:/small --boundary x=periodic,y=dirichlet:0.5,z-=neumann:1,z+=mirror" \
             "wave in.h5:/small --absorb z,x-" \
             "heat in.h5:/small --schedule sweeps=4"; do
  evolve 1 one $words --steps 1000 --every 1000
  for grid in 1x1x2 1x2x1 2x1x1; do
    evolve 2 two $words --steps 1000 --every 1000 --ranks $grid
    cmp one.0000001000.h5 two.0000001000.h5 || { echo "FAILED: $words as $grid" >&2; exit 1; }
    echo "same bits: $words as $grid"
  done
done

echo "== cost of a step, 512x512x1024"
for words in "heat in.h5:/large" "heat in.h5:/large --boundary x=periodic,y=periodic,z=periodic" \
             "wave in.h5:/large" "heat in.h5:/large --schedule sweeps=4"; do
  evolve 1 one $words --steps 2000 --every 2000
  evolve 2 two $words --steps 2000 --every 2000
  "$python" - "$words" <<'PY'
import json, sys
one, two = (json.load(open(f"{name}.json"))[0] for name in ("one", "two"))
faster = one["seconds"] / two["seconds"]
print(f"{sys.argv[1]}: {one['seconds'] * 1e3:.3f} ms on one, {two['seconds'] * 1e3:.3f} ms on two "
      f"({two['carrier']}), {faster:.2f} times as fast")
PY
done
