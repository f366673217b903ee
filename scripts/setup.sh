#!/usr/bin/env bash
# Installs the packages Ridge is built from where they are missing (Debian 12, Ubuntu 24.04).
# With --hip also the compiler and libraries for AMD GPUs; with --python what the Python package's
# module is compiled with; with --languages what C and Fortran are tested with; with --torch the torch that
# Python's tests use, for the host alone; with --sanitize the compiler of the preset sanitize.
set -euo pipefail

packages=(g++ cmake make ninja-build pkg-config python3 python3-venv libboost-context-dev libhwloc-dev
  libcli11-dev nlohmann-json3-dev libfmt-dev libhdf5-dev libgtest-dev libgmock-dev
  libsleef-dev libpng-dev zlib1g-dev libopenmpi-dev openmpi-bin libfftw3-double3)
for option in "$@"; do
  case $option in
  --hip) packages+=(hipcc libamdhip64-dev rocm-device-libs clang-19 lld-19 llvm-19 clang-tools-19) ;;
  --python) packages+=(python3-dev) ;;
  --languages) packages+=(gfortran valgrind) ;;
  --torch) packages+=(python3-torch) ;;
  --sanitize) packages+=(clang-19 llvm-19 libclang-rt-19-dev libomp-19-dev) ;;
  *) echo "setup: unknown option $option; --hip, --python, --languages, --torch and --sanitize are possible" >&2 && exit 2 ;;
  esac
done

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true)
  [[ "$status" == "install ok installed" ]] || missing+=("$package")
done
[[ ${#missing[@]} -eq 0 ]] && exit 0

if ! command -v apt-get >/dev/null; then
  echo "setup: needs these packages, and there is no apt-get here: ${missing[*]}" >&2
  exit 1
fi
as_root=()
if [[ $(id -u) -ne 0 ]]; then
  command -v sudo >/dev/null || { echo "setup: run as root: apt-get install ${missing[*]}" >&2; exit 1; }
  as_root=(sudo)
fi
echo "setup: installing ${missing[*]}"
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
  "${missing[@]}" >/dev/null
