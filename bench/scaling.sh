#!/usr/bin/env bash
# Weak and strong scaling over 1, 2, 4 and 8 GPUs of one machine, a process a GPU. Needs `ridge` with CUDA and MPI,
# from a build or an installed wheel, its `mpirun`, and Python with h5py and numpy. Less than two minutes for each number
# of GPUs. bench/scaling_table.py reads what it leaves.
#
#   bench/scaling.sh [RIDGE] [RESULTS] [PYTHON]     fails when a check fails
#
# RIDGE: the command, or a build's folder. SCALING_DEVICE=cpu SCALING_POINTS=64 SCALING_RANKS="1 2" tries the script.
# SCALING_ONLY is a pattern of names to run: SCALING_ONLY='heat|norm2'.
set -euo pipefail
ridge=${1:-ridge}
[[ ! -d $ridge ]] || ridge=$ridge/ridge
results=$(mkdir -p "${2:-scaling-results}" && realpath "${2:-scaling-results}")
python=${3:-python3}
n=${SCALING_POINTS:-512}
device=${SCALING_DEVICE:-cuda}
only=${SCALING_ONLY:-.}
here=$(dirname "$(realpath "$0")")
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
if [[ -z ${SCALING_RANKS:-} ]]; then
  gpus=$("$ridge" devices --json | "$python" -c '
import json, sys
print(sum(d["device"].startswith("cuda:") for d in json.load(sys.stdin)))')
  ((gpus > 0)) || { echo "no NVIDIA GPU here" >&2; exit 1; }
  SCALING_RANKS=$(for k in 1 2 4 8; do ((k > gpus)) || echo "$k"; done)
fi
folder=$(mktemp -d -p "${SCALING_SCRATCH:-/dev/shm}")
trap 'rm -rf "$folder"' EXIT
failed=()

record() { # NAME words...: a record of all ranks, as JSON
  local name=$1; shift
  [[ $name =~ $only ]] || return 0
  local run=()
  ((ranks == 1)) || run=(mpirun --bind-to none -n "$ranks")
  local file=$results/$name-$ranks.json begun=$SECONDS
  if ! timeout 100 "${run[@]}" "$ridge" "$@" --device "$device" --json > "$file.new" 2> "$file.err"; then
    failed+=("$name on $ranks"); tail -3 "$file.err"
  fi
  if [[ -s $file.new ]]; then mv "$file.new" "$file"; else rm -f "$file.new"; fi
  [[ -s $file.err ]] || rm -f "$file.err"
  echo "$name-$ranks: $((SECONDS - begun)) s"
}
stencil() { # NAME KERNEL SIZE words...
  local name=$1 kernel=$2 size=$3; shift 3
  record "$name" bench "$kernel" --size "$size" --repeat 9 "$@"
}

for ranks in $SCALING_RANKS; do
  ((ranks == 1)) || record links roof
  weak=${n}x${n}x$((n * ranks))
  for precision in fp64 fp32; do
    stencil "weak-laplacian-$precision" laplacian "$weak" --precision "$precision"
    stencil "strong-laplacian-$precision" laplacian "${n}x${n}x$n" --precision "$precision"
  done
  stencil weak-laplacian8-fp64 laplacian8 "$weak"
  stencil weak-diffusion-fp64 diffusion "$weak"
  ((n < 512)) || stencil strong-large-fp64 laplacian "$((2 * n))x$((2 * n))x$((2 * n))"
  m=$((n / 8))
  record weak-norm2-fp64 bench lattice-norm2 --size "${m}x${m}x${m}x$((m * ranks))" --site matrix
  record weak-residual-fp64 bench lattice-residual --size "${m}x${m}x$((m / 2))x$((m / 2 * ranks))"
  record weak-residual-reproducible-fp64 bench lattice-residual-reproducible \
    --size "${m}x${m}x$((m / 2))x$((m / 2 * ranks))"
  record strong-bodies-fp32 nbody --plummer "$((n * n))" --precision fp32 --steps 10
  if [[ weak-heat-sweeps4-fp64 =~ $only ]]; then
    "$python" - "$folder/in.h5" "$n" "$ranks" <<'PY'
import h5py, numpy, sys
n, ranks = int(sys.argv[2]), int(sys.argv[3])
plane = numpy.random.default_rng(1).random((n, n))
with h5py.File(sys.argv[1], "w") as h5:
    u = h5.create_dataset("u", (n * ranks, n, n), dtype="f8")
    for z in range(n * ranks):
        u[z] = plane + z % 7
PY
    steps=$((n < 512 ? 40 : 2000))
    for sweeps in 4 1; do
      record "weak-heat-sweeps$sweeps-fp64" evolve heat "$folder/in.h5:/u" -o "$folder/out.h5" --overwrite \
        --steps $steps --every $steps --schedule "sweeps=$sweeps"
    done
    rm -f "$folder"/out*
  fi
  if [[ bits =~ $only ]]; then
    # The bits of one rank: 22 steps end with a shorter pass or single sweeps.
    "$python" - "$folder/small.h5" <<'PY'
import h5py, numpy, sys
with h5py.File(sys.argv[1], "w") as h5:
    h5["u"] = numpy.random.default_rng(2).standard_normal((141, 150, 166))
PY
    for wall in x=periodic,y=mirror,z=periodic z=dirichlet:1; do
      for kernel in heat wave; do
        record bits evolve $kernel "$folder/small.h5:/u" -o "$folder/bits.h5" --overwrite --steps 22 --boundary $wall \
          --every 22 --schedule sweeps=4
        "$python" - "$folder/bits.h5" <<'PY' >> "$results/bits-$kernel-$wall.txt"
import h5py, hashlib, sys
with h5py.File(sys.argv[1]) as h5:
    last = h5["snapshots"][sorted(h5["snapshots"])[-1]]
    print(*(hashlib.sha256(last[name][()].tobytes()).hexdigest() for name in sorted(last)))
PY
      done
    done
    for file in "$results"/bits-*=*.txt; do
      (($(sort -u "$file" | wc -l) == 1)) || failed+=("the bits of $(basename "$file" .txt) on $ranks")
    done
  fi
done

# Grids of ranks, of twice the points along two axes: the one that is chosen, and others.
for ranks in $SCALING_RANKS; do
  case $ranks in
    4) grids="1x1x4 1x4x1 4x1x1 1x2x2 2x2x1 2x1x2" ;;
    8) grids="1x1x8 2x2x2 1x2x4 1x4x2 8x1x1" ;;
    *) continue ;;
  esac
  size=$((2 * n))x$((2 * n))x$((n * ranks / 4))
  [[ grid =~ $only ]] || continue
  stencil grid-chosen laplacian "$size"
  for grid in $grids; do
    stencil "grid-$grid" laplacian "$size" --ranks "$grid"
  done
done

"$python" "$here/scaling_table.py" "$results"
((${#failed[@]} == 0)) || { printf 'failed: %s\n' "${failed[@]}" >&2; exit 1; }
