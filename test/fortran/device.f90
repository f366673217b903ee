! Arrays that lie on a device: memory of Ridge's, and by addresses, as OpenACC and OpenMP hand them over.
! Usage: fortran_device DEVICE..., which may be GPUs.
program on_devices
  use, intrinsic :: iso_c_binding
  use ridge
  implicit none
  integer, parameter :: nx = 29, ny = 17, nz = 13
  integer :: failures = 0, i
  character(64) :: device

  do i = 1, command_argument_count()
    call get_command_argument(i, device)
    call laplacian(trim(device))
    call a_sum(trim(device))
    call steps(trim(device))
    print '(2a, i0, a)', trim(device), ': ', failures, ' failures so far'
  end do
  if (failures > 0) stop 1

contains

  subroutine expect(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    if (holds) return
    print '(3a)', what, ': ', ridge_error()
    failures = failures + 1
  end subroutine

  subroutine laplacian(name)
    character(*), intent(in) :: name
    type(ridge_queue) :: q
    type(ridge_field) :: x, z
    type(ridge_program) :: p
    real(c_double) :: u(nx, ny, nz), v(nx, ny, nz), right(nx, ny, nz)
    real(c_double), target :: host(nx, ny, nz)
    character(:), allocatable :: text
    integer :: i, j, k, ierr
    do concurrent(i=1:nx, j=1:ny, k=1:nz)
      u(i, j, k) = 0.5d0*i*i + 0.25d0*j*j + 0.125d0*k*k
    end do
    right = -7
    right(2:nx - 1, 2:ny - 1, 2:nz - 1) = 1.75d0
    call q%open(name)
    call x%create(q, c_double, [nx, ny, nz])
    call z%create(q, c_double, [nx, ny, nz])
    call x%set(u)
    v = -7
    call z%set(v)
    call p%bind(q, 'laplacian', [x, z])
    call p%run()
    call z%get(v)
    call expect(all(v == right), name//': memory of Ridge''s')
    call p%check()
    call p%measure(3)
    call p%record(text)
    call expect(index(text, '"size":[29,17,13]') > 0, 'the size in '//text)
    call p%free()
    v = -7
    call z%set(v)
    call p%bind(q, 'laplacian', [ridge_array(x%pointer(), c_double, [nx, ny, nz]), &
                                 ridge_array(z%pointer(), c_double, [nx, ny, nz])])
    call p%run()
    call z%get(v)
    call expect(all(v == right), name//': the same by its addresses')
    call p%free()
    if (index(name, 'cuda') == 1 .or. index(name, 'hip') == 1) then
      call p%bind(q, 'laplacian', [ridge_array(host), z], ierr=ierr)
      call expect(ierr == ridge_ok .or. index(ridge_error(), 'memory of the host') > 0, &
                  name//': memory of the host, which some GPUs read')
      if (ierr == ridge_ok) call p%free()
    end if
    call x%free()
    call z%free()
    call q%close()
  end subroutine

  subroutine a_sum(name)
    character(*), intent(in) :: name
    type(ridge_queue) :: q
    type(ridge_field) :: x
    type(ridge_program) :: p
    real(c_double) :: rows(8, 999)
    real(c_double), allocatable :: results(:)
    integer :: i
    rows = reshape([(real(i, c_double), i=1, size(rows))], shape(rows))
    call q%open(name)
    call x%create(q, c_double, shape(rows))
    call x%set(rows)
    call p%bind(q, 'lattice-sum-reproducible', [x])
    call p%run()
    call p%results(results)
    call expect(size(results) == 1, name//': one result')
    call expect(all(results == sum(rows)), name//': the sum of whole numbers')
    call p%free()
    call x%free()
    call q%close()
  end subroutine

  !> Heat between periodic ends: the mean stays.
  subroutine steps(name)
    character(*), intent(in) :: name
    type(ridge_queue) :: q
    type(ridge_field) :: x
    type(ridge_sweeps) :: s
    integer, parameter :: n = 64
    real(c_double) :: u(n), v(n)
    integer :: i
    u = [(real(mod(i*7, 32), c_double), i=1, n)]
    call q%open(name)
    call x%create(q, c_double, [n])
    call x%set(u)
    call s%bind(q, 'heat', [x], boundary='x=periodic', set='hx=1 dt=0.25')
    call s%run(10000)
    call s%read()
    call x%get(v)
    call expect(all(abs(v - sum(u)/n) < 1e-9), name//': ten thousand steps of heat')
    call s%free()
    call x%free()
    call q%close()
  end subroutine

end program
