! The three codes as plain loops over everything, operation after operation, as codes for GPUs have them.
module plain
  use, intrinsic :: iso_fortran_env, only: real64, int64
  implicit none
contains

  subroutine elements(np, levels, count, a, b, c, d)
    integer, intent(in) :: np, levels, count
    real(real64), intent(in) :: a(np, np, levels, count)
    real(real64), intent(out) :: b(np, np, levels, count), c(np, np, levels, count), d(np, np, levels, count)
    integer :: i, j, k, e
    !$omp parallel do collapse(2)
    do e = 1, count
      do k = 1, levels
        do j = 1, np
          do i = 1, np
            b(i, j, k, e) = a(i, j, k, e)*(1 + 0.5_real64*a(i, j, k, e))
          end do
        end do
      end do
    end do
    !$omp parallel do collapse(2)
    do e = 1, count
      do k = 1, levels
        do j = 1, np
          do i = 1, np
            c(i, j, k, e) = b(i, j, k, e)/(1 + 0.61_real64*a(i, j, k, e))
          end do
        end do
      end do
    end do
    !$omp parallel do collapse(2)
    do e = 1, count
      do k = 1, levels
        do j = 1, np
          do i = 1, np
            d(i, j, k, e) = b(i, j, k, e)*c(i, j, k, e) + 0.5_real64*c(i, j, k, e)
          end do
        end do
      end do
    end do
  end subroutine

  subroutine instances(nx, ny, nz, count, a, b, c, d)
    integer, intent(in) :: nx, ny, nz, count
    real(real64), intent(in) :: a(nx, ny, nz, count)
    real(real64), intent(out) :: b(nx, ny, nz, count), c(nx, ny, nz, count), d(nx, ny, nz, count)
    integer :: i, j, k, e
    !$omp parallel do collapse(2)
    do e = 1, count
      do k = 1, nz
        do j = 1, ny
          b(1, j, k, e) = 0.5_real64*(a(1, j, k, e) + a(nx, j, k, e)) &
                          - 0.1_real64*(a(1, j, k, e) - a(nx, j, k, e))
          do i = 2, nx
            b(i, j, k, e) = 0.5_real64*(a(i, j, k, e) + a(i - 1, j, k, e)) &
                            - 0.1_real64*(a(i, j, k, e) - a(i - 1, j, k, e))
          end do
        end do
      end do
    end do
    !$omp parallel do collapse(2)
    do e = 1, count
      do k = 1, nz
        do j = 1, ny
          do i = 1, nx - 1
            c(i, j, k, e) = b(i, j, k, e) - b(i + 1, j, k, e)
          end do
          c(nx, j, k, e) = b(nx, j, k, e) - b(1, j, k, e)
        end do
      end do
    end do
    !$omp parallel do collapse(2)
    do e = 1, count
      do k = 1, nz
        do j = 1, ny
          do i = 1, nx
            d(i, j, k, e) = a(i, j, k, e) + 0.1_real64*c(i, j, k, e)
          end do
        end do
      end do
    end do
  end subroutine

  subroutine physics(columns, nz, a, b, c, d)
    integer, intent(in) :: columns, nz
    real(real64), intent(in) :: a(columns, nz)
    real(real64), intent(out) :: b(columns, nz), c(columns, nz), d(columns, nz)
    integer :: i, k
    !$omp parallel do
    do k = 1, nz
      do i = 1, columns
        if (a(i, k) > 0.5_real64) then
          b(i, k) = a(i, k) - 0.5_real64
        else
          b(i, k) = 0
        end if
      end do
    end do
    !$omp parallel do
    do k = 1, nz
      do i = 1, columns
        if (b(i, k) > 0.25_real64) then
          c(i, k) = a(i, k) - 0.3_real64*b(i, k)
        else
          c(i, k) = a(i, k) - 0.5_real64*0.3_real64*b(i, k)
        end if
      end do
    end do
    !$omp parallel do
    do k = 1, nz
      do i = 1, columns
        d(i, k) = c(i, k) + 0.1_real64*b(i, k)
      end do
    end do
  end subroutine

end module
