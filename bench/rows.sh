#!/usr/bin/env bash
# Defaults beside other schedules of the same work, on the GPU here: rows that begin anywhere, fields of two
# dimensions, tall footprints, and of 16 bits, rows that begin anywhere and waves in passes (narrow).
# bench/rows.sh RIDGE DEVICE [odd] [flat] [tall] [narrow]: the first three if none is named.
# bench/rows.sh RIDGE DEVICE again FOLDER [SECONDS]: what docs/results has of systems and stencils on an H200 (of
# an H100 where it has none), then and now, and new records in FOLDER, to be copied over docs/results/h200.
# What is not compiled ahead is compiled first, on small fields, several at a time. With SANITIZE=1 small
# fields run under compute-sanitizer first. What was predicted: docs/design/stencils_on_gpus.md to 0096.
set -uo pipefail
ridge=$1 device=$2
shift 2
[ $# -gt 0 ] || set -- odd flat tall
if [[ ${1:-} == again ]]; then
  folder=${2:?a folder for new records} end=$((SECONDS + ${3:-140})) failed=0
  here=$(cd "$(dirname "$0")" && pwd)
  records=$here/../docs/results/h200 systems=$here/../docs/results/h200/systems
  [[ -d $systems ]] || systems=$here/../docs/results/h100/systems
  again() { # folder, files
    python3 "$here/against_records.py" --keep "$1" --seconds $((end - SECONDS)) "$ridge" "$device" "${@:2}" || failed=1
  }
  again "$folder/systems" "$systems"/*.json
  again "$folder" "$records"/{heat,box27,diffusion,laplacian[468]}-*.json "$records"/laplacian-*.json
  exit $failed
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Each row: kernel, size, a small size whose rows begin alike, precision, schedules with ; between them.
joined="stage=bulk loads=packs"
parts="stage=bulk loads=ascending"
odd() { # size, small size, chunks of columns for one block a multiprocessor, for two, for three narrow ones
  local single="stage=bulk chunks=$3" join="$joined chunks=$3"
  echo "laplacian|$1|$2|fp32|auto; $single block=256x2x1 tile=8 ring=5;\
 $single block=128x4x1 tile=8 ring=5; stage=bulk block=256x2x1 tile=4 ring=8 chunks=$4;\
 $join block=128x2x1 tile=4 ring=8; $join block=128x4x1 tile=2 ring=8; $join block=64x8x1 tile=2 ring=8;\
 $joined block=128x2x1 tile=4 ring=4 chunks=$4; $joined block=32x8x1 tile=2 ring=5 chunks=$5"
  echo "laplacian|$1|$2|fp64|auto; $single block=256x2x1 tile=8 ring=5; $single block=128x4x1 tile=4 ring=8;\
 $join block=128x4x1 tile=2 ring=8"
}
rows_of() {
  case $1 in
  odd)
    odd 511x511x511 127x63x41 2 4 3
    odd 1291x1301x303 131x61x43 1 1 3
    odd 333x217x129 133x65x33 4 8 9
    ;;
  flat)
    for precision in fp32 fp64; do
      echo "laplacian|16384x8192|1024x64|$precision|auto; loads=packs bounds=256;\
 loads=packs tile=2 bounds=256; loads=packs block=64x2x1 tile=4 bounds=256"
      echo "laplacian4|16384x8192|1024x64|$precision|auto; loads=packs bounds=256;\
 loads=packs block=64x2x1 tile=8 bounds=256; loads=packs block=64x4x1 tile=4 bounds=256"
      echo "laplacian8|16384x8192|1024x64|$precision|auto; loads=packs bounds=256;\
 loads=packs block=64x4x1 tile=4 bounds=256; loads=packs block=64x2x1 tile=8 bounds=256"
      echo "laplacian8|4000x4000|400x64|$precision|auto; loads=packs block=64x2x1 tile=8 bounds=256"
    done
    ;;
  tall)
    for precision in fp64 fp32; do
      local one=$([[ $precision == fp64 ]] && echo chunks=1 || echo chunks=2)
      local tile="block=64x4x1 tile=4 $one"
      echo "laplacian8|512x512x512|128x96x48|$precision|auto; stage=bulk $tile ring=8; $parts $tile ring=7"
      echo "laplacian6|512x512x512|128x96x48|$precision|auto; stage=bulk $tile ring=7; $parts $one ring=7"
      echo "box27|512x512x512|128x96x48|$precision|auto; stage=bulk $tile ring=6; $parts; $parts $one ring=7"
      echo "laplacian8|500x500x500|100x96x48|$precision|auto; stage=bulk $tile ring=7"
      echo "laplacian8|1024x1024x512|128x96x48|$precision|auto; stage=bulk block=64x4x1 tile=4 ring=8 chunks=2"
    done
    ;;
  narrow)
    for size in 510x511x512 511x511x512 257x511x512 512x511x512; do
      for kernel in laplacian laplacian4 laplacian8 box27 wave wave8; do
        echo "$kernel|$size|${size%%x*}x41x140|bf16|auto; kernel2; kernel5; stage=bulk"
      done
    done
    for storage in bf16 fp16; do
      for n in 512 384 256 192 128; do
        echo "wave --steps 24 --boundary x=dirichlet:0,y=dirichlet:0,z=dirichlet:0|${n}x${n}x$n|64x64x64|$storage|\
auto; sweeps=4; sweeps=1"
      done
    done
    ;;
  *) echo "rows.sh: no rows called '$1'; odd, flat, tall, narrow" >&2 && exit 2 ;;
  esac
}

if [[ -n ${SANITIZE:-} ]]; then
  check() { # size, kernel, precision, schedules
    compute-sanitizer --error-exitcode 1 --tool memcheck "$ridge" bench "$2" --device "$device" \
      --size "$1" --precision "$3" --schedule "$4" --repeat 1 >"$scratch/check" 2>&1 ||
      { echo "memcheck failed: $*" && tail -20 "$scratch/check"; }
    echo "memcheck $2 $1 $3 '$4': $(grep -c ' ok ' "$scratch/check") checked," \
      "$(grep 'ERROR SUMMARY' "$scratch/check")"
  }
  for precision in fp32 fp64; do
    check 301x37x29 laplacian $precision "$joined ring=5; $joined block=32x8x1 tile=2 ring=5"
    check 302x37x29 box27 $precision "$joined ring=5 block=32x8x1 tile=2"
    check 320x40x32 laplacian6 $precision "stage=bulk loads=ascending block=64x4x1 tile=4 ring=7"
    check 302x37x29 box27 $precision "stage=bulk loads=ascending ring=5"
    check 1032x517 laplacian $precision "loads=packs tile=4 bounds=256"
    check 1032x50 laplacian8 $precision "loads=packs tile=8 bounds=256 block=32x4x1"
  done
fi

for part in "$@"; do rows_of "$part"; done >"$scratch/rows" || exit 2

numbers() { [[ $1 == bf16 || $1 == fp16 ]] && echo "--store-as $1" || echo "--precision $1"; }
compile() { # size, kernel and its words, precision, schedule
  # shellcheck disable=SC2046,SC2086
  "$ridge" bench $2 --device "$device" --size "$1" $(numbers "$3") --schedule "$4" --repeat 1 >/dev/null 2>&1
  true
}
export -f compile numbers
export ridge device
while IFS='|' read -r kernel _ small precision schedules; do
  tr ';' '\n' <<<"$schedules" | while read -r schedule; do
    printf '%s\0%s\0%s\0%s\0' "$small" "$kernel" "$precision" "$schedule"
  done
done <"$scratch/rows" | xargs -0 -n 4 -P "$(nproc)" bash -c 'compile "$@"' compile

printf '%-11s %-15s %-5s %10s %9s %-8s %s\n' kernel size "" us fraction check schedule
while IFS='|' read -r kernel size _ precision schedules; do
  # shellcheck disable=SC2046,SC2086
  "$ridge" bench $kernel --device "$device" --size "$size" $(numbers "$precision") \
    --schedule "$schedules" --json >"$scratch/records" </dev/null || continue
  python3 - "$scratch/records" <<'P'
import json
import sys

for r in json.load(open(sys.argv[1])):
    print(f'{r["kernel"]:11} {"x".join(map(str, r["size"])):15} {r["precision"]:5} {r["seconds"] * 1e6:10.1f} '
          f'{r["fraction"] or 0:9.3f} {"ok" if r["check"]["ok"] else "FAILED":8} {r["schedule"]}', flush=True)
P
done <"$scratch/rows"
