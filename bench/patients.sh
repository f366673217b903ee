#!/usr/bin/env bash
# The doctor of programs that are not Ridge's, on programs with a planted fault, the same without it, and foreign
# programs.
#
#   bench/patients.sh pack FOLDER      collects ridge and the libraries it needs, for a machine that has none
#   bench/patients.sh run FOLDER       compiles and examines all on the GPU here, prints the table and keeps the
#                                      profilers' files in FOLDER/NAME-sick, FOLDER/NAME-control
#   bench/patients.sh held FOLDER      the same with the patients on which no rule was tuned
#   bench/patients.sh threads FOLDER   the same with those of public threads
#   bench/patients.sh store FOLDER TO  makes test/doctor/reports/NAME of what was kept: of ncu's columns those that are
#                                      read, of the timeline the first 400 kernels, run.tsv
#   bench/patients.sh programs FOLDER  the foreign programs; what they need and is missing here is skipped, and said;
#                                      PROGRAMS: a regular expression of some
#   bench/patients.sh rules FOLDER     the doctor beside ncu's own rules, on the same reports (bench/ncu_rules.py)
#
# RIDGE names the command (build/ridge). `run` takes PATIENTS, names of test/doctor/patients without .cu.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
mode=${1:-}
folder=${2:?bench/patients.sh: give pack, run, held, threads, store, programs or rules, and a folder}
ridge=${RIDGE:-build/ridge}

# A patient, and the cause that was planted.
planted=(
  "short_launches launches-too-short" "host_waits host-waits" "allocation allocation" "tail tail-of-blocks"
  "shared_limit shared-memory-limits-warps" "spills spilled-registers" "uncoalesced uncoalesced"
  "cache_overflow cache-overflow" "bank_conflicts bank-conflicts" "divergence divergent-branches"
  "atomics atomics-on-few-addresses" "latency dependent-latency" "doubles double-by-accident" "remote remote-memory"
)
# Written after the rules, and before they ran anywhere: what is named of them says how far the rules carry.
held_back=(
  "counters atomics-on-few-addresses" "column_walk uncoalesced" "last_wave tail-of-blocks" "transpose bank-conflicts"
  "residual host-waits" "double_constants double-by-accident" "local_index spilled-registers"
  "thin_blocks small-blocks" "few_sums few-blocks" "row_lengths divergent-branches" "barrier_tree barriers"
  "odd_blocks partial-warps" "pageable copies" "few_warps few-warps"
)

# The same, of public threads in which the fix is known: each file names its own.
public=(
  "row_product uncoalesced" "one_sum atomics-on-few-addresses" "gated few-blocks" "element_rows bank-conflicts"
  "helix double-by-accident" "step_waits host-waits" "sort_scratch allocation"
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
  cp bench/patients.sh bench/ncu_rules.py "$folder/bench/"
  mkdir -p "$folder/src/doctor/foreign" && cp src/doctor/foreign/counts.cpp "$folder/src/doctor/foreign/" # for store
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
causes.sort(key=lambda c: -(c["predicted_gain"] or 0))
print(" ".join(f"{c['cause']}:{c['predicted_gain'] or 0:.2f}" for c in causes) or "none", f"({sys.argv[2]} s)")
EOF
}

# measured NAME: the time of its kernel with the fault over that without; both do the same work, but for some of `run`.
measured() {
  python3 - "$folder/$1-sick.json" "$folder/$1-control.json" <<'EOF'
import json, sys
try:
    a, b = (json.load(open(f)) for f in sys.argv[1:])
    print(f"kernel {a['kernels'][0]['seconds'] / b['kernels'][0]['seconds']:.2f}, "
          f"program {a['program']['seconds'] / b['program']['seconds']:.2f}")
except (OSError, ValueError, KeyError, IndexError):
    print("-")
EOF
}

# examine_all ROW...: rows are a patient and its cause.
examine_all() {
  mkdir -p "$folder/bin"
  local names=${PATIENTS:-$(printf '%s\n' "$@" | cut -d' ' -f1)}
  printf '%s\n' $names |
    xargs -P 8 -I{} nvcc -O3 -std=c++17 -arch=native -lineinfo test/doctor/patients/{}.cu -o "$folder/bin/{}"
  local first=0 second=0 number=0 accused=0
  for row in "$@"; do
    read -r name cause <<<"$row"
    [[ " ${names//$'\n'/ } " == *" $name "* ]] || continue
    local sick control named=not
    sick=$(examine "$name" sick "$folder/bin/$name" sick)
    control=$(examine "$name" control "$folder/bin/$name" control)
    for which in sick control; do echo "$cause" >"$folder/$name-$which/planted"; done
    number=$((number + 1))
    case $(tr ' ' '\n' <<<"$sick" | grep -n "^$cause:" | cut -d: -f1) in
      1) named=first first=$((first + 1)) ;;
      2) named=second second=$((second + 1)) ;;
      "") ;;
      *) named=later ;;
    esac
    local guilty=no
    grep -q "$cause:" <<<"$control" && guilty=YES accused=$((accused + 1))
    printf '%-16s %-27s %-7s %s\n%-16s control accused: %-3s    %s\n%-16s times as long with the fault: %s\n' \
      "$name" "$cause" "$named" "$sick" "" "$guilty" "$control" "" "$(measured "$name")"
  done
  echo "named first $first, second $second, of $number; controls accused of the planted cause: $accused"
}
run() { examine_all "${planted[@]}"; }
held() { examine_all "${held_back[@]}"; }
threads() { examine_all "${public[@]}"; }

store() {
  local reports=${1:?bench/patients.sh: give a folder of test/doctor/reports}
  python3 - "$folder" "$reports" src/doctor/foreign/counts.cpp <<'EOF'
import csv, pathlib, re, shutil, sys
kept, to, names = (pathlib.Path(word) for word in sys.argv[1:])
read = set(re.findall(r'{"(\w+(?:\.\w+)*)"', names.read_text())) | {
    "ID", "Kernel Name", "Block Size", "Grid Size", "Device", "CC", "device__attribute_display_name",
    "gpu__time_duration.sum"}

def span(lines):
    times = [[int(t) for t in line.split("\t")[1:3]] for line in lines if line[:2] in ("K\t", "C\t", "S\t")]
    return 1e-9 * (max(t[1] for t in times) - min(t[0] for t in times)) if times else 0

for planted in sorted(kept.glob("*/planted")):
    if not planted.with_name("timeline.tsv").exists():
        continue  # it did not run
    place = to / planted.parent.name
    place.mkdir(parents=True, exist_ok=True)
    shutil.copy(planted, place)
    counts = planted.with_name("ncu.csv")
    lines = [line for line in counts.read_text().splitlines() if line.startswith('"')] if counts.exists() else []
    rows = list(csv.reader(lines))
    columns = [i for i, name in enumerate(rows[0]) if name in read] if rows else []
    with open(place / "ncu.csv", "w", newline="") as out:
        csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows([row[i] for i in columns] for row in rows)
    begun, kernels, all_lines = [], 0, planted.with_name("timeline.tsv").read_text().splitlines(keepends=True)
    for line in all_lines:
        kernels += line.startswith("K")
        if kernels > 400:
            break
        begun.append(line)
    (place / "timeline.tsv").write_text("".join(begun))
    # The program's time without that of the device's work which is left out: gains are of both together.
    left_out = span(all_lines) - span(begun)
    run = planted.with_name("run.tsv").read_text().splitlines(keepends=True)
    (place / "run.tsv").write_text("".join(
        f"seconds\t{float(line.split()[1]) - left_out:.9g}\n" if line.startswith("seconds\t") else line
        for line in run))
EOF
}

programs() {
  mkdir -p "$folder/bin"
  g++ -O3 -fopenmp test/doctor/programs/openmp.cpp -o "$folder/bin/openmp"
  # KOKKOS names an installed Kokkos; else Debian's, of Trilinos (libtrilinos-kokkos-dev), which has one thread.
  local kokkos=${KOKKOS:-/usr} words=(g++ -O3 -std=c++17 -fopenmp test/doctor/programs/kokkos.cpp)
  words+=("-I$kokkos/include" "-I$kokkos/include/trilinos" "-L$kokkos/lib" "-L$kokkos/lib/x86_64-linux-gnu"
    "-Wl,-rpath,$kokkos/lib:$kokkos/lib/x86_64-linux-gnu" -o "$folder/bin/kokkos")
  "${words[@]}" -lkokkoscore 2>/dev/null || "${words[@]}" -ltrilinos_kokkoscore 2>/dev/null || :
  local python=test/doctor/programs
  for row in "torch python3 $python/torch_eager.py" "torch python3 $python/torch_compiled.py" \
    "triton python3 $python/triton_sum.py" "cupy python3 $python/cupy_raw.py" \
    "- $folder/bin/uncoalesced sick" "numba python3 $python/numba_cpu.py" \
    "- $folder/bin/openmp" "- $folder/bin/kokkos"; do
    read -r needs words <<<"$row"
    [[ $words =~ ${PROGRAMS:-.} ]] || continue
    echo "== $words"
    if [[ $needs != - ]] && ! python3 -c "import $needs" 2>/dev/null; then
      echo "skipped: no $needs here"
      continue
    fi
    if [[ $needs == - && ! -x ${words%% *} ]]; then
      echo "skipped: it was not built here"
      continue
    fi
    local begin=$(date +%s.%N)
    timeout "${LIMIT:-150}" "$ridge" doctor --top 1 -- $words 2>&1
    local code=$?
    echo "exit code $code, $(python3 -c "print(f'{$(date +%s.%N) - $begin:.1f}')") s"
  done
}

rules() { python3 bench/ncu_rules.py "$folder" "$@"; }

case $mode in
  pack | run | held | threads | store | programs | rules) "$mode" "${@:3}" ;;
  *)
    echo "bench/patients.sh: the first word is pack, run, held, threads, store, programs or rules" >&2
    exit 2
    ;;
esac
