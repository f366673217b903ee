! The functions of ridge.h, as the module ridge calls them; programs use that.
module ridge_functions_of_c
  use, intrinsic :: iso_c_binding
  implicit none

  interface
    function c_queue_open(version, device, queue) bind(c, name='ridge_queue_open_version')
      import
      integer(c_int), value :: version
      character(kind=c_char), intent(in) :: device(*)
      type(c_ptr), intent(out) :: queue
      integer(c_int) :: c_queue_open
    end function
    function c_queue_on_stream(version, device, stream, queue) &
        bind(c, name='ridge_queue_on_stream_version')
      import
      integer(c_int), value :: version
      character(kind=c_char), intent(in) :: device(*)
      type(c_ptr), value :: stream
      type(c_ptr), intent(out) :: queue
      integer(c_int) :: c_queue_on_stream
    end function
    function c_queue_wait(queue) bind(c, name='ridge_queue_wait')
      import
      type(c_ptr), value :: queue
      integer(c_int) :: c_queue_wait
    end function
    function c_queue_free(queue) bind(c, name='ridge_queue_free')
      import
      type(c_ptr), value :: queue
      integer(c_int) :: c_queue_free
    end function
    function c_queue_device(handle, text, size, length) bind(c, name='ridge_queue_device')
      import
      type(c_ptr), value :: handle, text
      integer(c_size_t), value :: size
      integer(c_size_t), intent(out) :: length
      integer(c_int) :: c_queue_device
    end function
    function c_field_wrap(queue, data, bytes, dimensions, extents, strides, field) &
        bind(c, name='ridge_field_wrap')
      import
      type(c_ptr), value :: queue, data, strides
      integer(c_int), value :: bytes, dimensions
      integer(c_int64_t), intent(in) :: extents(*)
      type(c_ptr), intent(out) :: field
      integer(c_int) :: c_field_wrap
    end function
    function c_field_new(queue, bytes, dimensions, extents, field) bind(c, name='ridge_field_new')
      import
      type(c_ptr), value :: queue
      integer(c_int), value :: bytes, dimensions
      integer(c_int64_t), intent(in) :: extents(*)
      type(c_ptr), intent(out) :: field
      integer(c_int) :: c_field_new
    end function
    function c_field_set(field, host, bytes) bind(c, name='ridge_field_set')
      import
      type(c_ptr), value :: field, host
      integer(c_size_t), value :: bytes
      integer(c_int) :: c_field_set
    end function
    function c_field_get(field, host, bytes) bind(c, name='ridge_field_get')
      import
      type(c_ptr), value :: field, host
      integer(c_size_t), value :: bytes
      integer(c_int) :: c_field_get
    end function
    function c_field_data(field, data) bind(c, name='ridge_field_data')
      import
      type(c_ptr), value :: field
      type(c_ptr), intent(out) :: data
      integer(c_int) :: c_field_data
    end function
    function c_field_free(field) bind(c, name='ridge_field_free')
      import
      type(c_ptr), value :: field
      integer(c_int) :: c_field_free
    end function
    function c_kernel_find(name, settings, kernel) bind(c, name='ridge_kernel_find')
      import
      character(kind=c_char), intent(in) :: name(*), settings(*)
      type(c_ptr), intent(out) :: kernel
      integer(c_int) :: c_kernel_find
    end function
    function c_kernel_text(text, name, settings, kernel) bind(c, name='ridge_kernel_text')
      import
      character(kind=c_char), intent(in) :: text(*), name(*), settings(*)
      type(c_ptr), intent(out) :: kernel
      integer(c_int) :: c_kernel_text
    end function
    function c_kernel_free(kernel) bind(c, name='ridge_kernel_free')
      import
      type(c_ptr), value :: kernel
      integer(c_int) :: c_kernel_free
    end function
    function c_program_bind(queue, kernel, fields, count, schedule, program) &
        bind(c, name='ridge_program_bind')
      import
      type(c_ptr), value :: queue, kernel
      type(c_ptr), intent(in) :: fields(*)
      integer(c_size_t), value :: count
      character(kind=c_char), intent(in) :: schedule(*)
      type(c_ptr), intent(out) :: program
      integer(c_int) :: c_program_bind
    end function
    function c_program_run(program) bind(c, name='ridge_program_run')
      import
      type(c_ptr), value :: program
      integer(c_int) :: c_program_run
    end function
    function c_program_record(handle, text, size, length) bind(c, name='ridge_program_record')
      import
      type(c_ptr), value :: handle, text
      integer(c_size_t), value :: size
      integer(c_size_t), intent(out) :: length
      integer(c_int) :: c_program_record
    end function
    function c_program_schedule(handle, text, size, length) bind(c, name='ridge_program_schedule')
      import
      type(c_ptr), value :: handle, text
      integer(c_size_t), value :: size
      integer(c_size_t), intent(out) :: length
      integer(c_int) :: c_program_schedule
    end function
    function c_program_measure(program, repeat) bind(c, name='ridge_program_measure')
      import
      type(c_ptr), value :: program
      integer(c_int), value :: repeat
      integer(c_int) :: c_program_measure
    end function
    function c_program_check(program) bind(c, name='ridge_program_check')
      import
      type(c_ptr), value :: program
      integer(c_int) :: c_program_check
    end function
    function c_program_results(program, results, size, count) bind(c, name='ridge_program_results')
      import
      type(c_ptr), value :: program
      real(c_double), intent(inout) :: results(*)
      integer(c_size_t), value :: size
      integer(c_size_t), intent(out) :: count
      integer(c_int) :: c_program_results
    end function
    function c_program_free(program) bind(c, name='ridge_program_free')
      import
      type(c_ptr), value :: program
      integer(c_int) :: c_program_free
    end function
    function c_sweeps_bind(queue, kernel, fields, count, boundary, schedule, sweeps) &
        bind(c, name='ridge_sweeps_bind')
      import
      type(c_ptr), value :: queue, kernel
      type(c_ptr), intent(in) :: fields(*)
      integer(c_size_t), value :: count
      character(kind=c_char), intent(in) :: boundary(*), schedule(*)
      type(c_ptr), intent(out) :: sweeps
      integer(c_int) :: c_sweeps_bind
    end function
    function c_sweeps_run(sweeps, steps) bind(c, name='ridge_sweeps_run')
      import
      type(c_ptr), value :: sweeps
      integer(c_int64_t), value :: steps
      integer(c_int) :: c_sweeps_run
    end function
    function c_sweeps_read(sweeps) bind(c, name='ridge_sweeps_read')
      import
      type(c_ptr), value :: sweeps
      integer(c_int) :: c_sweeps_read
    end function
    function c_sweeps_record(handle, text, size, length) bind(c, name='ridge_sweeps_record')
      import
      type(c_ptr), value :: handle, text
      integer(c_size_t), value :: size
      integer(c_size_t), intent(out) :: length
      integer(c_int) :: c_sweeps_record
    end function
    function c_sweeps_free(sweeps) bind(c, name='ridge_sweeps_free')
      import
      type(c_ptr), value :: sweeps
      integer(c_int) :: c_sweeps_free
    end function
    function c_tune(queue, kernel, fields, count, seconds, text, size, length) bind(c, name='ridge_tune')
      import
      type(c_ptr), value :: queue, kernel, text
      type(c_ptr), intent(in) :: fields(*)
      integer(c_size_t), value :: count, size
      real(c_double), value :: seconds
      integer(c_size_t), intent(out) :: length
      integer(c_int) :: c_tune
    end function
    function c_devices(text, size, length) bind(c, name='ridge_devices')
      import
      type(c_ptr), value :: text
      integer(c_size_t), value :: size
      integer(c_size_t), intent(out) :: length
      integer(c_int) :: c_devices
    end function
    function c_kernels(text, size, length) bind(c, name='ridge_kernels')
      import
      type(c_ptr), value :: text
      integer(c_size_t), value :: size
      integer(c_size_t), intent(out) :: length
      integer(c_int) :: c_kernels
    end function
    function c_last_error() bind(c, name='ridge_last_error')
      import
      type(c_ptr) :: c_last_error
    end function
    function c_library_version() bind(c, name='ridge_version')
      import
      type(c_ptr) :: c_library_version
    end function
    pure function c_exit_code(code) bind(c, name='ridge_exit_code')
      import
      integer(c_int), value :: code
      integer(c_int) :: c_exit_code
    end function
    pure function c_strlen(text) bind(c, name='strlen')
      import
      type(c_ptr), value :: text
      integer(c_size_t) :: c_strlen
    end function
  end interface
end module
