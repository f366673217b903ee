# ridge_add_kernels(<target> [KINDS kinds...] <source>...)
# ridge_add_kernels(<target> OF <other target>)
#
# Compiles each source once per device kind of this build, by that kind's own compiler, and adds the
# objects to <target>; KINDS limits which. In each compilation one of RIDGE_TARGET_CPU, RIDGE_TARGET_SIMT,
# RIDGE_TARGET_CUDA and RIDGE_TARGET_HIP is defined. Headers are looked for where <target> and
# ridge::ridge have them. OF: the kernels of another target of this folder, which are not compiled again.

function(ridge_add_kernels target)
  cmake_parse_arguments(arg "" "OF" "KINDS" ${ARGN})
  if(arg_OF)
    ridge_share_kernels(${target} ${arg_OF})
    return()
  endif()
  if(NOT arg_KINDS)
    set(arg_KINDS cpu simt ${RIDGE_GPU_KINDS})
  endif()
  # KINDS takes the list up to the first source, which is what has a dot in its name.
  set(kinds ${arg_KINDS})
  list(FILTER kinds EXCLUDE REGEX "\\.")
  set(sources ${arg_KINDS} ${arg_UNPARSED_ARGUMENTS})
  list(FILTER sources INCLUDE REGEX "\\.")
  set(includes "$<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>")
  set(include_flags "$<$<BOOL:${includes}>:-I$<JOIN:${includes},;-I>>")

  # RIDGE_AHEAD, a property of the target, says what is compiled now: what defaults pick, or ALL.
  get_target_property(ahead ${target} RIDGE_AHEAD)
  if(NOT ahead)
    set(ahead ${RIDGE_AHEAD})
  endif()
  set(known)
  if(ahead AND NOT ahead STREQUAL "DEFAULTS")
    list(APPEND known RIDGE_AHEAD_${ahead})
  endif()
  # What compiling further variants on demand needs to know: each source's own name, and where it
  # and its headers are.
  get_target_property(built_in ${target} RIDGE_BUILT_IN) # whose sources are headers that travel
  if(NOT built_in)
    string(MAKE_C_IDENTIFIER "of_${target}" folders)
    list(APPEND known RIDGE_KERNEL_FOLDERS=${folders})
    ridge_kernel_folders(${target} ${folders} "$<$<BOOL:${includes}>:-I$<JOIN:${includes},\n-I>>")
    foreach(source IN LISTS sources)
      get_filename_component(path ${source} ABSOLUTE)
      file(RELATIVE_PATH name ${CMAKE_CURRENT_SOURCE_DIR} ${path})
      set_source_files_properties(${path} PROPERTIES COMPILE_DEFINITIONS
                                                     RIDGE_KERNEL_FILE="${name}")
    endforeach()
  endif()

  foreach(kind IN LISTS kinds)
    if(NOT kind MATCHES "cpu|simt")
      continue()
    endif()
    string(TOUPPER ${kind} KIND)
    set(objects ${target}_${kind})
    if(NOT TARGET ${objects})
      add_library(${objects} OBJECT)
      target_compile_definitions(${objects} PRIVATE RIDGE_TARGET_${KIND} ${known})
      target_include_directories(${objects} PRIVATE ${includes})
      target_compile_features(${objects} PRIVATE cxx_std_20)
      set_target_properties(${objects} PROPERTIES POSITION_INDEPENDENT_CODE ON)
      get_target_property(plain_kinds ${target} RIDGE_UNSANITIZED_KINDS)
      if(RIDGE_SANITIZE AND NOT kind IN_LIST plain_kinds)
        target_compile_options(${objects} PRIVATE -fsanitize=${RIDGE_SANITIZE}
                                                  -fno-sanitize-recover=all)
        target_compile_definitions(${objects} PRIVATE RIDGE_SANITIZED)
      endif()
      if(kind STREQUAL "cpu")
        set(level -O3)
        get_target_property(asked ${target} RIDGE_CPU_OPTIMIZE)
        if(asked)
          set(level ${asked})
        endif()
        if(RIDGE_SANITIZE)
          set(level -O0) # sanitized code is not fast anyway, but should compile fast
        endif()
        target_compile_options(${objects} PRIVATE ${level} ${RIDGE_CPU_FLAGS})
      else()
        set(level -O1) # checked code: compile time matters more
        if(RIDGE_SANITIZE)
          set(level -O0)
        endif()
        target_compile_options(${objects} PRIVATE ${level})
      endif()
      # RIDGE_HOST_FLAGS, a property of the target: further ones of its kernels for the cpu and the emulated GPU.
      get_target_property(further ${target} RIDGE_HOST_FLAGS)
      if(further)
        target_compile_options(${objects} PRIVATE ${further})
      endif()
      target_sources(${target} PRIVATE $<TARGET_OBJECTS:${objects}>)
    endif()
    target_sources(${objects} PRIVATE ${sources})
  endforeach()

  foreach(source IN LISTS sources)
    get_filename_component(path ${source} ABSOLUTE)
    file(RELATIVE_PATH name ${CMAKE_CURRENT_SOURCE_DIR} ${path})
    string(REPLACE "../" "up/" name ${name})
    foreach(kind IN LISTS RIDGE_GPU_KINDS)
      string(TOUPPER ${kind} KIND)
      if(RIDGE_WITH_${KIND} AND kind IN_LIST kinds)
        set_property(TARGET ${target} APPEND PROPERTY LINK_LIBRARIES ridge_${kind}_runtime)
        ridge_gpu_object(${target} ${path} ${name} ${kind} ${RIDGE_${KIND}_COMPILER}
                         ${RIDGE_${KIND}_FLAGS})
      endif()
    endforeach()
  endforeach()
endfunction()

function(ridge_share_kernels target other)
  foreach(kind cpu simt)
    if(TARGET ${other}_${kind})
      target_sources(${target} PRIVATE $<TARGET_OBJECTS:${other}_${kind}>)
    endif()
  endforeach()
  foreach(kind IN LISTS RIDGE_GPU_KINDS)
    if(TARGET ${other}_${kind}_objects)
      get_target_property(objects ${other}_${kind}_objects SOURCES)
      target_sources(${target} PRIVATE ${objects})
      add_dependencies(${target} ${other}_${kind}_objects) # so that one of the two makes these
      set_property(TARGET ${target} APPEND PROPERTY LINK_LIBRARIES ridge_${kind}_runtime)
    endif()
  endforeach()
  get_target_property(sources ${other} SOURCES)
  list(FILTER sources INCLUDE REGEX "[.]folders[.]cpp$") # which the kernels refer to
  target_sources(${target} PRIVATE ${sources})
endfunction()

# The one source of a target that names folders of this build. Flags are one a line: folders may have blanks.
function(ridge_kernel_folders target name flags)
  set(file ${CMAKE_CURRENT_BINARY_DIR}/${target}.folders.cpp)
  get_target_property(sources ${target} SOURCES)
  if("${file}" IN_LIST sources)
    return()
  endif()
  file(GENERATE OUTPUT ${file} CONTENT "// Written by ridge_add_kernels.
#include <ridge/device/kernel_source.hpp>

namespace ridge::kernel_folders {
extern const KernelFolders ${name} __attribute__((visibility(\"hidden\")));
const KernelFolders ${name}{R\"folder(${CMAKE_CURRENT_SOURCE_DIR})folder\", R\"flags(${flags})flags\"};
} // namespace ridge::kernel_folders
")
  target_sources(${target} PRIVATE ${file})
  set_source_files_properties(${file} PROPERTIES GENERATED ON SKIP_PRECOMPILE_HEADERS ON)
endfunction()

# One object of one GPU kind, by a command of its own: a source file has one language a folder in
# CMake, and ours has as many as there are device kinds.
function(ridge_gpu_object target path name kind compiler)
  string(TOUPPER ${kind} KIND)
  set(file_definition)
  if(NOT built_in)
    file(RELATIVE_PATH within ${CMAKE_CURRENT_SOURCE_DIR} ${path})
    set(file_definition "-DRIDGE_KERNEL_FILE=\"${within}\"")
  endif()
  set(object ${CMAKE_CURRENT_BINARY_DIR}/${target}.${kind}/${name}.o)
  get_filename_component(folder ${object} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  # RIDGE_<KIND>_CHECKED: what a compiler says of the code, and an object without any.
  set(output -c -o ${object})
  set(empty)
  if(RIDGE_${KIND}_CHECKED)
    set(output ${RIDGE_${KIND}_CHECK_FLAGS} -MT ${object})
    set(empty COMMAND ${CMAKE_CXX_COMPILER} -x c++ -fPIC -c /dev/null -o ${object})
  endif()
  add_custom_command(
    OUTPUT ${object}
    COMMAND ${compiler} ${ARGN} -DRIDGE_TARGET_${KIND} "$<$<BOOL:${known}>:-D$<JOIN:${known},;-D>>"
            ${file_definition} "${include_flags}" -MD -MF ${object}.d ${path} ${output}
    ${empty}
    DEPENDS ${path}
    DEPFILE ${object}.d
    COMMENT "Building ${kind} object of ${name}"
    VERBATIM COMMAND_EXPAND_LISTS)
  set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  target_sources(${target} PRIVATE ${object})
  # A command waits for what each of its targets depends on: one of them depends on nothing, so that
  # the GPU's compiler, the slowest, starts first.
  if(NOT TARGET ${target}_${kind}_objects)
    add_custom_target(${target}_${kind}_objects)
  endif()
  target_sources(${target}_${kind}_objects PRIVATE ${object})
endfunction()

# Sets RIDGE_CPU_FLAGS of the caller for another processor.
macro(ridge_flags_for_level level)
  list(TRANSFORM RIDGE_CPU_FLAGS REPLACE "^-march=.*" -march=${level})
endmacro()
