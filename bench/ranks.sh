#!/usr/bin/env bash
# Two ranks on two GPUs of one machine, one process a GPU: correctness first, then the figures of
# docs/design/ranks.md. Needs a build with CUDA and MPI (`make build`), and NCCL beside it.
#
#   bench/ranks.sh [BUILD] [RESULTS]     fails when a check or a limit fails
set -euo pipefail
build=$(realpath "${1:-build}")
results=$(mkdir -p "${2:-ranks-results}" && realpath "${2:-ranks-results}")
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
ridge=$build/ridge
run() { mpirun --bind-to none -n 2 "$@"; }

[[ -e $build/lib/ridge/ridge_mpi.so ]] || { echo "no module for MPI in $build" >&2; exit 1; }
[[ -e $build/lib/ridge/ridge_cuda.so ]] || { echo "no module for CUDA in $build" >&2; exit 1; }

echo "== every footprint, grid and periodic axis on both GPUs, bit for bit as on one"
if [[ -x $build/test/test_comm ]]; then
  # The test takes cuda:0 on every rank: each rank sees one GPU only, so that none is shared.
  for carrier in peer nccl; do
    RIDGE_CARRIER=$carrier run bash -c \
      'CUDA_VISIBLE_DEVICES=$OMPI_COMM_WORLD_LOCAL_RANK exec "$0" --gtest_brief=1 --gtest_filter=-*/simt_*' \
      "$build/test/test_comm" | tee "$results/tests-$carrier.txt"
  done
  if run bash -c 'CUDA_VISIBLE_DEVICES=$OMPI_COMM_WORLD_LOCAL_RANK exec "$0" --gtest_list_tests' \
    "$build/test/test_comm" | grep cuda >"$results/tests.txt"; then :; else
    echo "FAILED: test_comm has no kernels for cuda (RIDGE_TEST_KINDS=cuda)" >&2; exit 1
  fi
else
  echo "FAILED: no test_comm in $build/test" >&2; exit 1
fi

echo "== links"
run "$ridge" roof --json > "$results/links-peer.json"
for carrier in nccl staged; do
  RIDGE_CARRIER=$carrier run "$ridge" roof --json > "$results/links-$carrier.json"
done

bench() { # NAME carrier words...
  local name=$1; shift
  run "$ridge" bench "$@" --json > "$results/$name.json"
}
echo "== stencils"
bench weak laplacian --size 512x512x1024 --ranks 1x1x2 --scaling
bench strong laplacian --size 512x512x512 --ranks 1x1x2 --scaling
bench strong-fp32 laplacian --size 512x512x512 --precision fp32 --ranks 1x1x2 --scaling
bench split-y laplacian --size 512x1024x512 --ranks 1x2x1 --scaling
bench split-x laplacian --size 1024x512x512 --ranks 2x1x1 --scaling
bench box box27 --size 512x512x1024 --scaling
bench order8 laplacian8 --size 512x512x1024 --scaling
for carrier in nccl staged; do
  RIDGE_CARRIER=$carrier bench $carrier laplacian --size 512x512x1024 --ranks 1x1x2
done

echo "== bodies"
"$ridge" nbody --plummer 262144 --precision fp32 --steps 20 --json > "$results/bodies-1.json"
run "$ridge" nbody --plummer 262144 --precision fp32 --steps 20 --json > "$results/bodies-2.json"
mpirun --bind-to core -n 2 "$ridge" nbody --plummer 262144 --precision fp32 --steps 20 --json \
  > "$results/bodies-2-bound.json"

echo "== a lattice and the atmosphere: on two what is on one"
examples=$build/examples/gauge/gauge_ranks
if [[ -x $examples ]]; then
  "$examples" auto > "$results/gauge-1.txt"
  run "$examples" auto > "$results/gauge-2.txt"
fi
air() { "$@" --case collision --size 4096x2048 --time 20 --snapshots 1 --json; }
air "$ridge" atmosphere -o "$results/air-1.h5" > "$results/air-1.json"
air run "$ridge" atmosphere -o "$results/air-2.h5" > "$results/air-2.json"

echo "== memory errors"
if command -v compute-sanitizer >/dev/null; then
  run compute-sanitizer --error-exitcode 9 "$ridge" bench box27 --size 66x50x40 --ranks 2x1x1 \
    --repeat 1 --json > "$results/sanitizer.txt" 2>&1 || { tail -20 "$results/sanitizer.txt"; exit 1; }
fi

python3 - "$results" <<'PY'
import json, pathlib, sys
out = pathlib.Path(sys.argv[1])
failed = []

def need(name, holds, what):
    print(f"{'ok    ' if holds else 'FAILED'} {name}: {what}")
    if not holds:
        failed.append(name)

def record(name):
    return json.loads((out / f"{name}.json").read_text())[0]

for name in ("weak", "strong", "strong-fp32", "split-y", "split-x", "box", "order8", "nccl", "staged"):
    r = record(name)
    carrier = name if name in ("nccl", "staged") else "peer"
    need(name, r["check"]["ok"] and r["ranks"] == 2 and r["carrier"] == carrier,
         f"checked {r['check']['ok']}, {r['carrier']}, step {r['seconds'] * 1e6:.1f} us, compute "
         f"{r['compute_seconds'] * 1e6:.1f}, exchange {r['exchange_seconds'] * 1e6:.1f}, overlapped "
         f"{r['overlapped']:.2f}, strong {r.get('strong_efficiency', 0):.3f}, weak "
         f"{r.get('weak_efficiency', 0):.3f}")
need("weak limit", record("weak")["weak_efficiency"] >= 0.97, "512^3 a GPU: 0.97 of one")
need("strong limit", 2 * record("strong")["strong_efficiency"] >= 1.85, "512^3 on two: 1.85 times one")
for name in ("weak", "strong", "split-y", "split-x"):
    r = record(name)
    need(f"{name} step", r["seconds"] <= 1.03 * max(r["compute_seconds"], r["exchange_seconds"]),
         "at most 1.03 of the longer of compute and exchange")
limits = {"peer": {65536: 6e-6, 2097152: 12e-6}, "nccl": {65536: 13.6e-6, 2097152: 24.7e-6}, "staged": {}}
for carrier, limit in limits.items():
    link = json.loads((out / f"links-{carrier}.json").read_text())["links"][0]
    need(f"links by {carrier}", link["carrier"] == carrier, "exchanges " + ", ".join(
        f"{e['bytes']} B in {e['seconds'] * 1e6:.1f} us" for e in link["exchanges"]))
    for e in link["exchanges"]:
        if e["bytes"] in limit:
            need(f"exchange of {e['bytes']} B by {carrier}", e["seconds"] <= 1.1 * limit[e["bytes"]],
                 f"in a graph, {limit[e['bytes']] * 1e6:.1f} us")
one = record("bodies-1")
for name in ("bodies-2", "bodies-2-bound"):
    two = record(name)
    need(name, two["ranks"] == 2 and one["seconds"] / two["seconds"] >= 1.85,
         f"{one['seconds'] / two['seconds']:.2f} times one GPU, 1.85 wanted; others' bodies by "
         f"{two['schedule_of_others']}")
if (out / "gauge-2.txt").exists():
    found = [(out / f"gauge-{n}.txt").read_text().split(": ", 1)[1].split(", grid")[0] for n in (1, 2)]
    need("lattice", found[0] == found[1], f"{found[0]} on one, {found[1]} on two")
one, two = record("air-1"), record("air-2")
same = (out / "air-1.h5").read_bytes() == (out / "air-2.h5").read_bytes()
need("atmosphere", same, f"{one['seconds'] / two['seconds']:.2f} times one GPU, files "
     f"{'the same' if same else 'differ'}")
sys.exit(f"failed: {', '.join(failed)}" if failed else 0)
PY
