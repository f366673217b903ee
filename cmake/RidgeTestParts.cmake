# ridge_discover_tests(<target> <prefix> [FILTER <filter>] [LABELS ...] [ENVIRONMENT ...]): a test of each
# of a GoogleTest program's tests, or of so many parts of the program. A process takes a third of a second
# to begin, and there are a thousand tests.
set(RIDGE_TEST_PARTS 4 CACHE STRING
    "Parts in which ctest runs a room's test program, each a process: 0 for a process a test, which tells more")
set(RIDGE_TEST_WARPS ALL CACHE STRING
    "Warps of the emulated GPU in tests of rooms: ALL, those of 32 lanes and of 64; or 0 or 1: each test on one of them")

# Both run the same objects. With 0 or 1 a test is left out on warps of 32 or of 64 lanes by the first letter of its
# name, so that each program runs on both.
function(ridge_left_out_warps filter)
  set(patterns)
  foreach(code RANGE 65 90)
    string(ASCII ${code} letter)
    math(EXPR lanes "32 << ((${code} + ${RIDGE_TEST_WARPS}) % 2)")
    list(APPEND patterns *.${letter}*/simt_${lanes})
  endforeach()
  string(JOIN ":" patterns ${patterns})
  set(${filter} -${patterns} PARENT_SCOPE)
endfunction()

function(ridge_discover_tests target prefix)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "FILTER" "LABELS;ENVIRONMENT")
  if(NOT arg_FILTER)
    set(arg_FILTER *)
    if(NOT RIDGE_TEST_WARPS STREQUAL ALL)
      ridge_left_out_warps(arg_FILTER)
    endif()
  endif()
  if(RIDGE_TEST_PARTS EQUAL 0)
    gtest_discover_tests(${target} TEST_PREFIX ${prefix}. TEST_FILTER ${arg_FILTER} DISCOVERY_TIMEOUT 60
                         PROPERTIES TIMEOUT 600 LABELS ${arg_LABELS} ENVIRONMENT "${arg_ENVIRONMENT}")
    return()
  endif()
  math(EXPR last "${RIDGE_TEST_PARTS} - 1")
  foreach(part RANGE ${last})
    math(EXPR number "${part} + 1")
    set(name ${prefix}.part_${number})
    add_test(NAME ${name} COMMAND ${target} --gtest_brief=1 --gtest_filter=${arg_FILTER})
    set(environment ${arg_ENVIRONMENT} GTEST_SHARD_INDEX=${part} GTEST_TOTAL_SHARDS=${RIDGE_TEST_PARTS})
    set_tests_properties(${name} PROPERTIES TIMEOUT 1200 COST 100 LABELS "${arg_LABELS}" ENVIRONMENT
                                            "${environment}")
  endforeach()
endfunction()
