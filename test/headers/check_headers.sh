#!/usr/bin/env bash
# Compiles every public header alone, as the kind of translation unit it is meant for, on all cores.
# Usage: check_headers.sh INCLUDE_FOLDER HEADER...
set -u
export include=$1
shift

check() {
  local header=$1 kind=
  case "$header" in
  ridge/device/gpu/bulk.hpp | ridge/device/gpu/entry.hpp | ridge/device/gpu/lane.hpp | ridge/device/gpu/launch.hpp | \
    ridge/device/gpu/native.hpp | ridge/device/gpu/tile_copy.hpp)
    return 0 ;; # need a GPU compiler: the kernel sources of the cuda and hip builds include them
  ridge/device/rtc/*) return 0 ;; # for NVRTC; test/launch/image_test.cpp compiles them
  ridge/*/cpu/*.hpp | ridge/core/pack_native.hpp | ridge/core/pack_math_native.hpp)
    kind="-DRIDGE_TARGET_CPU -march=native" ;;
  ridge/device/simt/* | ridge/*/gpu/*.hpp) kind=-DRIDGE_TARGET_SIMT ;;
  esac
  # shellcheck disable=SC2086 -- the options are words
  printf '#include <%s>\n' "$header" |
    ${CXX:-g++} -std=c++20 -fsyntax-only -Wall -Wextra -Werror $kind -I "$include" -x c++ - ||
    { echo "not self-contained: $header" >&2; return 1; }
}
export -f check

printf '%s\n' "$@" | xargs -P "$(nproc)" -I{} bash -c 'check {}'
status=$?
echo "checked $# headers"
exit $((status != 0))
