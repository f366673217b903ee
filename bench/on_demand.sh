#!/usr/bin/env bash
# Kernels of every pattern that are compiled on demand, by the vendor's library and by its compiler:
# whole commands, never compiled before and from the cache, with what they reach.
#   bench/on_demand.sh RIDGE DEVICE       (cuda:0 or hip:0)
# What was predicted is in docs/design/launches.md. With SANITIZE=1 the images run under
# compute-sanitizer before.
set -euo pipefail
ridge=$1 device=$2
case $device in
  cuda:*) library=RIDGE_NVRTC compiler=RIDGE_NVCC ;;
  *) library=RIDGE_HIPRTC compiler=RIDGE_HIPCC ;;
esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# name: arguments of ridge bench; no schedule of these is compiled ahead
cases=(
  "stencil: laplacian --size 256x256x256 --schedule tile=3"
  "direct: gravity --size 65536 --schedule form=direct,stage=warp,tile=3,unroll=4"
  "symmetric: gravity --size 65536 --schedule form=symmetric,stage=shared,divide=targets,ways=1,split=1,tile=2,unroll=2"
  "map: lattice-axpy --size 16x16x16x32 --schedule items=2"
  "reduction: lattice-norm2 --size 16x16x16x32 --schedule items=2"
  "staged: lattice-norm2 --size 16x16x16x32 --schedule staged4"
  "expression: lattice-residual --size 16x16x16x32 --schedule bounds=512,groups=8"
  "chain: chain --size 16777216 --operations 8 --schedule fuse=2+3,4+5"
  "apart: chain --size 16777216 --operations 8 --schedule fuse=none,graph=on"
)

run() { # label, name, then the arguments
  local label=$1 name=$2 begin
  shift 2
  begin=$(date +%s.%N)
  "$ridge" bench "$@" --device "$device" --json >"$work/records.json"
  python3 - "$label" "$name" "$begin" "$work/records.json" <<'PY'
import json, sys, time
label, name, begin, file = sys.argv[1:]
r = json.load(open(file))[0]
registers = {d["name"]: d.get("value") for d in r.get("details", [])}.get("registers", "-")
print(f"{name:11} {label:16} {time.time() - float(begin):6.2f} s  compiled {r['compiled']:7} "
      f"check {r['check']['ok']}  {r['seconds']:.3e} s  registers {registers}", flush=True)
PY
}

for entry in "${cases[@]}"; do
  name=${entry%%:*}
  IFS=' ' read -r -a words <<<"${entry#*: }"
  for i in "${!words[@]}"; do
    [[ $i -eq 0 || ${words[$((i - 1))]} != --schedule ]] || words[i]=${words[i]//,/ }
  done
  if [[ $name == chain ]]; then words[-1]="fuse=2+3,4+5"; fi # whose commas are its own
  if [[ -n ${SANITIZE:-} ]]; then
    env "$compiler=off" RIDGE_CACHE="$work/library" compute-sanitizer --error-exitcode 1 --tool memcheck \
      "$ridge" bench "${words[@]}" --device "$device" --repeat 1 >/dev/null
    rm -rf "$work/library"
  fi
  (export "$compiler=off" RIDGE_CACHE="$work/library" && run "library, first" "$name" "${words[@]}")
  (export "$compiler=off" RIDGE_CACHE="$work/library" && run "library, cached" "$name" "${words[@]}")
  (export "$library=off" RIDGE_CACHE="$work/compiler" && run "compiler, first" "$name" "${words[@]}")
  (export "$library=off" RIDGE_CACHE="$work/compiler" && run "compiler, cached" "$name" "${words[@]}")
done
