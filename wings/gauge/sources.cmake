# Contractions of a whole propagator, on the host.
if(NOT RIDGE_SANITIZE)
  set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/src/hadrons.cpp PROPERTIES COMPILE_OPTIONS -O3
                                                                           SKIP_PRECOMPILE_HEADERS ON)
endif()
