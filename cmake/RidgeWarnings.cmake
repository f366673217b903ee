# Warnings of the project's own host code; consumers do not inherit them.
function(ridge_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Werror)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(${target} PRIVATE -Wno-restrict) # warns of its own string (GCC bug 105651)
  endif()
endfunction()

# Where the build is sanitized, so is the target and what links it.
function(ridge_sanitize target)
  if(RIDGE_SANITIZE)
    target_compile_options(${target} PUBLIC -fsanitize=${RIDGE_SANITIZE} -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=${RIDGE_SANITIZE})
  endif()
endfunction()
