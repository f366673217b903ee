#!/usr/bin/env bash
# The mini-atmosphere. Usage: bench/atmosphere.sh RIDGE [DEVICE [OUTPUT_FOLDER]]
# On a cpu: against the plain sequential program of wings/atmosphere/test at -Ofast, in turns, at 2000x1000 on
# one and two threads. On a GPU, JSON records: 400x200 in plain launches of one operation each, in plain
# launches of the default schedule, and in graphs, the default; and 8000x4000.
set -euo pipefail
ridge=$(realpath "$1") device=${2:-cpu} folder=${3:-}
here=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
folder=${folder:-$work}

thermal() { # name, size, seconds, schedule
  (cd "$work" && "$ridge" atmosphere --case thermal --device "$device" --size "$2" --time "$3" \
    --schedule "$4" --snapshots 1 -o out.h5 --json) >"$folder/atmosphere-$1.json"
  python3 "$here/bench/print_records.py" "$folder/atmosphere-$1.json"
}

if [[ $device != cpu ]]; then
  for turn in 1 2 3; do
    thermal 400x200-fission 400x200 1600 fission
    thermal 400x200-plain 400x200 1600 graph=off
    thermal 400x200 400x200 1600 auto
  done
  thermal 400x200-norms 400x200 400 auto
  thermal 100x50-norms 100x50 400 auto
  thermal 8000x4000 8000x4000 5 auto
  exit
fi

cat >"$work/main.cpp" <<'CPP'
#include "plain.hpp"
#include <chrono>
#include <cstdio>
int main() {
  plain::Atmosphere air("thermal", 2000, 1000);
  const auto begin = std::chrono::steady_clock::now();
  air.run_until(0.3);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::printf("plain -Ofast: %.3g ns a cell and stage\n", seconds * 1e9 / (2e6 * 6 * air.steps()));
}
CPP
g++ -std=c++20 -Ofast -march=native -I"$here/wings/atmosphere/test" "$work/main.cpp" \
  "$here/wings/atmosphere/test/plain.cpp" -o "$work/plain"
for turn in 1 2 3; do
  "$work/plain"
  for threads in 1 2; do
    echo -n "chains, $threads thread(s): "
    "$ridge" atmosphere --device cpu --size 2000x1000 --time 0.3 --snapshots 1 --schedule \
      "threads=$threads" -o "$work/out.h5" | grep -o '[0-9.]* ns a cell and stage'
  done
done
