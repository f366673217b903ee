! Ridge for Fortran.
!
!   use ridge
!   type(ridge_queue) :: queue
!   type(ridge_program) :: program
!   real(8), target :: u(nx, ny, nz), v(nx, ny, nz)
!
!   call queue%open('cpu')
!   call program%bind(queue, 'laplacian', [ridge_array(u), ridge_array(v)], set='hx=0.1 hy=0.1 hz=0.1')
!   do step = 1, steps
!     call program%run()
!   end do
!   call queue%wait()
!
! Kernels see arrays where they lie, so they have the attribute `target` or `pointer`, and live as long as
! the program. Extents are in Fortran's order: the first is contiguous in memory, and kernels call it x.
! Every call has an optional `ierr`: RIDGE_OK, or the code of a failure, and ridge_error() is then one
! sentence. Without it a failure prints the sentence and stops with the exit code of the command: 1, or 2
! for what was asked wrongly. ridge.h says what functions and codes mean.
module ridge
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit
  use ridge_functions_of_c
  implicit none
  private

  public :: ridge_queue, ridge_field, ridge_program, ridge_sweeps
  public :: ridge_array, ridge_tune, ridge_devices, ridge_kernels, ridge_error, ridge_version

  integer, parameter, public :: ridge_ok = 0, ridge_failure = 1, ridge_usage = 2, ridge_bad_handle = 3, &
    ridge_bad_pointer = 4, ridge_bad_version = 5, ridge_no_memory = 6, ridge_check_failed = 7
  integer(c_int), parameter :: c_version = 1 ! RIDGE_C_VERSION of the header that this was written for
  integer, parameter :: most_dimensions = 6

  type :: ridge_queue
    private
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: open => queue_open     !< open(device [, stream] [, ierr]): 'cpu', 'cuda:0', 'auto', ...
    procedure :: wait => queue_wait     !< returns when all launches are done
    procedure :: device => queue_device !< device(text): its name
    procedure :: close => queue_close
  end type

  !> An array as kernels see it: one of the program's (ridge_array), or memory of Ridge's on the device.
  type :: ridge_field
    private
    type(c_ptr) :: handle = c_null_ptr ! of memory of Ridge's
    type(c_ptr) :: data = c_null_ptr
    integer(c_int) :: bytes = 0, dimensions = 0
    integer(c_int64_t) :: extents(most_dimensions) = 1
    integer :: problem = 0
  contains
    procedure :: create => field_create !< create(queue, kind, extents): memory of Ridge's, all zeros
    procedure :: pointer => field_pointer !< pointer(): where it is, on its device
    procedure, private :: field_set_double, field_set_float, field_get_double, field_get_float
    generic :: set => field_set_double, field_set_float !< set(array): copies from the host
    generic :: get => field_get_double, field_get_float !< get(array): copies to the host; waits
    procedure :: free => field_free
  end type

  type :: ridge_program
    private
    type(c_ptr) :: handle = c_null_ptr
  contains
    !> bind(queue, kernel, arrays [, set] [, schedule] [, text] [, ierr]): `kernel` is a built-in name or
    !> 'FILE.hpp:Name', or with `text` the name of a functor in that C++ text; `set` its numbers,
    !> 'rate=0.1 dt=0.5'; `schedule` a text, by default what tuning found, or the default.
    procedure :: bind => program_bind
    procedure :: run => program_run           !< gives one launch to the queue
    procedure :: record => program_record     !< record(text): JSON
    procedure :: schedule => program_schedule !< schedule(text)
    procedure :: measure => program_measure   !< measure(repeat): times for the record
    procedure :: check => program_check       !< against the reference
    procedure :: results => program_results   !< results(numbers): what a reduction gave; waits
    procedure :: free => program_free
  end type

  !> Many steps of a stencil over time, with boundaries.
  type :: ridge_sweeps
    private
    type(c_ptr) :: handle = c_null_ptr
  contains
    !> bind(queue, kernel, arrays [, boundary] [, set] [, schedule] [, text] [, ierr]): `arrays`, one an
    !> input, are copied; `boundary` is 'x=periodic,y-=dirichlet:0,y+=neumann:1'.
    procedure :: bind => sweeps_bind
    procedure :: run => sweeps_run       !< run(steps): gives so many sweeps to the queue
    procedure :: read => sweeps_read     !< copies the time levels to the arrays, in queue order
    procedure :: record => sweeps_record !< record(text): JSON, of one sweep or pass
    procedure :: free => sweeps_free
  end type

  !> ridge_array(a): an array of the program's, of one to six dimensions, real(4) or real(8), contiguous.
  !> ridge_array(address, kind, extents): memory at a c_ptr, such as c_loc of a device array of OpenACC or
  !> OpenMP (host_data, use_device_ptr).
  interface ridge_array
    module procedure array_of_double, array_of_float, array_at
  end interface

  integer, parameter :: not_contiguous = 1, is_scalar = 2, too_many_dimensions = 3, kind_unknown = 4

  ! What went wrong before C was asked; empty where C was.
  character(:), allocatable, save :: own_error
  !$omp threadprivate(own_error)

contains

  ! --- Errors and texts

  !> The sentence of the latest failure of this thread.
  function ridge_error() result(message)
    character(:), allocatable :: message
    if (allocated(own_error)) then
      message = own_error
    else
      message = text_at(c_last_error())
    end if
  end function

  !> Hands over a code, or stops with the sentence of a failure.
  subroutine give(code, ierr)
    integer(c_int), intent(in) :: code
    integer, intent(out), optional :: ierr
    if (present(ierr)) then
      ierr = code
    else if (code /= ridge_ok) then
      write (error_unit, '(a)') ridge_error()
      if (c_exit_code(code) == 1) then
        stop 1
      else
        stop 2
      end if
    end if
  end subroutine

  !> The same of a call of C, whose sentence is then the latest.
  subroutine give_c(code, ierr)
    integer(c_int), intent(in) :: code
    integer, intent(out), optional :: ierr
    if (code /= ridge_ok .and. allocated(own_error)) deallocate (own_error)
    call give(code, ierr)
  end subroutine

  subroutine refuse(message, ierr)
    character(*), intent(in) :: message
    integer, intent(out), optional :: ierr
    own_error = message
    call give(ridge_usage, ierr)
  end subroutine

  function text_at(address) result(text)
    type(c_ptr), intent(in) :: address
    character(:), allocatable :: text
    character(kind=c_char), pointer :: letters(:)
    integer :: i
    call c_f_pointer(address, letters, [c_strlen(address)])
    allocate (character(size(letters)) :: text)
    do i = 1, size(letters)
      text(i:i) = letters(i)
    end do
  end function

  function number_text(n) result(text)
    integer, intent(in) :: n
    character(:), allocatable :: text
    character(12) :: digits
    write (digits, '(i0)') n
    text = trim(digits)
  end function

  !> Version of the library: '0.1.0'.
  function ridge_version() result(text)
    character(:), allocatable :: text
    text = text_at(c_library_version())
  end function

  !> The devices of this machine, a name a line.
  subroutine ridge_devices(text, ierr)
    character(:), allocatable, intent(out) :: text
    integer, intent(out), optional :: ierr
    character(kind=c_char), target :: letters(4096)
    integer(c_size_t) :: length
    integer(c_int) :: code
    code = c_devices(c_loc(letters), size(letters, kind=c_size_t), length)
    call take_text(code, letters, length, text, ierr)
  end subroutine

  !> The built-in kernels that take arrays, as JSON.
  subroutine ridge_kernels(text, ierr)
    character(:), allocatable, intent(out) :: text
    integer, intent(out), optional :: ierr
    character(kind=c_char), allocatable, target :: letters(:)
    integer(c_size_t) :: length
    integer(c_int) :: code
    code = c_kernels(c_null_ptr, 0_c_size_t, length)
    allocate (letters(length + 1))
    code = c_kernels(c_loc(letters), size(letters, kind=c_size_t), length)
    call take_text(code, letters, length, text, ierr)
  end subroutine

  subroutine take_text(code, letters, length, text, ierr)
    integer(c_int), intent(in) :: code
    character(kind=c_char), intent(in) :: letters(:)
    integer(c_size_t), intent(in) :: length
    character(:), allocatable, intent(out) :: text
    integer, intent(out), optional :: ierr
    integer(c_size_t) :: i
    if (code == ridge_ok) then
      allocate (character(length) :: text)
      do i = 1, length
        text(i:i) = letters(i)
      end do
    else
      text = ''
    end if
    call give_c(code, ierr)
  end subroutine

  ! --- Queues

  !> `stream`: a cudaStream_t or hipStream_t of the program's.
  subroutine queue_open(self, device, stream, ierr)
    class(ridge_queue), intent(inout) :: self
    character(*), intent(in) :: device
    type(c_ptr), intent(in), optional :: stream
    integer, intent(out), optional :: ierr
    integer(c_int) :: code
    type(c_ptr) :: handle
    if (present(stream)) then
      code = c_queue_on_stream(c_version, trim(device)//c_null_char, stream, handle)
    else
      code = c_queue_open(c_version, trim(device)//c_null_char, handle)
    end if
    if (code == ridge_ok) self%handle = handle
    call give_c(code, ierr)
  end subroutine

  subroutine queue_wait(self, ierr)
    class(ridge_queue), intent(in) :: self
    integer, intent(out), optional :: ierr
    call give_c(c_queue_wait(self%handle), ierr)
  end subroutine

  subroutine queue_device(self, text, ierr)
    class(ridge_queue), intent(in) :: self
    character(:), allocatable, intent(out) :: text
    integer, intent(out), optional :: ierr
    character(kind=c_char), target :: letters(64)
    integer(c_size_t) :: length
    integer(c_int) :: code
    code = c_queue_device(self%handle, c_loc(letters), size(letters, kind=c_size_t), length)
    call take_text(code, letters, length, text, ierr)
  end subroutine

  subroutine queue_close(self, ierr)
    class(ridge_queue), intent(inout) :: self
    integer, intent(out), optional :: ierr
    call give_c(c_queue_free(self%handle), ierr)
    self%handle = c_null_ptr
  end subroutine

  ! --- Fields

  function array_of_double(a) result(field)
    real(c_double), dimension(..), target, intent(in) :: a
    type(ridge_field) :: field
    call describe(field, int(c_double), rank(a), shape(a, c_int64_t), is_contiguous(a))
    if (field%problem == 0) field%data = c_loc(a)
  end function

  function array_of_float(a) result(field)
    real(c_float), dimension(..), target, intent(in) :: a
    type(ridge_field) :: field
    call describe(field, int(c_float), rank(a), shape(a, c_int64_t), is_contiguous(a))
    if (field%problem == 0) field%data = c_loc(a)
  end function

  function array_at(address, kind, extents) result(field)
    type(c_ptr), intent(in) :: address
    integer, intent(in) :: kind, extents(:)
    type(ridge_field) :: field
    call describe(field, kind, size(extents), int(extents, c_int64_t), .true.)
    field%data = address
  end function

  subroutine describe(field, kind, dimensions, extents, contiguous)
    type(ridge_field), intent(out) :: field
    integer, intent(in) :: kind, dimensions
    integer(c_int64_t), intent(in) :: extents(:)
    logical, intent(in) :: contiguous
    field%bytes = kind ! of gfortran: the bytes of a number
    field%dimensions = dimensions
    if (.not. contiguous) field%problem = not_contiguous
    if (dimensions == 0) field%problem = is_scalar
    if (dimensions > most_dimensions) field%problem = too_many_dimensions
    if (kind /= c_double .and. kind /= c_float) field%problem = kind_unknown
    if (field%problem /= too_many_dimensions) field%extents(1:dimensions) = extents
  end subroutine

  !> What is wrong with the `number`-th array; empty where nothing is.
  function problem_of(field, number) result(message)
    type(ridge_field), intent(in) :: field
    integer, intent(in) :: number
    character(:), allocatable :: message
    message = ''
    select case (field%problem)
    case (not_contiguous)
      message = ' is not contiguous, and ridge copies nothing unasked; a copy of your own is right'
    case (is_scalar)
      message = ' is a number; an array of one to six dimensions is right'
    case (too_many_dimensions)
      message = ' has '//number_text(field%dimensions)//' dimensions; one to six are possible'
    case (kind_unknown)
      message = ' is of the kind '//number_text(field%bytes)//'; c_float and c_double are possible'
    end select
    if (len(message) > 0) message = 'ridge: array '//number_text(number)//message
  end function

  subroutine field_create(self, queue, kind, extents, ierr)
    class(ridge_field), intent(inout) :: self
    type(ridge_queue), intent(in) :: queue
    integer, intent(in) :: kind, extents(:)
    integer, intent(out), optional :: ierr
    type(ridge_field) :: made
    integer(c_int) :: code
    call describe(made, kind, size(extents), int(extents, c_int64_t), .true.)
    if (made%problem /= 0) then
      call refuse(problem_of(made, 1), ierr)
      return
    end if
    code = c_field_new(queue%handle, made%bytes, made%dimensions, made%extents, made%handle)
    if (code == ridge_ok) then
      self%handle = made%handle
      self%bytes = made%bytes
      self%dimensions = made%dimensions
      self%extents = made%extents
      self%problem = 0
    end if
    call give_c(code, ierr)
  end subroutine

  !> Null of a field that was freed or never made.
  function field_pointer(self) result(address)
    class(ridge_field), intent(in) :: self
    type(c_ptr) :: address
    address = self%data
    if (c_associated(self%handle)) then
      if (c_field_data(self%handle, address) /= ridge_ok) address = c_null_ptr
    end if
  end function

  subroutine field_set_double(self, a, ierr)
    class(ridge_field), intent(in) :: self
    real(c_double), dimension(..), target, contiguous, intent(in) :: a
    integer, intent(out), optional :: ierr
    call copy_in(self, c_loc(a), int(c_double), size(a, kind=c_size_t), ierr)
  end subroutine
  subroutine field_set_float(self, a, ierr)
    class(ridge_field), intent(in) :: self
    real(c_float), dimension(..), target, contiguous, intent(in) :: a
    integer, intent(out), optional :: ierr
    call copy_in(self, c_loc(a), int(c_float), size(a, kind=c_size_t), ierr)
  end subroutine
  subroutine field_get_double(self, a, ierr)
    class(ridge_field), intent(in) :: self
    real(c_double), dimension(..), target, contiguous, intent(inout) :: a
    integer, intent(out), optional :: ierr
    call copy_out(self, c_loc(a), int(c_double), size(a, kind=c_size_t), ierr)
  end subroutine
  subroutine field_get_float(self, a, ierr)
    class(ridge_field), intent(in) :: self
    real(c_float), dimension(..), target, contiguous, intent(inout) :: a
    integer, intent(out), optional :: ierr
    call copy_out(self, c_loc(a), int(c_float), size(a, kind=c_size_t), ierr)
  end subroutine

  subroutine copy_in(self, host, kind, count, ierr)
    class(ridge_field), intent(in) :: self
    type(c_ptr), intent(in) :: host
    integer, intent(in) :: kind
    integer(c_size_t), intent(in) :: count
    integer, intent(out), optional :: ierr
    if (.not. same_kind(self, kind, ierr)) return
    call give_c(c_field_set(self%handle, host, count*kind), ierr)
  end subroutine
  subroutine copy_out(self, host, kind, count, ierr)
    class(ridge_field), intent(in) :: self
    type(c_ptr), intent(in) :: host
    integer, intent(in) :: kind
    integer(c_size_t), intent(in) :: count
    integer, intent(out), optional :: ierr
    if (.not. same_kind(self, kind, ierr)) return
    call give_c(c_field_get(self%handle, host, count*kind), ierr)
  end subroutine

  function same_kind(self, kind, ierr) result(same)
    class(ridge_field), intent(in) :: self
    integer, intent(in) :: kind
    integer, intent(out), optional :: ierr
    logical :: same
    same = self%bytes == kind .or. .not. c_associated(self%handle)
    if (.not. same) call refuse('ridge: an array of real('//number_text(kind)//') for a field of real('// &
                                number_text(int(self%bytes))//'); one kind is right', ierr)
  end function

  subroutine field_free(self, ierr)
    class(ridge_field), intent(inout) :: self
    integer, intent(out), optional :: ierr
    call give_c(c_field_free(self%handle), ierr)
    self%handle = c_null_ptr
    self%data = c_null_ptr
  end subroutine

  ! --- Programs

  !> Handles of a kernel and of arrays, which `drop` frees.
  subroutine take(queue, kernel, arrays, set, text, kernel_handle, handles, code)
    type(ridge_queue), intent(in) :: queue
    character(*), intent(in) :: kernel
    type(ridge_field), intent(in) :: arrays(:)
    character(*), intent(in), optional :: set, text
    type(c_ptr), intent(out) :: kernel_handle
    type(c_ptr), intent(out) :: handles(:)
    integer(c_int), intent(out) :: code
    character(:), allocatable :: settings, message
    integer :: i
    kernel_handle = c_null_ptr
    handles = c_null_ptr
    do i = 1, size(arrays)
      message = problem_of(arrays(i), i)
      if (len(message) == 0) cycle
      own_error = message
      code = ridge_usage
      return
    end do
    if (allocated(own_error)) deallocate (own_error)
    settings = ''
    if (present(set)) settings = trim(set)
    if (present(text)) then
      code = c_kernel_text(text//c_null_char, trim(kernel)//c_null_char, settings//c_null_char, kernel_handle)
    else
      code = c_kernel_find(trim(kernel)//c_null_char, settings//c_null_char, kernel_handle)
    end if
    do i = 1, size(arrays)
      if (code /= ridge_ok) return
      if (c_associated(arrays(i)%handle)) then
        handles(i) = arrays(i)%handle
      else
        code = c_field_wrap(queue%handle, arrays(i)%data, arrays(i)%bytes, arrays(i)%dimensions, &
                            arrays(i)%extents, c_null_ptr, handles(i))
      end if
    end do
  end subroutine

  subroutine drop(arrays, kernel_handle, handles)
    type(ridge_field), intent(in) :: arrays(:)
    type(c_ptr), intent(in) :: kernel_handle
    type(c_ptr), intent(in) :: handles(:)
    integer(c_int) :: code
    integer :: i
    do i = 1, size(arrays)
      if (.not. c_associated(arrays(i)%handle)) code = c_field_free(handles(i))
    end do
    code = c_kernel_free(kernel_handle)
  end subroutine

  subroutine program_bind(self, queue, kernel, arrays, set, schedule, text, ierr)
    class(ridge_program), intent(inout) :: self
    type(ridge_queue), intent(in) :: queue
    character(*), intent(in) :: kernel
    type(ridge_field), intent(in) :: arrays(:)
    character(*), intent(in), optional :: set, schedule, text
    integer, intent(out), optional :: ierr
    type(c_ptr) :: kernel_handle, handles(size(arrays)), made
    character(:), allocatable :: schedule_text
    integer(c_int) :: code
    schedule_text = 'auto'
    if (present(schedule)) schedule_text = trim(schedule)
    call take(queue, kernel, arrays, set, text, kernel_handle, handles, code)
    if (code == ridge_ok) then
      code = c_program_bind(queue%handle, kernel_handle, handles, size(arrays, kind=c_size_t), &
                            schedule_text//c_null_char, made)
      if (code == ridge_ok) self%handle = made
    end if
    call drop(arrays, kernel_handle, handles)
    call give(code, ierr)
  end subroutine

  subroutine program_run(self, ierr)
    class(ridge_program), intent(in) :: self
    integer, intent(out), optional :: ierr
    call give_c(c_program_run(self%handle), ierr)
  end subroutine

  subroutine program_record(self, text, ierr)
    class(ridge_program), intent(in) :: self
    character(:), allocatable, intent(out) :: text
    integer, intent(out), optional :: ierr
    character(kind=c_char), target :: letters(16384)
    integer(c_size_t) :: length
    integer(c_int) :: code
    code = c_program_record(self%handle, c_loc(letters), size(letters, kind=c_size_t), length)
    call take_text(code, letters, length, text, ierr)
  end subroutine

  subroutine program_schedule(self, text, ierr)
    class(ridge_program), intent(in) :: self
    character(:), allocatable, intent(out) :: text
    integer, intent(out), optional :: ierr
    character(kind=c_char), target :: letters(4096)
    integer(c_size_t) :: length
    integer(c_int) :: code
    code = c_program_schedule(self%handle, c_loc(letters), size(letters, kind=c_size_t), length)
    call take_text(code, letters, length, text, ierr)
  end subroutine

  subroutine program_measure(self, repeat, ierr)
    class(ridge_program), intent(in) :: self
    integer, intent(in) :: repeat
    integer, intent(out), optional :: ierr
    call give_c(c_program_measure(self%handle, int(repeat, c_int)), ierr)
  end subroutine

  subroutine program_check(self, ierr)
    class(ridge_program), intent(in) :: self
    integer, intent(out), optional :: ierr
    call give_c(c_program_check(self%handle), ierr)
  end subroutine

  subroutine program_results(self, numbers, ierr)
    class(ridge_program), intent(in) :: self
    real(c_double), allocatable, intent(out) :: numbers(:)
    integer, intent(out), optional :: ierr
    integer(c_size_t) :: count, again
    integer(c_int) :: code
    real(c_double) :: none(1)
    allocate (numbers(0))
    count = 0
    code = c_program_results(self%handle, none, 0_c_size_t, count)
    if (code == ridge_ok) then
      deallocate (numbers)
      allocate (numbers(count))
      code = c_program_results(self%handle, numbers, count, again)
    end if
    call give_c(code, ierr)
  end subroutine

  subroutine program_free(self, ierr)
    class(ridge_program), intent(inout) :: self
    integer, intent(out), optional :: ierr
    call give_c(c_program_free(self%handle), ierr)
    self%handle = c_null_ptr
  end subroutine

  ! --- Sweeps

  subroutine sweeps_bind(self, queue, kernel, arrays, boundary, set, schedule, text, ierr)
    class(ridge_sweeps), intent(inout) :: self
    type(ridge_queue), intent(in) :: queue
    character(*), intent(in) :: kernel
    type(ridge_field), intent(in) :: arrays(:)
    character(*), intent(in), optional :: boundary, set, schedule, text
    integer, intent(out), optional :: ierr
    type(c_ptr) :: kernel_handle, handles(size(arrays)), made
    character(:), allocatable :: schedule_text, boundary_text
    integer(c_int) :: code
    schedule_text = 'auto'
    if (present(schedule)) schedule_text = trim(schedule)
    boundary_text = ''
    if (present(boundary)) boundary_text = trim(boundary)
    call take(queue, kernel, arrays, set, text, kernel_handle, handles, code)
    if (code == ridge_ok) then
      code = c_sweeps_bind(queue%handle, kernel_handle, handles, size(arrays, kind=c_size_t), &
                           boundary_text//c_null_char, schedule_text//c_null_char, made)
      if (code == ridge_ok) self%handle = made
    end if
    call drop(arrays, kernel_handle, handles)
    call give(code, ierr)
  end subroutine

  subroutine sweeps_run(self, steps, ierr)
    class(ridge_sweeps), intent(in) :: self
    integer, intent(in) :: steps
    integer, intent(out), optional :: ierr
    call give_c(c_sweeps_run(self%handle, int(steps, c_int64_t)), ierr)
  end subroutine

  subroutine sweeps_read(self, ierr)
    class(ridge_sweeps), intent(in) :: self
    integer, intent(out), optional :: ierr
    call give_c(c_sweeps_read(self%handle), ierr)
  end subroutine

  subroutine sweeps_record(self, text, ierr)
    class(ridge_sweeps), intent(in) :: self
    character(:), allocatable, intent(out) :: text
    integer, intent(out), optional :: ierr
    character(kind=c_char), target :: letters(16384)
    integer(c_size_t) :: length
    integer(c_int) :: code
    code = c_sweeps_record(self%handle, c_loc(letters), size(letters, kind=c_size_t), length)
    call take_text(code, letters, length, text, ierr)
  end subroutine

  subroutine sweeps_free(self, ierr)
    class(ridge_sweeps), intent(inout) :: self
    integer, intent(out), optional :: ierr
    call give_c(c_sweeps_free(self%handle), ierr)
    self%handle = c_null_ptr
  end subroutine

  !> Searches the fastest schedule for `seconds`; programs that are bound afterwards have it. `found`: what
  !> was found, as JSON.
  subroutine ridge_tune(queue, kernel, arrays, seconds, found, set, text, ierr)
    type(ridge_queue), intent(in) :: queue
    character(*), intent(in) :: kernel
    type(ridge_field), intent(in) :: arrays(:)
    real(c_double), intent(in) :: seconds
    character(:), allocatable, intent(out) :: found
    character(*), intent(in), optional :: set, text
    integer, intent(out), optional :: ierr
    type(c_ptr) :: kernel_handle, handles(size(arrays))
    character(kind=c_char), allocatable, target :: letters(:)
    integer(c_size_t) :: length
    integer(c_int) :: code
    allocate (letters(1048576))
    call take(queue, kernel, arrays, set, text, kernel_handle, handles, code)
    if (code == ridge_ok) then
      code = c_tune(queue%handle, kernel_handle, handles, size(arrays, kind=c_size_t), seconds, &
                    c_loc(letters), size(letters, kind=c_size_t), length)
    end if
    call drop(arrays, kernel_handle, handles)
    if (code == ridge_ok) then
      call take_text(code, letters, length, found, ierr)
    else
      found = ''
      call give(code, ierr)
    end if
  end subroutine

end module ridge
