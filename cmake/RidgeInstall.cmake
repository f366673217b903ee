# make install: headers, library, the command, a CMake package and a pkg-config file.
include(CMakePackageConfigHelpers)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ridge DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS ridge EXPORT ridge-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
foreach(kind cuda hip)
  if(TARGET ridge_${kind}_runtime)
    install(TARGETS ridge_${kind}_runtime EXPORT ridge-targets)
  endif()
endforeach()
if(RIDGE_APP)
  install(TARGETS ridge_app RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/ridge)
install(EXPORT ridge-targets NAMESPACE ridge:: DESTINATION ${package_dir})
if(TARGET ridge_io) # the component `io`, which alone needs HDF5
  install(TARGETS ridge_io EXPORT ridge-io-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
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

# What a static ridge needs at link time, for pkg-config users of host code.
set(RIDGE_PC_LIBS "-lboost_context -lfmt -lhwloc -lsleef -fopenmp")
if(RIDGE_WITH_CUDA)
  string(APPEND RIDGE_PC_LIBS " -L${CUDAToolkit_LIBRARY_DIR} -lcudart_static -ldl -lrt -lpthread")
endif()
if(RIDGE_WITH_HIP)
  string(APPEND RIDGE_PC_LIBS " ${RIDGE_AMDHIP64}")
endif()
# Relative to the file, so that the installation can be moved.
file(RELATIVE_PATH RIDGE_PC_TO_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
configure_file(${PROJECT_SOURCE_DIR}/cmake/ridge.pc.in ${PROJECT_BINARY_DIR}/ridge.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/ridge.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
