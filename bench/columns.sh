#!/usr/bin/env bash
# Columns and elements. Usage: bench/columns.sh RIDGE [DEVICE [OUTPUT_FOLDER]]
# JSON records of running sums and tridiagonal systems along 64 and 128 levels, and of elements of 4 x 4
# points on 72 levels. On a cpu also all named schedules of elements, and plain Fortran loops of the same
# mathematics (gfortran -Ofast -fopenmp) on as many threads.
set -euo pipefail
ridge=$(realpath "$1") device=${2:-cpu} folder=${3:-}
here=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
folder=${folder:-$work}
columns=131072 elements=5400
[[ $device == cpu ]] || columns=1048576 elements=86400

bench() { # name, words
  "$ridge" bench "${@:2}" --device "$device" --json >"$folder/columns-$1.json"
  python3 "$here/bench/print_records.py" "$folder/columns-$1.json"
}
bench running-sum running-sum --size $columns --levels 128
for levels in 64 128; do
  bench tridiagonal-$levels tridiagonal --size $((columns / 2)) --levels $levels
done
bench elements elements --size $elements --levels 72 --np 4 --schedule all
[[ $device == cpu ]] || exit 0

cat >"$work/elements.f90" <<'F90'
program elements
  use iso_fortran_env, only: int64, real64
  implicit none
  integer, parameter :: np = 4, nlev = 72, nelem = 5400
  real(real64), allocatable, dimension(:, :, :, :) :: u, metric, sx, sy, fx, fy, out
  real(real64) :: d(np, np), sum, best
  integer(int64) :: begin, end, rate
  integer :: turn, ie, k, i, j, l
  allocate (u(np, np, nlev, nelem), metric(np, np, nlev, nelem), sx(np, np, nlev, nelem), &
            sy(np, np, nlev, nelem), fx(np, np, nlev, nelem), fy(np, np, nlev, nelem), out(np, np, nlev, nelem))
  call random_number(d)
  !$omp parallel do
  do ie = 1, nelem
    u(:, :, :, ie) = ie
    metric(:, :, :, ie) = 1
    sx(:, :, :, ie) = 0; sy(:, :, :, ie) = 0; fx(:, :, :, ie) = 0; fy(:, :, :, ie) = 0; out(:, :, :, ie) = 0
  end do
  best = 1e30
  do turn = 1, 15
    call system_clock(begin, rate)
    !$omp parallel do private(k, i, j, l, sum)
    do ie = 1, nelem
      do k = 1, nlev
        do j = 1, np
          do i = 1, np
            sum = 0
            do l = 1, np
              sum = sum + d(i, l) * u(l, j, k, ie)
            end do
            sx(i, j, k, ie) = sum
            sum = 0
            do l = 1, np
              sum = sum + d(j, l) * u(i, l, k, ie)
            end do
            sy(i, j, k, ie) = sum
          end do
        end do
      end do
    end do
    !$omp parallel do private(k, i, j)
    do ie = 1, nelem
      do k = 1, nlev
        do j = 1, np
          do i = 1, np
            fx(i, j, k, ie) = metric(i, j, k, ie) * sx(i, j, k, ie)
            fy(i, j, k, ie) = metric(i, j, k, ie) * sy(i, j, k, ie)
          end do
        end do
      end do
    end do
    !$omp parallel do private(k, i, j, l, sum)
    do ie = 1, nelem
      do k = 1, nlev
        do j = 1, np
          do i = 1, np
            sum = 0
            do l = 1, np
              sum = sum + d(l, i) * fx(l, j, k, ie) + d(l, j) * fy(i, l, k, ie)
            end do
            out(i, j, k, ie) = sum
          end do
        end do
      end do
    end do
    call system_clock(end)
    best = min(best, real(end - begin, real64) / rate)
  end do
  print '(a, f8.2, a)', 'plain Fortran loops of all elements: ', best * 1e3, ' ms at best'
  if (out(1, 1, 1, 1) > 1e300_real64) print *, out(1, 1, 1, 1)
end program
F90
gfortran -Ofast -march=native -fopenmp -J "$work" -o "$work/elements" "$work/elements.f90"
"$work/elements"
