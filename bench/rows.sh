#!/usr/bin/env bash
# Defaults beside other schedules of the same work, on the GPU here: rows that begin anywhere, fields of two
# dimensions, tall footprints. bench/rows.sh RIDGE DEVICE [odd] [flat] [tall]: all three if none is named.
# What is not compiled ahead is compiled first, on small fields, several at a time. With SANITIZE=1 small
# fields run under compute-sanitizer first. What was predicted: docs/decisions/0094 to 0096.
set -uo pipefail
ridge=$1 device=$2
shift 2
[ $# -gt 0 ] || set -- odd flat tall
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Each row: kernel, size, a small size whose rows begin alike, precision, schedules with ; between them.
joined="stage=bulk loads=packs"
tall() { # kernel, precision, ring
  local with="stage=bulk ring=$3 chunks=$(($2 == 32 ? 2 : 1))" parts="stage=bulk loads=ascending"
  local chunks="chunks=$(($2 == 32 ? 2 : 1))"
  echo "$1|512x512x512|128x96x48|fp$2|auto; $with block=64x4x1 tile=4; $with block=64x8x1 tile=2;\
 $with block=32x8x1 tile=4; $parts; $parts ring=7 $chunks block=64x4x1 tile=4; $parts ring=7 $chunks block=64x8x1 tile=2"
}
rows_of() {
  case $1 in
  odd)
    for size in "1291x1301x303|131x61x43" "510x510x510|126x62x42" "511x511x511|127x63x41" \
      "333x217x129|133x65x33"; do
      echo "laplacian|$size|fp32|auto; stage=bulk; $joined; $joined block=32x8x1 tile=2 ring=6"
    done
    for size in "1291x1301x303|131x61x43" "511x511x511|127x63x41" "333x217x129|133x65x33"; do
      echo "laplacian|$size|fp64|auto; $joined"
    done
    # One value a lane, but as many results a plane as lanes with four have.
    echo "laplacian|1291x1301x303|131x61x43|fp32|stage=bulk block=256x2x1 tile=8 ring=5"
    echo "box27|511x511x511|127x63x41|fp32|auto; $joined"
    ;;
  flat)
    local order8="loads=packs tile=4 block=32x8x1 bounds=256; loads=packs tile=4 block=64x4x1 bounds=256;\
 loads=packs tile=8 block=32x4x1 bounds=256; loads=packs tile=8 block=64x2x1 bounds=256"
    for precision in fp32 fp64; do
      echo "laplacian|16384x8192|1024x64|$precision|auto; loads=packs bounds=256;\
 loads=packs tile=2 bounds=256; loads=packs block=32x4x1 bounds=256; loads=packs tile=8 bounds=256"
      echo "laplacian8|16384x8192|1024x64|$precision|auto; loads=packs bounds=256; $order8"
    done
    echo "laplacian4|16384x8192|1024x64|fp32|auto; loads=packs bounds=256"
    echo "laplacian|4000x4000|400x64|fp32|auto; loads=packs bounds=256"
    ;;
  tall)
    tall laplacian8 64 8
    tall laplacian8 32 8
    tall laplacian6 64 7
    tall laplacian6 32 7
    tall box27 64 6
    tall box27 32 6
    ;;
  *) echo "rows.sh: no rows called '$1'; odd, flat, tall" >&2 && exit 2 ;;
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

compile() { # size, kernel, precision, schedule
  "$ridge" bench "$2" --device "$device" --size "$1" --precision "$3" --schedule "$4" --repeat 1 \
    >/dev/null 2>&1
  true
}
export -f compile
export ridge device
while IFS='|' read -r kernel _ small precision schedules; do
  tr ';' '\n' <<<"$schedules" | while read -r schedule; do
    printf '%s\0%s\0%s\0%s\0' "$small" "$kernel" "$precision" "$schedule"
  done
done <"$scratch/rows" | xargs -0 -n 4 -P "$(nproc)" bash -c 'compile "$@"' compile

printf '%-11s %-15s %-5s %10s %9s %-8s %s\n' kernel size "" us fraction check schedule
while IFS='|' read -r kernel size _ precision schedules; do
  "$ridge" bench "$kernel" --device "$device" --size "$size" --precision "$precision" \
    --schedule "$schedules" --json >"$scratch/records" || continue
  python3 - "$scratch/records" <<'P'
import json
import sys

for r in json.load(open(sys.argv[1])):
    print(f'{r["kernel"]:11} {"x".join(map(str, r["size"])):15} {r["precision"]:5} {r["seconds"] * 1e6:10.1f} '
          f'{r["fraction"]:9.3f} {"ok" if r["check"]["ok"] else "FAILED":8} {r["schedule"]}', flush=True)
P
done <"$scratch/rows"
