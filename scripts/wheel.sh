#!/usr/bin/env bash
# Builds the Python package's wheel into FOLDER. Usage: wheel.sh FOLDER [BUILD [PYTHON]]
# Given a build tree, it is built there, as that is configured: in seconds where it is built already,
# and for the processors it was configured for. Without, as pyproject.toml says: for any.
# PYTHON (default: python3) has pip, and with a build tree also scikit-build-core and nanobind.
set -euo pipefail
folder=$1
build=${2:-}
python=${3:-python3}
cd "$(dirname "$0")/.."
options=()
if [[ -n $build ]]; then
  # The builder configures anew, so it is told all that compilation depends on: nothing that is
  # built already is built again.
  options+=(--no-build-isolation -C "build-dir=$build" -C cmake.define.RIDGE_PYTHON_MODULE=ON
    -C cmake.define.CMAKE_INSTALL_LIBDIR=lib)
  same='RIDGE_(CPU|CUDA|HIP)_?(ARCH|LEVELS)?|RIDGE_(TESTS|EXAMPLES|APP|AHEAD|SANITIZE|PYTHON|STATIC_HDF5)'
  same+='|RIDGE_CUDA_FAST_COMPILE|RIDGE_EXAMPLES_HIP_ARCH|CMAKE_(C|CXX)_(COMPILER(_LAUNCHER)?|FLAGS)|CMAKE_BUILD_TYPE'
  while IFS= read -r entry; do # NAME:TYPE=VALUE
    options+=(-C "cmake.define.${entry%%:*}=${entry#*=}")
  done < <(grep -E "^($same):" "$build/CMakeCache.txt")
fi
# pip shows nothing of a build unless all is asked for: what wheels will have is said before they are made.
log=$(mktemp)
trap 'rm -f "$log"' EXIT
"$python" -m pip wheel --verbose --disable-pip-version-check --no-deps . -w "$folder" "${options[@]}" 2>&1 |
  tee "$log" | { grep --line-buffered '^ *Ridge: the wheel ' || true; } || { cat "$log" >&2; exit 1; }
