#!/usr/bin/env bash
# Compiles every public header alone, as the kind of translation unit it is meant for.
# Usage: check_headers.sh INCLUDE_FOLDER HEADER...
set -u
include=$1
shift
failed=0
for header in "$@"; do
  case "$header" in
  ridge/device/gpu/bulk.hpp | ridge/device/gpu/lane.hpp | ridge/device/gpu/launch.hpp | ridge/device/gpu/native.hpp)
    continue ;; # need a GPU compiler: the kernel sources of the cuda and hip builds include them
  ridge/device/simt/*) kind=-DRIDGE_TARGET_SIMT ;;
  ridge/core/pack_native.hpp | ridge/core/pack_math_native.hpp | ridge/chain/cpu_executor.hpp | ridge/stencil/cpu_deep*.hpp | ridge/stencil/cpu_pair.hpp | ridge/stencil/cpu_executor.hpp | ridge/pairs/cpu_executor.hpp)
    kind="-DRIDGE_TARGET_CPU -march=native" ;;
  ridge/lattice/cpu_binned.hpp | ridge/lattice/cpu_reduce*.hpp | ridge/lattice/cpu_map.hpp | ridge/lattice/cpu_site*.hpp)
    kind="-DRIDGE_TARGET_CPU -march=native" ;;
  ridge/stencil/gpu_*.hpp | ridge/pairs/gpu_*.hpp | ridge/chain/gpu_*.hpp | ridge/lattice/gpu_*.hpp) kind=-DRIDGE_TARGET_SIMT ;;
  *) kind= ;;
  esac
  # shellcheck disable=SC2086 -- the options are words
  if ! printf '#include <%s>\n' "$header" |
    ${CXX:-g++} -std=c++20 -fsyntax-only -Wall -Wextra -Werror $kind -I "$include" -x c++ -; then
    echo "not self-contained: $header" >&2
    failed=1
  fi
done
echo "checked $# headers"
exit $failed
