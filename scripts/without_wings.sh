#!/usr/bin/env bash
# Builds and tests the tree without one wing after the other, and without any. Objects are those of the whole build,
# which stands there again at the end.
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
for omitted in "$@"; do
  [[ $omitted == all || " ${every[*]} " == *" $omitted "* ]] || { echo "there is no wing $omitted; there are ${every[*]}" >&2; exit 2; }
  left=()
  for wing in "${every[@]}"; do
    [[ $omitted == all || $omitted == "$wing" ]] || left+=("$wing")
  done
  echo "=== without ${omitted/#all/any wing}"
  cmake "$build" -DRIDGE_WINGS="$(IFS=';' && echo "${left[*]}")" >/dev/null
  cmake --build "$build" -j "$(nproc)"
  ctest --test-dir "$build" --output-on-failure -j "$(nproc)" ${CTEST_FLAGS:-}
done
