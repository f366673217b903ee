#!/usr/bin/env bash
# Compiles every public header alone, as the kind of translation unit it is meant for, on all cores. A header
# whose first line of code includes another of its kind compiles that one alone, too: before all else.
# Usage: check_headers.sh INCLUDE_FOLDER HEADER...
set -u
export include=$1
shift

# The options that a header is compiled with, or `none` where nothing here compiles it.
kind_of() {
  case "$1" in
  ridge/device/gpu/bulk.hpp | ridge/device/gpu/entry.hpp | ridge/device/gpu/lane.hpp | ridge/device/gpu/launch.hpp | \
    ridge/device/gpu/native.hpp | ridge/device/gpu/tile_copy.hpp)
    kind=none ;; # need a GPU compiler: the kernel sources of the cuda and hip builds include them
  ridge/device/rtc/*) kind=none ;; # for NVRTC; test/launch/image_test.cpp compiles them
  ridge/*/cpu/*.hpp | ridge/core/pack_native.hpp | ridge/core/pack_math_native.hpp)
    kind="-DRIDGE_TARGET_CPU -march=native" ;;
  ridge/device/simt/* | ridge/*/gpu/*.hpp) kind=-DRIDGE_TARGET_SIMT ;;
  *) kind= ;;
  esac
}

check() {
  local header=$1
  kind_of "$header"
  # shellcheck disable=SC2086 -- the options are words
  printf '#include <%s>\n' "$header" |
    ${CXX:-g++} -std=c++20 -fsyntax-only -Wall -Wextra -Werror $kind -I "$include" -x c++ - ||
    { echo "not self-contained: $header" >&2; return 1; }
}
export -f check kind_of

declare -A first # the header that a header's first line of code includes
while read -r header included; do
  first[$header]=$included
done < <(cd "$include" && awk '
  FNR == 1 { seen = 0 }
  !seen && /^[ \t]*[^ \t\/]/ && !/^#pragma once/ {
    seen = 1
    if (match($0, /^#include <ridge\/[^>]*>/)) print FILENAME, substr($0, 11, RLENGTH - 11)
  }' "$@")

declare -A alone # headers that another compiles alone
for header in "$@"; do
  included=${first[$header]:-}
  [[ -n $included ]] || continue
  kind_of "$header" && own=$kind
  kind_of "$included"
  [[ $own == none || $kind != "$own" ]] || alone[$included]=$header
done

rest=()
for header in "$@"; do
  kind_of "$header"
  [[ $kind == none || -n ${alone[$header]:-} ]] || rest+=("$header")
done
printf '%s\n' "${rest[@]}" | xargs -P "$(nproc)" -I{} bash -c 'check {}'
status=$?
echo "checked $# headers, ${#rest[@]} of them as the first of all"
exit $((status != 0))
