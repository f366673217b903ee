# ridge_unity(<target> [EXCEPT <regex>]): compiles sources of one folder together, a few in a piece: most of
# what a source costs is the headers of all of them. Sources with flags of their own stay alone, and those
# that match the regular expression.
set(RIDGE_UNITY ALL CACHE STRING
    "Sources compiled together, so that all is built sooner, and later after a change of one: ALL, TESTS or NONE")
set(RIDGE_UNITY_SOURCES 6) # a piece: some seconds to compile, and enough pieces for all cores

function(ridge_unity target)
  if(NOT RIDGE_UNITY STREQUAL "ALL" AND NOT (RIDGE_UNITY STREQUAL "TESTS" AND target MATCHES "^test_"))
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "EXCEPT" "")
  get_target_property(sources ${target} SOURCES)
  set(pieces)
  foreach(source IN LISTS sources)
    if(NOT source MATCHES "[.]cpp$")
      continue()
    elseif(arg_EXCEPT AND source MATCHES "${arg_EXCEPT}")
      set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
      continue()
    endif()
    get_filename_component(path ${source} ABSOLUTE)
    get_filename_component(folder ${path} DIRECTORY)
    string(MAKE_C_IDENTIFIER "${folder}" folder)
    math(EXPR number "0${number_${folder}} + 1")
    set(number_${folder} ${number})
    math(EXPR piece "(${number} - 1) / ${RIDGE_UNITY_SOURCES}")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder}_${piece})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang") # to which a local name hides what another source of the piece has
    target_compile_options(${target} PRIVATE -Wno-shadow)
  endif()
endfunction()
