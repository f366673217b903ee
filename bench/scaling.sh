#!/usr/bin/env bash
# Weak and strong scaling over 1, 2, 4, ... GPUs of one machine, a process a GPU, beside what `ridge model`
# predicts from one GPU's time and the links measured here. Needs a build with CUDA and MPI, and Python with h5py
# and numpy. About two minutes for each number of GPUs.
#
#   bench/scaling.sh [BUILD] [RESULTS] [PYTHON]     fails when a check fails
set -euo pipefail
build=$(realpath "${1:-build}")
results=$(mkdir -p "${2:-scaling-results}" && realpath "${2:-scaling-results}")
python=${3:-python3}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
ridge=$build/ridge
here=$("$ridge" devices --json | "$python" -c '
import json, sys
print(sum(d["device"].startswith("cuda:") for d in json.load(sys.stdin)))')
((here > 0)) || { echo "no NVIDIA GPU here" >&2; exit 1; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

run() { # RANKS words...
  local ranks=$1; shift
  if ((ranks == 1)); then "$@"; else mpirun --bind-to none -n "$ranks" "$@"; fi
}
record() { # NAME RANKS words...: a record, as JSON
  local name=$1 ranks=$2; shift 2
  run "$ranks" "$ridge" "$@" --json > "$results/$name-$ranks.json"
}

for ((n = 1; n <= here; n *= 2)); do
  echo "== $n of $here GPUs"
  if ((n > 1)); then
    record links "$n" roof
  fi
  for precision in fp64 fp32; do
    for kernel in laplacian diffusion; do
      record "weak-$kernel-$precision" "$n" bench "$kernel" --size "512x512x$((512 * n))" --precision "$precision"
      record "strong-$kernel-$precision" "$n" bench "$kernel" --size 512x512x512 --precision "$precision"
    done
    record "large-laplacian-$precision" "$n" bench laplacian --size 1024x1024x1024 --precision "$precision"
    "$python" - "$folder/in.h5" "$precision" "$n" <<'PY'
import h5py, numpy, sys
kind = numpy.float64 if sys.argv[2] == "fp64" else numpy.float32
with h5py.File(sys.argv[1], "w") as h5:
    h5["u"] = numpy.random.default_rng(1).random((512 * int(sys.argv[3]), 512, 512), dtype=kind)
PY
    record "weak-heat-$precision" "$n" evolve heat "$folder/in.h5:/u" -o "$folder/out.h5" --overwrite \
      --steps 2000 --every 2000 --schedule sweeps=4
  done
  for bodies in 262144 1048576; do
    record "bodies-$bodies" "$n" nbody --plummer "$bodies" --precision fp32 --steps $((bodies > 300000 ? 2 : 20))
  done
  record air "$n" atmosphere --case collision --size 8000x4000 --time 5 --snapshots 1 -o "$folder/air-$n.h5"
  [[ ! -x $build/examples/gauge/gauge_ranks ]] ||
    run "$n" "$build/examples/gauge/gauge_ranks" auto > "$results/gauge-$n.txt"
  if ((n > 1)); then
    for size in "512x512x$((512 * n))" 512x512x512 1024x1024x1024; do
      "$ridge" model laplacian --on cuda:0 --size "$size" --ranks "$n" --network "$results/links-$n.json" \
        --json > "$results/model-$size-$n.json"
    done
  fi
done

"$python" - "$results" "$here" <<'PY'
import json, pathlib, sys
out, here = pathlib.Path(sys.argv[1]), int(sys.argv[2])
failed = []

def read(name):
    path = out / f"{name}.json"
    return json.loads(path.read_text()) if path.exists() else None

def predicted(size, ranks):
    for step in read(f"model-{size}-{ranks}") or []:
        if step["ranks"] == ranks:
            return step["seconds"]
    return None

names = sorted({path.stem.rsplit("-", 1)[0] for path in out.glob("*-1.json")})
print(f"{'what':28} {'GPUs':>4} {'step, us':>10} {'efficiency':>10} {'predicted, us':>13} {'off':>6}")
for name in names:
    one = read(f"{name}-1")[0]
    weak = name.startswith("weak")
    ranks = 1
    while ranks <= here:
        r = read(f"{name}-{ranks}")[0]
        check = r.get("check")
        if check is not None and not check["ok"]:
            failed.append(f"{name} on {ranks}")
        efficiency = one["seconds"] / r["seconds"] / (1 if weak else ranks)
        guess = predicted("x".join(map(str, r["size"])), ranks) if "laplacian-fp64" in name else None
        print(f"{name:28} {ranks:4} {r['seconds'] * 1e6:10.1f} {efficiency:10.3f} "
              + (f"{guess * 1e6:13.1f} {100 * (guess / r['seconds'] - 1):+5.1f}%" if guess else ""))
        ranks *= 2
gauges = {path.read_text().split(": ", 1)[1].split(", grid")[0] for path in out.glob("gauge-*.txt")}
if len(gauges) > 1:
    failed.append("the gauge field's sums differ between numbers of GPUs")
sys.exit(f"failed: {', '.join(failed)}" if failed else 0)
PY
