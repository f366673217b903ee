! Three codes of weather and climate as chains of Ridge, beside plain loops of Fortran.
! Usage: wiki_fortran WIKI.hpp [DEVICE [SCALE]]; a scale of 100 is about 50 MB an array.
program wiki
  use, intrinsic :: iso_fortran_env, only: real64, int64
  use, intrinsic :: iso_c_binding, only: c_double, c_loc
  use plain
  use ridge
  implicit none
  character(4096) :: file, device = 'cpu', given
  integer :: scale = 100
  type(ridge_queue) :: queue

  call get_command_argument(1, file)
  if (len_trim(file) == 0) then
    print '(a)', 'usage: wiki_fortran WIKI.hpp [DEVICE [SCALE]]'
    stop 2
  end if
  if (command_argument_count() > 1) call get_command_argument(2, device)
  if (command_argument_count() > 2) then
    call get_command_argument(3, given)
    read (given, *) scale
  end if
  call queue%open(device)
  call run_elements(4, 72, 56*scale)
  call run_instances(64, 32, 31, scale)
  call run_physics(640*scale, 100)
  call queue%close()

contains

  subroutine run_elements(np, levels, count)
    integer, intent(in) :: np, levels, count
    real(real64), allocatable, target :: a(:, :, :, :), b(:, :, :, :), c(:, :, :, :), d(:, :, :, :), found(:, :, :, :)
    real(real64) :: seconds, best
    integer :: n(1), i
    allocate (a(np, np, levels, count), b(np, np, levels, count), c(np, np, levels, count), &
              d(np, np, levels, count), found(np, np, levels, count))
    call random_number(a)
    best = huge(best)
    do i = 1, 5
      seconds = now()
      call elements(np, levels, count, a, b, c, d)
      best = min(best, now() - seconds)
    end do
    ! Operations on each point alone: all dimensions are one.
    n = size(a)
    call launch('elements', 'Elements', size(a), best, &
                ridge_array(c_loc(a), c_double, n), ridge_array(c_loc(found), c_double, n), a, found)
    call compare('elements', size(a), d, found)
  end subroutine

  subroutine run_instances(nx, ny, nz, count)
    integer, intent(in) :: nx, ny, nz, count
    real(real64), allocatable, target :: a(:, :, :, :), b(:, :, :, :), c(:, :, :, :), d(:, :, :, :), found(:, :, :, :)
    real(real64) :: seconds, best
    integer :: i
    allocate (a(nx, ny, nz, count), b(nx, ny, nz, count), c(nx, ny, nz, count), d(nx, ny, nz, count), &
              found(nx, ny, nz, count))
    call random_number(a)
    best = huge(best)
    do i = 1, 5
      seconds = now()
      call instances(nx, ny, nz, count, a, b, c, d)
      best = min(best, now() - seconds)
    end do
    call launch('instances', 'Instances', size(a), best, ridge_array(a), ridge_array(found), a, found)
    call compare('instances', size(a), d, found)
  end subroutine

  subroutine run_physics(columns, nz)
    integer, intent(in) :: columns, nz
    real(real64), allocatable, target :: a(:, :), b(:, :), c(:, :), d(:, :), found(:, :)
    real(real64) :: seconds, best
    integer :: n(1), i
    allocate (a(columns, nz), b(columns, nz), c(columns, nz), d(columns, nz), found(columns, nz))
    call random_number(a)
    best = huge(best)
    do i = 1, 5
      seconds = now()
      call physics(columns, nz, a, b, c, d)
      best = min(best, now() - seconds)
    end do
    n = size(a)
    call launch('physics', 'Physics', size(a), best, &
                ridge_array(c_loc(a), c_double, n), ridge_array(c_loc(found), c_double, n), a, found)
    call compare('physics', size(a), d, found)
  end subroutine

  real(real64) function now()
    integer(int64) :: ticks, rate
    call system_clock(ticks, rate)
    now = real(ticks, real64)/real(rate, real64)
  end function

  !> Launches a chain five times and prints the time of the fastest beside that of the loops. On a GPU the
  !> arrays are copied to memory of Ridge's there.
  subroutine launch(name, functor, points, plain_seconds, in, out, a, found)
    character(*), intent(in) :: name, functor
    integer, intent(in) :: points
    real(real64), intent(in) :: plain_seconds
    type(ridge_field), intent(in) :: in, out
    real(real64), intent(in), contiguous, target :: a(..)
    real(real64), intent(inout), contiguous, target :: found(..)
    type(ridge_program) :: program
    type(ridge_field) :: x, z
    real(real64) :: seconds, best
    logical :: on_gpu
    integer :: i
    on_gpu = index(device, 'cuda') == 1 .or. index(device, 'hip') == 1
    x = in
    z = out
    if (on_gpu) then
      call x%create(queue, c_double, shape_of(a, functor))
      call z%create(queue, c_double, shape_of(a, functor))
      call x%set(a)
    end if
    call program%bind(queue, trim(file)//':wiki::'//functor, [x, z])
    best = huge(best)
    do i = 1, 5
      seconds = now()
      call program%run()
      call queue%wait()
      best = min(best, now() - seconds)
    end do
    if (on_gpu) then
      call z%get(found)
      call x%free()
      call z%free()
    end if
    call program%free()
    print '(3a, f8.3, a, f8.3, a, f6.2, a)', 'speed of ', name, ': plain loops ', plain_seconds*1e9/points, &
      ' ns a point, Ridge', best*1e9/points, ', ', plain_seconds/best, ' times as fast'
  end subroutine

  !> Chains of points are over all of an array as one dimension, that of instances over its four.
  function shape_of(a, functor) result(extents)
    real(real64), intent(in) :: a(..)
    character(*), intent(in) :: functor
    integer, allocatable :: extents(:)
    if (functor == 'Instances') then
      extents = shape(a)
    else
      extents = [size(a)]
    end if
  end function

  subroutine compare(name, points, right, found)
    character(*), intent(in) :: name
    integer, intent(in) :: points
    real(real64), intent(in) :: right(points), found(points)
    real(real64) :: worst
    worst = maxval(abs(right - found))
    if (worst < 1e-15) then
      print '(2a)', name, ': what plain loops give, to 1e-15'
    else
      print '(2a, es9.2)', name, ': differs from plain loops by ', worst
      stop 1
    end if
  end subroutine

end program
