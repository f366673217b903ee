#!/usr/bin/env bash
# The examples in C and Fortran as a stranger's projects, by find_package and by pkg-config, against what
# was installed. Usage: languages.sh PREFIX SOURCE_FOLDER
set -euo pipefail
prefix=$1 source=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export PKG_CONFIG_PATH
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name ridge-c.pc)")

by_cmake() { # FOLDER
  cp -r "$source/examples/$1" "$scratch/$1"
  { cmake -S "$scratch/$1" -B "$scratch/$1/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Release &&
    cmake --build "$scratch/$1/build"; } >"$scratch/log" 2>&1 || { cat "$scratch/log"; exit 1; }
}

by_cmake c
"$scratch/c/build/laplacian_c" simt:32 | diff "$source/examples/c/laplacian.out" -
# shellcheck disable=SC2046 -- the flags are words
cc -std=c99 -Wall -Wextra -Wpedantic -Werror "$source/examples/c/laplacian.c" -o "$scratch/laplacian" \
  $(pkg-config --cflags --libs ridge-c) -lm
"$scratch/laplacian" | diff "$source/examples/c/laplacian.out" -
echo "C: consumed by find_package and by pkg-config"

if [[ ! -e $PKG_CONFIG_PATH/ridge-fortran.pc ]]; then
  echo "Fortran: LEFT OUT, there was no Fortran compiler when Ridge was built"
  exit 0
fi
by_cmake fortran
"$scratch/fortran/build/wiki_fortran" "$source/examples/fortran/wiki.hpp" cpu 1 | sed '/^speed/d' |
  diff "$source/examples/fortran/wiki.out" -
cat >"$scratch/sum.f90" <<'F90'
program sum_of_ones
  use ridge
  type(ridge_queue) :: queue
  type(ridge_program) :: program
  real(8), target :: ones(64) = 1
  real(8), allocatable :: results(:)
  call queue%open('cpu')
  call program%bind(queue, 'lattice-sum', [ridge_array(ones)])
  call program%run()
  call program%results(results)
  print '(f4.1)', results
end program
F90
# shellcheck disable=SC2046 -- the flags are words
gfortran "$scratch/sum.f90" -J"$scratch" -o "$scratch/sum" $(pkg-config --cflags --libs ridge-fortran)
"$scratch/sum" | grep -q '^64.0$'
echo "Fortran: consumed by find_package and by pkg-config"
