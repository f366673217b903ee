#!/usr/bin/env bash
# `ridge md` and `ridge nbody --forces tree` on two GPUs of one machine: correctness first, then what a step
# costs. Needs a build with CUDA and MPI (`make build`), and Python with h5py and numpy.
#
#   bench/bodies_ranks.sh [BUILD] [PYTHON]     fails when a check fails, after all figures
set -euo pipefail
build=$(realpath "${1:-build}")
python=${2:-python3}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
ridge=$build/ridge
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
code=0

on() { # RANKS NAME words...: the record to NAME.json
  local ranks=$1 name=$2 launcher=()
  shift 2
  [[ $ranks == 1 ]] || launcher=(mpirun --bind-to none -n "$ranks")
  timeout 60 "${launcher[@]}" "$ridge" "$@" --device cuda --json >"$name.json" 2>"$name.txt" ||
    { echo "FAILED: $name: exit status $?: $(tail -n 5 "$name.txt")"; code=1; }
}

echo "== md: the snapshots of one GPU, bit by bit"
for precision in fp32 fp64 mixed; do
  for ranks in 1 2; do
    on $ranks "md-$ranks" md --lattice 32000 --precision $precision --steps 200 --every 100 -o "md-$ranks.h5" --overwrite
  done
  "$python" - $precision <<'PY' || code=1
import sys
import h5py
import numpy as np

def leaves(at, name=""):  # snapshots are links to other files
    if isinstance(at, h5py.Dataset):
        return {name: at[()]}
    return {leaf: value for one in at for leaf, value in leaves(at[one], f"{name}/{one}").items()}

one, two = (leaves(h5py.File(f"md-{ranks}.h5")) for ranks in (1, 2))
unlike = [name for name in one if not np.array_equal(one[name], two.get(name), equal_nan=True)]
print(f"{sys.argv[1]}: {len(one)} datasets, unlike: {', '.join(unlike) or 'none'}")
sys.exit(bool(unlike) or not one or one.keys() != two.keys())
PY
done

echo "== md: a step"
for atoms in 32000 864000 4000000; do
  for ranks in 1 2; do
    on $ranks "md-$atoms-$ranks" md --lattice $atoms --precision fp32 --steps 500
  done
done

echo "== trees: errors on the sample, and a step"
for bodies in 100000 1000000; do
  words=(nbody --plummer $bodies --precision fp32 --forces tree --theta 0.5 --dt 1e-3 --softening 0.01 --steps 40)
  on 1 "tree-$bodies-1" "${words[@]}"
  on 2 "tree-$bodies-2" "${words[@]}"
  on 2 "tree-$bodies-2-domains" "${words[@]}" --domains
done
"$python" - <<'PY'
import json
import pathlib

for path in sorted(pathlib.Path(".").glob("*-*0-*.json")):
    text = path.read_text()
    if not text.strip():
        continue
    record = json.loads(text)
    record = {**record[0], **{"builds": record[0].get("md", {}).get("builds")}}
    wanted = ("seconds", "error_rms", "error_worst", "builds", "halo_bodies", "bodies_received", "nodes_received",
              "imbalance", "imbalance_of_ranks", "carrier")
    shown = {name: f"{at:.4g}" if isinstance(at, float) else at for name, at in record.items()
             if at is not None and (name.startswith("seconds_") or name in wanted)}
    print(path.stem, " ".join(f"{name}={at}" for name, at in shown.items()))
PY
exit $code
