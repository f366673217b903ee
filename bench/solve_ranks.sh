#!/usr/bin/env bash
# Multigrid over GPUs of one machine: a cycle, a solve to 1e-10 with and without --reproducible, and what coarse levels
# that groups of ranks compute, or all of them, change (RIDGE_COARSE_LEVELS). Dirichlet faces, a random right-hand side, fp64.
# Needs a build with CUDA and MPI (`make build`), and Python with h5py and numpy.
#
#   bench/solve_ranks.sh [BUILD] [PYTHON] [RESULTS]     fails when a check fails, after the table
#   DEVICE=cpu SIZES="41 67" RANKS="1 2 4" bench/solve_ranks.sh build     a trial without GPUs
#
# RESULTS keeps the records; the table has those of earlier calls, too, such as one for each size. SIZES are points along each
# axis; a rank needs eight planes of them. Solves are the fastest of REPEATS runs. Efficiency is the time of one GPU over that of
# all, times their number. All solutions with --reproducible must have the bits of one rank.
set -euo pipefail
build=$(realpath "${1:-build}")
python=$(command -v "${2:-python3}")
[[ $python != */* ]] || python=$(realpath -s "$python")
device=${DEVICE:-cuda}
read -ra sizes <<<"${SIZES:-129 257 513}"
read -ra ranks <<<"${RANKS:-1 2 4}"
repeats=${REPEATS:-2}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
ridge=$build/ridge
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
results=$(mkdir -p "${3:-$folder/results}" && realpath "${3:-$folder/results}")
cd "$folder"
code=0

on() { # RANKS NAME words...: the record to NAME.json
  local count=$1 name=$2 launcher=()
  shift 2
  [[ $count == 1 ]] || launcher=(mpirun --bind-to none -n "$count")
  timeout 120 "${launcher[@]}" "$ridge" "$@" --device "$device" --json >"$results/$name.json" 2>"$name.txt" ||
    { echo "FAILED: $name: exit status $?: $(grep -m 1 '^ridge: ' "$name.txt" || tail -n 5 "$name.txt")"
      rm -f "$results/$name.json"; code=1; }
}

modes() { # RANKS: groups are of two ranks or more, and not of all
  if (($1 > 2)); then echo default groups all; else echo default; fi
}

for n in "${sizes[@]}"; do
  "$python" - "$n" <<'PY'
import sys
import h5py
import numpy as np
n = int(sys.argv[1])
with h5py.File("f.h5", "w") as h5:
    h5["f"] = np.random.default_rng(1).standard_normal((n, n, n))
PY
  for count in "${ranks[@]}"; do
    for mode in $(modes "$count"); do
      unset RIDGE_COARSE_LEVELS
      [[ $mode == default ]] || export RIDGE_COARSE_LEVELS=$mode
      name=$n-$count-$mode
      rm -f u.h5 u.xdmf
      on "$count" "cycle-$name" bench multigrid --size "${n}x${n}x$n" --no-roof
      for words in "" --reproducible; do
        for ((i = 0; i < repeats; ++i)); do
          on "$count" "solve$words-$name-$i" solve poisson f.h5:/f -o u.h5:/u --overwrite --method multigrid $words \
            --boundary x=dirichlet:0,y=dirichlet:0,z=dirichlet:0
        done
      done
      [[ -e u.h5 ]] || continue
      "$python" - >"$results/bits-$name.txt" <<'PY' || code=1
import hashlib
import h5py
with h5py.File("u.h5") as h5:
    print(hashlib.sha256(h5["u"][...].tobytes()).hexdigest())
PY
    done
  done
done

"$python" - "$results" <<'PY' || code=1
import json
import pathlib
import sys
folder = pathlib.Path(sys.argv[1])
failed = []

def record(name):
    text = (folder / f"{name}.json").read_text()
    return json.loads(text)[0] if text.strip() else None

def solve(words, name):
    """The fastest of the runs, in ms, and its cycles."""
    found = [r for r in (record(p.stem) for p in folder.glob(f"solve{words}-{name}-*.json")) if r]
    if not found:
        failed.append(f"solve{words}-{name}")
        return "-", "-"
    best = min(found, key=lambda r: r["solve_seconds"])
    if not best["residual"] <= 1e-10:
        failed.append(f"solve{words}-{name}: residual {best['residual']}")
    return f"{best['solve_seconds'] * 1e3:.3f}", f"{best['cycles']:.0f}"

names = [p.stem.removeprefix("cycle-").split("-") for p in folder.glob("cycle-*.json")]
print("ms; shared: levels that ranks share, of them by groups\n")
print("| points | ranks | carrier | coarse levels | shared | cycle | messages | computation | efficiency | solve | cycles "
      "| --reproducible | bits |")
print("|" + "---|" * 13)
for n, ranks, mode in sorted(names, key=lambda w: (int(w[0]), int(w[1]), ("default", "groups", "all").index(w[2]))):
    name = f"{n}-{ranks}-{mode}"
    cycle, one = record(f"cycle-{name}"), record(f"cycle-{n}-1-default") if (folder / f"cycle-{n}-1-default.json").exists() else None
    if cycle is None or not cycle["check"]["ok"]:
        failed.append(f"cycle-{name}")
        continue
    mine, first = folder / f"bits-{name}.txt", folder / f"bits-{n}-1-default.txt"
    bits = mine.read_text().strip() if mine.exists() else ""
    same = "-" if not first.exists() else "same" if bits and bits == first.read_text().strip() else "OTHERS"
    if same == "OTHERS":
        failed.append(f"bits of {name}")
    (plain, cycles), (kept, _) = solve("", name), solve("--reproducible", name)

    def ms(key, cycle=cycle):
        return f"{cycle[key] * 1e3:.3f}" if key in cycle else "-"
    efficiency = f"{one['seconds'] / cycle['seconds'] / int(ranks):.3f}" if one else "-"
    shared = f"{cycle.get('shared_levels', 0):.0f}, {cycle.get('grouped_levels', 0):.0f}" if int(ranks) > 1 else "-"
    print(f"| {n}^3 | {ranks} | {cycle.get('carrier', 'none')} | {mode} | {shared} | {ms('seconds')} | {ms('exchange_seconds')} "
          f"| {ms('compute_seconds')} | {efficiency} | {plain} | {cycles} | {kept} | {same} |")
for what in failed:
    print(f"FAILED: {what}")
sys.exit(bool(failed))
PY
exit $code
