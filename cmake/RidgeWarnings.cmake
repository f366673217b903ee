# Warnings of the project's own host code; consumers do not inherit them.
function(ridge_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Werror)
endfunction()
