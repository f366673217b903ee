#!/usr/bin/env bash
# Builds and tests the tree without one wing after the other, and without any. Objects are those of the whole build,
# which stands there again at the end. Tests whose programs are those of the whole build, which ran them, are left out
# (same_tests.py); of headers alone a third is looked at, and all of ridge/ itself, which ask what there is.
# Usage: scripts/without_wings.sh BUILD [WING...]: those to leave out, one a build; "all" leaves out every one.
# CTEST_FLAGS chooses tests.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
shift
every=(wings/*/)
every=("${every[@]#wings/}")
every=("${every[@]%/}")
[[ $# -gt 0 ]] || set -- all "${every[@]}"
trap 'cmake "$build" -DRIDGE_WINGS=ALL >/dev/null' EXIT
unset RIDGE_HEADERS
cmake "$build" -DRIDGE_WINGS=ALL >/dev/null
cmake --build "$build" -j "$(nproc)"
python3 -B scripts/same_tests.py "$build" keep
for omitted in "$@"; do
  [[ $omitted == all || " ${every[*]} " == *" $omitted "* ]] || { echo "there is no wing $omitted; there are ${every[*]}" >&2; exit 2; }
  left=() out=()
  for wing in "${every[@]}"; do
    [[ $omitted == all || $omitted == "$wing" ]] && out+=("$wing") || left+=("$wing")
  done
  echo "=== without ${omitted/#all/any wing}"
  cmake "$build" -DRIDGE_WINGS="$(IFS=';' && echo "${left[*]}")" >/dev/null
  cmake --build "$build" -j "$(nproc)"
  same=$(python3 -B scripts/same_tests.py "$build" left-out "${out[@]}")
  ctest --test-dir "$build" --output-on-failure -j "$(nproc)" -E "$same" ${CTEST_FLAGS:-}
done
