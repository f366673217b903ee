! Asks for a kernel that there is none of, without ierr.
program stops
  use ridge
  type(ridge_queue) :: q
  type(ridge_program) :: p
  real(8), target :: u(8)
  call q%open('cpu')
  call p%bind(q, 'laplacean', [ridge_array(u)])
  print *, 'went on'
end program
