# make install: headers, library, the command, a CMake package and a pkg-config file. The Python
# package takes the component `runtime`, and its own module, `python`.
include(CMakePackageConfigHelpers)

ridge_of_wings(wing_headers include/ridge) # where there are any
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ridge ${wing_headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        COMPONENT runtime)
# The library and the built-in kernels' names; the modules lie beside the library, where it looks for
# them. What was not built is not installed: `make lab` builds what it runs.
set(modules ${CMAKE_INSTALL_LIBDIR}/ridge)
install(TARGETS ridge EXPORT ridge-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        COMPONENT runtime)
foreach(kind IN LISTS ridge_module_kinds)
  install(TARGETS ridge_module_${kind} LIBRARY DESTINATION ${modules} COMPONENT runtime
          OPTIONAL)
endforeach()
foreach(level IN LISTS RIDGE_CPU_LEVELS)
  install(TARGETS ridge_module_cpu_${level} LIBRARY DESTINATION ${modules} COMPONENT runtime
          OPTIONAL)
endforeach()
if(TARGET ridge_lab)
  install(TARGETS ridge_lab LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime OPTIONAL)
endif()
if(RIDGE_APP)
  install(TARGETS ridge_app RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime OPTIONAL)
endif()
if(TARGET ridge_python)
  install(TARGETS ridge_python LIBRARY DESTINATION . COMPONENT python OPTIONAL)
endif()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/ridge)
install(EXPORT ridge-targets NAMESPACE ridge:: DESTINATION ${package_dir})
if(TARGET ridge_c) # the component `c`, for programs that know no C++
  set(languages c)
  if(TARGET ridge_fortran) # and `fortran`, for the compiler that was here
    list(APPEND languages fortran)
    install(DIRECTORY ${PROJECT_BINARY_DIR}/fortran/
            DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ridge-fortran OPTIONAL FILES_MATCHING PATTERN "*.mod")
  endif()
  foreach(language IN LISTS languages)
    install(TARGETS ridge_${language} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} OPTIONAL)
    set(file ridge-${language}-targets.cmake)
    configure_package_config_file(
      ${PROJECT_SOURCE_DIR}/cmake/${file}.in ${PROJECT_BINARY_DIR}/${file}.in
      INSTALL_DESTINATION ${package_dir} PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
    file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/${file} INPUT ${PROJECT_BINARY_DIR}/${file}.in)
    install(FILES ${PROJECT_BINARY_DIR}/${file} DESTINATION ${package_dir})
  endforeach()
  install(FILES ${PROJECT_SOURCE_DIR}/include/ridge.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
endif()
if(TARGET ridge_io) # the component `io`, which alone needs HDF5
  install(TARGETS ridge_io EXPORT ridge-io-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} OPTIONAL)
  install(EXPORT ridge-io-targets NAMESPACE ridge:: DESTINATION ${package_dir})
endif()
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/ridge-config.cmake.in
                              ${PROJECT_BINARY_DIR}/ridge-config.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/ridge-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/ridge-config.cmake ${PROJECT_BINARY_DIR}/ridge-config-version.cmake
              ${PROJECT_SOURCE_DIR}/cmake/RidgeKernels.cmake
              ${PROJECT_SOURCE_DIR}/cmake/RidgeToolchains.cmake
              ${PROJECT_SOURCE_DIR}/cmake/RidgeHipBitcode.cmake
        DESTINATION ${package_dir})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/cmake/kinds DESTINATION ${package_dir})

# Relative to the file, so that the installation can be moved.
file(RELATIVE_PATH RIDGE_PC_TO_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
list(JOIN RIDGE_KIND_DEFINITIONS " -D" RIDGE_PC_DEFINITIONS)
string(PREPEND RIDGE_PC_DEFINITIONS -D)
configure_file(${PROJECT_SOURCE_DIR}/cmake/ridge.pc.in ${PROJECT_BINARY_DIR}/ridge.pc @ONLY)
foreach(language IN LISTS languages)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/ridge-${language}.pc.in ${PROJECT_BINARY_DIR}/ridge-${language}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/ridge-${language}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
install(FILES ${PROJECT_BINARY_DIR}/ridge.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
