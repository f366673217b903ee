#!/usr/bin/env bash
# The doctor of programs that are not Ridge's, on programs with a planted fault, the same without it, and foreign
# programs.
#
#   bench/patients.sh pack FOLDER      collects ridge and the libraries it needs, for a machine that has none
#   bench/patients.sh run FOLDER       compiles and examines all on the GPU here, prints the table and keeps the
#                                      profilers' files in FOLDER/NAME-sick, FOLDER/NAME-control
#   bench/patients.sh programs FOLDER  the foreign programs; what they need and is missing here is skipped, and said
#   bench/patients.sh rules FOLDER     what ncu's own rules say of the patients: FOLDER/NAME-rules.txt
#
# RIDGE names the command (build/ridge). `run` takes PATIENTS, names of test/doctor/patients without .cu.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
mode=${1:-}
folder=${2:?bench/patients.sh: give pack, run, programs or rules, and a folder}
ridge=${RIDGE:-build/ridge}

# A patient, and the cause that was planted.
planted=(
  "short_launches launches-too-short" "host_waits host-waits" "allocation allocation" "tail tail-of-blocks"
  "shared_limit shared-memory-limits-warps" "spills spilled-registers" "uncoalesced uncoalesced"
  "cache_overflow cache-overflow" "bank_conflicts bank-conflicts" "divergence divergent-branches"
  "atomics atomics-on-few-addresses" "latency dependent-latency" "doubles double-by-accident" "remote remote-memory"
)

pack() {
  mkdir -p "$folder/lib/ridge" "$folder/bench" "$folder/test"
  cp -L "$ridge" "$folder/ridge.bin"
  cp -L "$(dirname "$ridge")"/lib/libridge*.so.? "$folder/lib/"
  for module in ridge_timeline.so ridge_cuda.so; do
    cp -L "$(dirname "$ridge")/lib/ridge/$module" "$folder/lib/ridge/" || echo "no $module" >&2
  done
  ldd "$ridge" | awk '/=> \//{print $3}' | sort -u |
    grep -vE '/(libc|libm|libdl|libpthread|librt|libresolv|libstdc\+\+|libgcc_s|libgomp|ld-linux[^/]*)\.so|libridge' |
    xargs -I{} cp -L {} "$folder/lib/"
  # Not by LD_LIBRARY_PATH, which the programs that are examined would take, too.
  printf '%s\n' '#!/bin/sh' 'here=$(dirname "$(realpath "$0")")' \
    'exec /lib64/ld-linux-x86-64.so.2 --library-path "$here/lib" "$here/ridge.bin" "$@"' >"$folder/ridge"
  chmod +x "$folder/ridge"
  cp bench/patients.sh "$folder/bench/"
  cp -r test/doctor "$folder/test/"
}

# examine NAME WHICH WORDS...: prints the causes, the largest first, as words.
examine() {
  local name=$1 which=$2 place="$folder/$1-$2"
  shift 2
  rm -rf "$place"
  local begin=$SECONDS
  timeout "${LIMIT:-100}" "$ridge" doctor --json --top 1 --keep "$place" -- "$@" >"$place.json" 2>"$place.err" ||
    { echo "failed: $(tail -1 "$place.err")"; return; }
  python3 - "$place.json" $((SECONDS - begin)) <<'EOF'
import json, sys
found = json.load(open(sys.argv[1]))
causes = found["program"]["causes"] + [c for k in found["kernels"] for c in k["causes"]]
causes.sort(key=lambda c: -c["predicted_gain"])
print(" ".join(f"{c['cause']}:{c['predicted_gain']:.2f}" for c in causes) or "none", f"({sys.argv[2]} s)")
EOF
}

run() {
  mkdir -p "$folder/bin"
  local names=${PATIENTS:-$(printf '%s\n' "${planted[@]}" | cut -d' ' -f1)}
  printf '%s\n' $names | xargs -P 8 -I{} nvcc -O3 -std=c++17 -arch=native -lineinfo test/doctor/patients/{}.cu -o "$folder/bin/{}"
  local first=0 second=0 number=0 accused=0
  for row in "${planted[@]}"; do
    read -r name cause <<<"$row"
    [[ " ${names//$'\n'/ } " == *" $name "* ]] || continue
    local sick control named=not
    sick=$(examine "$name" sick "$folder/bin/$name" sick)
    control=$(examine "$name" control "$folder/bin/$name" control)
    number=$((number + 1))
    case $(tr ' ' '\n' <<<"$sick" | grep -n "^$cause:" | cut -d: -f1) in
      1) named=first first=$((first + 1)) ;;
      2) named=second second=$((second + 1)) ;;
      "") ;;
      *) named=later ;;
    esac
    local guilty=no
    grep -q "$cause:" <<<"$control" && guilty=YES accused=$((accused + 1))
    printf '%-15s %-27s %-7s %s\n%-15s control accused: %-3s    %s\n' "$name" "$cause" "$named" "$sick" "" "$guilty" "$control"
  done
  echo "named first $first, second $second, of $number; controls accused of the planted cause: $accused"
}

programs() {
  mkdir -p "$folder/bin"
  g++ -O3 -fopenmp test/doctor/programs/openmp.cpp -o "$folder/bin/openmp"
  local python=test/doctor/programs
  for row in "torch python3 $python/torch_eager.py" "torch python3 $python/torch_compiled.py" \
    "triton python3 $python/triton_sum.py" "cupy python3 $python/cupy_raw.py" \
    "- $folder/bin/uncoalesced sick" "numba python3 $python/numba_cpu.py" "- $folder/bin/openmp"; do
    read -r needs words <<<"$row"
    echo "== $words"
    if [[ $needs != - ]] && ! python3 -c "import $needs" 2>/dev/null; then
      echo "skipped: no $needs here"
      continue
    fi
    local begin=$(date +%s.%N)
    timeout "${LIMIT:-150}" "$ridge" doctor --top 1 -- $words 2>&1
    local code=$?
    echo "exit code $code, $(python3 -c "print(f'{$(date +%s.%N) - $begin:.1f}')") s"
  done
  echo "== Kokkos, YAKL: skipped: none is here"
}

rules() {
  for row in "${planted[@]}"; do
    read -r name cause <<<"$row"
    echo "== $name ($cause)"
    timeout 30 ncu --set full --clock-control none --launch-skip 2 --launch-count 1 "$folder/bin/$name" sick \
      >"$folder/$name-rules.txt" 2>&1
    grep -A 2 "Est\. " "$folder/$name-rules.txt" | grep -vE '^ *-+ *$|^--$' | cut -c1-150 | head -8
  done
}

case $mode in
  pack | run | programs | rules) "$mode" ;;
  *)
    echo "bench/patients.sh: the first word is pack, run, programs or rules" >&2
    exit 2
    ;;
esac
