! Must not compile: whole numbers are no field.
program wrong_kind
  use ridge
  integer, target :: counts(8)
  type(ridge_field) :: field
  field = ridge_array(counts)
end program
