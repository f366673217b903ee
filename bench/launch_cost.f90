! What a launch costs the host from Fortran: the Laplacian of 8x8x8 points.
!
!   gfortran -O2 -Ibuild/fortran bench/launch_cost.f90 -Lbuild/lib -lridge-fortran -o launch_cost_f
!   LD_LIBRARY_PATH=build/lib ./launch_cost_f cuda:0
!
! bench/launch_cost.cpp is the same from C++ and C.
program launch_cost
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use, intrinsic :: iso_c_binding, only: c_double
  use ridge
  implicit none
  integer, parameter :: turns = 101, launches = 200 ! fewer than a stream holds
  type(ridge_queue) :: queue
  type(ridge_field) :: u, v
  type(ridge_program) :: program
  character(64) :: device
  real(real64) :: cost(turns), most
  integer(int64) :: begin, end, rate
  integer :: turn, i, least(1)
  device = 'cpu'
  if (command_argument_count() > 0) call get_command_argument(1, device)
  call queue%open(trim(device))
  call u%create(queue, c_double, [8, 8, 8])
  call v%create(queue, c_double, [8, 8, 8])
  call program%bind(queue, 'laplacian', [u, v])
  do turn = 1, turns
    call queue%wait()
    call system_clock(begin, rate)
    do i = 1, launches
      call program%run()
    end do
    call system_clock(end)
    cost(turn) = 1e9_real64*real(end - begin, real64)/real(rate, real64)/launches
  end do
  call queue%wait()
  most = huge(most) ! the median: the middle one is left when those below it are taken away
  do turn = 1, turns/2
    least = minloc(cost)
    cost(least(1)) = most
  end do
  print '(2a, f7.0, a, i0, a)', trim(device), ': a launch takes the host', minval(cost), &
    ' ns from Fortran (median of ', turns, ')'
end program
