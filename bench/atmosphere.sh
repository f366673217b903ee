#!/usr/bin/env bash
# The mini-atmosphere against the plain sequential program of test/atmosphere at -Ofast, in turns, at
# 2000x1000 on one and two threads. Usage: bench/atmosphere.sh RIDGE
set -euo pipefail
ridge=$1
here=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
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
g++ -std=c++20 -Ofast -march=native -I"$here/test/atmosphere" "$work/main.cpp" \
  "$here/test/atmosphere/plain.cpp" -o "$work/plain"
for turn in 1 2 3; do
  "$work/plain"
  for threads in 1 2; do
    echo -n "chains, $threads thread(s): "
    "$ridge" atmosphere --device cpu --size 2000x1000 --time 0.3 --snapshots 1 --schedule \
      "threads=$threads" -o "$work/out.h5" | grep -o '[0-9.]* ns a cell and stage'
  done
done
