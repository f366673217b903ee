! Arrays of Fortran under kernels: the bits of C++, and what is refused. Usage: fortran_arrays KERNELS.hpp
module beside_cpp
  use, intrinsic :: iso_c_binding
  implicit none
  interface
    subroutine cpp_laplacian(device, u, v, nx, ny, nz) bind(c)
      import
      character(kind=c_char), intent(in) :: device(*)
      real(c_double), intent(in) :: u(*)
      real(c_double), intent(inout) :: v(*)
      integer(c_int64_t), value :: nx, ny, nz
    end subroutine
    subroutine cpp_laplacian_float(device, u, v, nx, ny, nz) bind(c)
      import
      character(kind=c_char), intent(in) :: device(*)
      real(c_float), intent(in) :: u(*)
      real(c_float), intent(inout) :: v(*)
      integer(c_int64_t), value :: nx, ny, nz
    end subroutine
    subroutine cpp_heat(device, u, v, nx, rows) bind(c)
      import
      character(kind=c_char), intent(in) :: device(*)
      real(c_double), intent(in) :: u(*)
      real(c_double), intent(inout) :: v(*)
      integer(c_int64_t), value :: nx, rows
    end subroutine
    subroutine cpp_gravity(device, bodies, sums, count) bind(c)
      import
      character(kind=c_char), intent(in) :: device(*)
      real(c_double), intent(in) :: bodies(*)
      real(c_double), intent(inout) :: sums(*)
      integer(c_int64_t), value :: count
    end subroutine
    function cpp_sum(device, u, count) bind(c)
      import
      character(kind=c_char), intent(in) :: device(*)
      real(c_double), intent(in) :: u(*)
      integer(c_int64_t), value :: count
      real(c_double) :: cpp_sum
    end function
  end interface
end module

program arrays
  use, intrinsic :: iso_c_binding
  use beside_cpp
  use ridge
  implicit none
  integer, parameter :: nx = 29, ny = 17, nz = 13
  integer :: failures = 0
  character(4096) :: file

  call get_command_argument(1, file)
  call on_device('cpu')
  call on_device('simt:32')
  call ranks()
  call steps()
  call refused()
  print '(i0, a)', failures, ' failures'
  if (failures > 0) stop 1

contains

  subroutine expect(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    if (holds) return
    print '(3a)', what, ': ', ridge_error()
    failures = failures + 1
  end subroutine

  !> Numbers without a pattern.
  pure real(c_double) function number(i)
    integer, intent(in) :: i
    number = mod(i*7919_c_int64_t, 10007_c_int64_t)/10007.0_c_double
  end function

  subroutine on_device(device)
    character(*), intent(in) :: device
    character(:), allocatable :: name
    type(ridge_queue) :: q
    type(ridge_program) :: p
    real(c_double), target :: u(nx, ny, nz), v(nx, ny, nz), right(nx, ny, nz)
    real(c_float), target :: us(nx, ny, nz), vs(nx, ny, nz), rights(nx, ny, nz)
    real(c_double), allocatable, target :: bodies(:, :), sums(:, :), other(:, :)
    real(c_double), allocatable, target :: rows(:, :)
    real(c_double), allocatable :: results(:)
    character(:), allocatable :: text
    integer :: i
    name = device//c_null_char

    u = reshape([(number(i), i=1, size(u))], shape(u))
    us = real(u, c_float)
    v = -1
    right = -1
    call q%open(device)
    call p%bind(q, 'laplacian', [ridge_array(u), ridge_array(v)])
    call p%run()
    call q%wait()
    call cpp_laplacian(name, u, right, int(nx, c_int64_t), int(ny, c_int64_t), int(nz, c_int64_t))
    call expect(same(v, right), device//': the bits of the Laplacian')
    call expect(all(v(1, :, :) == -1) .and. v(2, 2, 2) /= -1, device//': edges')
    call p%check()
    call p%measure(3)
    call p%record(text)
    call expect(index(text, '"size":[29,17,13]') > 0, 'the size in '//text)
    call expect(index(text, '"repeats":3') > 0, 'times in '//text)
    call p%free()

    vs = -1
    rights = -1
    call p%bind(q, 'laplacian', [ridge_array(us), ridge_array(vs)])
    call p%run()
    call q%wait()
    call cpp_laplacian_float(name, us, rights, int(nx, c_int64_t), int(ny, c_int64_t), int(nz, c_int64_t))
    call expect(same(real(vs, c_double), real(rights, c_double)), device//': the bits in single precision')
    call p%free()

    allocate (rows(101, 7), other(101, 7), sums(101, 7))
    rows = reshape([(number(i), i=1, size(rows))], shape(rows))
    call p%bind(q, trim(file)//':c_test::Heat', [ridge_array(rows), ridge_array(other)])
    call p%run()
    call q%wait()
    call cpp_heat(name, rows, sums, 101_c_int64_t, 7_c_int64_t)
    call expect(all(other == sums), device//': the bits of a chain in a file')
    call p%free()
    deallocate (other, sums)

    allocate (bodies(103, 4), sums(103, 4), other(103, 4))
    bodies = reshape([(number(i), i=1, size(bodies))], shape(bodies))
    call p%bind(q, 'gravity', [ridge_array(bodies), ridge_array(sums)])
    call p%run()
    call q%wait()
    call cpp_gravity(name, bodies, other, 103_c_int64_t)
    call expect(all(other == sums), device//': the bits of pairs')
    call p%free()

    deallocate (rows)
    allocate (rows(8, 999))
    rows = reshape([(number(i), i=1, size(rows))], shape(rows))
    call p%bind(q, 'lattice-sum-reproducible', [ridge_array(rows)])
    call p%run()
    call p%results(results)
    call expect(size(results) == 1, device//': one result')
    call expect(results(1) == cpp_sum(name, rows, size(rows, kind=c_int64_t)), device//': the bits of a sum')
    call p%free()
    call q%close()
  end subroutine

  logical function same(a, b)
    real(c_double), intent(in) :: a(:, :, :), b(:, :, :)
    same = all(transfer(a, [0_c_int64_t]) == transfer(b, [0_c_int64_t]))
  end function

  !> One to six dimensions, both kinds, memory by its address, and memory of Ridge's.
  subroutine ranks()
    type(ridge_queue) :: q
    real(c_double), target :: a1(64), a2(8, 8), a3(4, 4, 4), a4(4, 4, 2, 2), a5(4, 2, 2, 2, 2), a6(2, 2, 2, 2, 2, 2)
    real(c_double), target :: b1(64), b2(8, 8), b3(4, 4, 4), b4(4, 4, 2, 2), b5(4, 2, 2, 2, 2), b6(2, 2, 2, 2, 2, 2)
    real(c_float), target :: s6(2, 2, 2, 2, 2, 2), t6(2, 2, 2, 2, 2, 2)
    real(c_double), pointer :: from(:), to(:)
    type(ridge_field) :: x, z
    type(ridge_program) :: p
    integer :: i
    real(c_double) :: back(8, 8)

    call q%open('cpu')
    a1 = [(number(i), i=1, 64)]
    a2 = reshape(a1, shape(a2))
    a3 = reshape(a1, shape(a3))
    a4 = reshape(a1, shape(a4))
    a5 = reshape(a1, shape(a5))
    a6 = reshape(a1, shape(a6))
    s6 = real(a6, c_float)
    call scale(q, ridge_array(a1), ridge_array(b1))
    call scale(q, ridge_array(a2), ridge_array(b2))
    call scale(q, ridge_array(a3), ridge_array(b3))
    call scale(q, ridge_array(a4), ridge_array(b4))
    call scale(q, ridge_array(a5), ridge_array(b5))
    call scale(q, ridge_array(a6), ridge_array(b6))
    call scale(q, ridge_array(s6), ridge_array(t6))
    call expect(all(b1 == b1(1)/a1(1)*a1) .or. all(abs(b1 - b1(3)/a1(3)*a1) < 1e-15), 'one dimension')
    call expect(all(b1 == [b2]) .and. all(b1 == [b3]) .and. all(b1 == [b4]), 'two to four dimensions')
    call expect(all(b1 == [b5]) .and. all(b1 == [b6]), 'five and six dimensions')
    call expect(all(abs(t6 - b6) < 1e-6), 'real(4)')
    b1 = 0
    from => a1
    to => b1
    call scale(q, ridge_array(c_loc(from), c_double, [8, 8]), ridge_array(c_loc(to), c_double, [8, 8]))
    call expect(all(b1 == [b2]), 'addresses')

    call x%create(q, c_double, [8, 8])
    call z%create(q, c_double, [8, 8])
    call x%set(a2)
    call scale(q, x, z)
    call z%get(back)
    call expect(all(back == b2), 'memory of Ridge''s')
    call expect(c_associated(z%pointer()), 'its address')
    call x%free()
    call z%free()
    call expect(.not. c_associated(z%pointer()), 'no address')
    call p%free()
    call q%close()
  end subroutine

  !> Heat between cold walls: a sine, which decays by one number a step.
  subroutine steps()
    type(ridge_queue) :: q
    type(ridge_sweeps) :: s
    integer, parameter :: n = 33
    real(c_double), parameter :: pi = acos(-1.0_c_double), h = 1.0_c_double/(n - 1), dt = 0.4_c_double*h*h
    real(c_double), target :: u(n), first(n)
    real(c_double) :: decay
    character(:), allocatable :: text
    character(64) :: set
    integer :: i, ierr
    first = [(sin(pi*i*h), i=0, n - 1)]
    first(n) = 0
    u = first
    decay = 1 - 4*0.4_c_double*sin(pi*h/2)**2
    write (set, '(a, es22.15, a, es22.15)') 'hx=', h, ',dt=', dt
    do i = 1, len(set) ! numbers without blanks
      if (set(i:i) == ' ' .and. i < len_trim(set)) set = set(:i - 1)//set(i + 1:)
    end do
    call q%open('cpu')
    call s%bind(q, 'heat', [ridge_array(u)], boundary='x=dirichlet:0', set=set)
    call s%run(100)
    call s%read()
    call q%wait()
    call expect(all(abs(u - decay**100*first) < 1e-12), 'a hundred steps of heat')
    call s%record(text)
    call expect(index(text, '"steps":100') > 0, 'steps in '//text)
    call s%free()
    call s%run(1, ierr)
    call expect(ierr == ridge_bad_handle, 'no steps after free')
    call q%close()
  end subroutine

  subroutine scale(q, x, z)
    type(ridge_queue), intent(in) :: q
    type(ridge_field), intent(in) :: x, z
    type(ridge_program) :: p
    call p%bind(q, 'lattice-scale', [x, z])
    call p%run()
    call q%wait()
    call p%free()
  end subroutine

  subroutine expect_error(ierr, code, part)
    integer, intent(in) :: ierr, code
    character(*), intent(in) :: part
    if (ierr == code .and. index(ridge_error(), part) > 0) return
    print '(a, i0, a, i0, 4a)', 'ierr ', ierr, ', not ', code, ': ', ridge_error(), '; expected: ', part
    failures = failures + 1
  end subroutine

  subroutine refused()
    type(ridge_queue) :: q
    type(ridge_program) :: p, other
    type(ridge_field) :: field
    real(c_double), target :: u(nx, ny, nz), v(nx, ny, nz), turned(nz, ny, nx), many(1, 1, 1, 1, 1, 1, 2)
    real(c_float), target :: s(nx, ny, nz)
    real(c_double), pointer :: part(:, :, :)
    real(c_double), target :: alone
    character(:), allocatable :: text
    integer :: ierr

    u = 1
    call p%run(ierr=ierr)
    call expect_error(ierr, ridge_bad_handle, 'the program is null')
    call q%open('gpu', ierr=ierr)
    call expect_error(ierr, ridge_usage, 'cpu, cuda:N, hip:N')
    call q%wait(ierr)
    call expect_error(ierr, ridge_bad_handle, 'the queue is null')
    call q%open('cpu', ierr=ierr)
    call expect(ierr == ridge_ok, 'a queue')

    call p%bind(q, 'laplacian', [ridge_array(u(:, 1:9, :)), ridge_array(v)], ierr=ierr)
    call expect_error(ierr, ridge_usage, 'array 1 is not contiguous')
    part => v(1:nx:2, :, :)
    call p%bind(q, 'laplacian', [ridge_array(u), ridge_array(part)], ierr=ierr)
    call expect_error(ierr, ridge_usage, 'array 2 is not contiguous')
    call p%bind(q, 'laplacian', [ridge_array(u), ridge_array(s)], ierr=ierr)
    call expect_error(ierr, ridge_usage, 'different precisions')
    call p%bind(q, 'laplacian', [ridge_array(u), ridge_array(turned)], ierr=ierr)
    call expect_error(ierr, ridge_usage, 'the shape (29, 17, 13) and the output (13, 17, 29)')
    call p%bind(q, 'laplacian', [ridge_array(u), ridge_array(alone)], ierr=ierr)
    call expect_error(ierr, ridge_usage, 'array 2 is a number')
    call p%bind(q, 'laplacian', [ridge_array(many), ridge_array(v)], ierr=ierr)
    call expect_error(ierr, ridge_usage, 'array 1 has 7 dimensions')
    call p%bind(q, 'laplacian', [ridge_array(c_loc(u), 16, [3, 4]), ridge_array(v)], ierr=ierr)
    call expect_error(ierr, ridge_usage, 'array 1 is of the kind 16')
    call p%bind(q, 'laplacian', [ridge_array(c_null_ptr, c_double, shape(v)), ridge_array(v)], ierr=ierr)
    call expect_error(ierr, ridge_bad_pointer, 'data is null')
    call p%bind(q, 'laplacian', [ridge_array(u)], ierr=ierr)
    call expect_error(ierr, ridge_usage, 'takes 2 arrays')
    call p%bind(q, 'laplacean', [ridge_array(u), ridge_array(v)], ierr=ierr)
    call expect_error(ierr, ridge_usage, 'laplacian')
    call p%bind(q, 'laplacian', [ridge_array(u), ridge_array(v)], set='rate=1', ierr=ierr)
    call expect_error(ierr, ridge_usage, 'hx, hy and hz')
    call p%bind(q, 'laplacian', [ridge_array(u), ridge_array(v)], schedule='quick', ierr=ierr)
    call expect_error(ierr, ridge_usage, 'quick')
    call field%create(q, c_float, [4, 4], ierr)
    call field%set(u, ierr)
    call expect_error(ierr, ridge_usage, 'an array of real(8) for a field of real(4)')
    call field%set(s, ierr)
    call expect_error(ierr, ridge_usage, 'the field has 64')
    call field%free()

    call p%bind(q, 'laplacian', [ridge_array(u), ridge_array(v)], set='hx=0.5 hy=0.5 hz=0.5', ierr=ierr)
    call expect(ierr == ridge_ok, 'a program')
    call p%schedule(text)
    call other%bind(q, 'laplacian', [ridge_array(u), ridge_array(v)], schedule=text, ierr=ierr)
    call expect(ierr == ridge_ok, 'a program under that schedule')
    call q%close()
    call p%run(ierr)
    call expect_error(ierr, ridge_bad_handle, 'the queue of the program was freed')
    call p%free(ierr)
    call other%free(ierr)
    call expect(ierr == ridge_ok, 'programs are freed after their queue')
    call ridge_devices(text)
    call expect(index(text, 'cpu'//new_line('a')) > 0, 'devices')
    call ridge_kernels(text)
    call expect(index(text, '"laplacian"') > 0, 'kernels')
  end subroutine

end program
