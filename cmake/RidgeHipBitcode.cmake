# Completes the device libraries of older packages: each architecture needs one constant,
# __oclc_ISA_version, in a bitcode file named after it. Where the package has no such file for an
# architecture we build for, it is compiled here, into a folder that otherwise links to the package's.
function(ridge_complete_hip_bitcode result)
  set(folder ${PROJECT_BINARY_DIR}/hip-bitcode)
  file(MAKE_DIRECTORY ${folder})
  file(GLOB files ${RIDGE_HIP_BITCODE}/*.bc)
  foreach(file IN LISTS files)
    get_filename_component(name ${file} NAME)
    if(NOT EXISTS ${folder}/${name})
      file(CREATE_LINK ${file} ${folder}/${name} SYMBOLIC)
    endif()
  endforeach()
  foreach(arch IN LISTS RIDGE_HIP_ARCH)
    string(REPLACE "gfx" "" version ${arch})
    set(file ${folder}/oclc_isa_version_${version}.bc)
    if(NOT EXISTS ${file})
      # gfx90a is 9010, gfx942 is 9402, gfx1100 is 11000: major, then one digit (hexadecimal) each
      # of minor and stepping, the last as two decimal digits.
      string(LENGTH ${version} length)
      math(EXPR last "${length} - 1")
      math(EXPR before "${length} - 2")
      string(SUBSTRING ${version} 0 ${before} major)
      string(SUBSTRING ${version} ${before} 1 minor)
      string(SUBSTRING ${version} ${last} 1 stepping)
      math(EXPR value "${major} * 1000 + ${minor} * 100 + 0x${stepping}")
      set(source ${folder}/isa_${version}.cl)
      file(WRITE ${source} "const __constant unsigned __oclc_ISA_version = ${value};\n")
      execute_process(COMMAND ${RIDGE_HIP_COMPILER} -x cl -target amdgcn-amd-amdhsa -nogpulib -O2
                              -emit-llvm -c ${source} -o ${file}
                      RESULT_VARIABLE failed)
      if(failed)
        message(FATAL_ERROR "the HIP compiler cannot make ${file}")
      endif()
    endif()
  endforeach()
  set(${result} ${folder} PARENT_SCOPE)
endfunction()
