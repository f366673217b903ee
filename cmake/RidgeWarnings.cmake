# Warnings of the project's own host code; consumers do not inherit them.
function(ridge_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Werror)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(${target} PRIVATE -Wno-restrict) # warns of its own string (GCC bug 105651)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang") # which blames us for what the headers of GCC 12 use of their own
    target_compile_options(${target} PRIVATE -Wno-deprecated-declarations)
  endif()
endfunction()

# Compiles what most sources of the target include once. GCC no longer knows then what came from the
# system's headers, and warns of its own string's bounds (bugs 105329 and 105562).
function(ridge_precompile target header)
  target_precompile_headers(${target} PRIVATE ${header})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -Wno-stringop-overflow -Wno-stringop-overread -Wno-array-bounds)
  endif()
endfunction()

# Where the build is sanitized, so is the target and what links it. The first finding ends the program:
# the undefined-behaviour sanitizer would else say it and go on, and the test would pass.
function(ridge_sanitize target)
  if(RIDGE_SANITIZE)
    target_compile_options(${target} PUBLIC -fsanitize=${RIDGE_SANITIZE} -fno-sanitize-recover=all
                                             -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=${RIDGE_SANITIZE})
  endif()
endfunction()
