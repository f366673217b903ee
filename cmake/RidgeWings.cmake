# Wings: codes for users of one field, a folder of wings/ each, which nothing outside names:
#   include/ridge/NAME/*.hpp  its headers; kernels.hpp has all of its kernels, for compiling on demand
#   src/*.cpp                 its library; *_kernels.cpp are compiled once per device kind, in the modules. Commands
#                             and tests include its headers as "../src/NAME.hpp": two wings may have the same names
#   command/*.cpp             its commands; one defines `void ridge::wings::NAME(app::CommandLine&)`, which adds them
#   test/*.cpp, test_*.py     its tests, a room of RIDGE_TEST_ROOMS, and those of its commands
#   place                     a number: where its commands stand among those of all wings in lists; 50 without
set(RIDGE_WINGS_PATH "" CACHE STRING "Folders that hold further wings, such as your own, as wings/ does")
set(every_wing)
foreach(path ${PROJECT_SOURCE_DIR}/wings ${RIDGE_WINGS_PATH})
  get_filename_component(path ${path} ABSOLUTE BASE_DIR ${PROJECT_SOURCE_DIR})
  if(NOT IS_DIRECTORY ${path})
    message(FATAL_ERROR "RIDGE_WINGS_PATH=${RIDGE_WINGS_PATH}: there is no folder ${path}")
  endif()
  file(GLOB folders CONFIGURE_DEPENDS ${path}/*)
  foreach(folder IN LISTS folders)
    get_filename_component(wing ${folder} NAME)
    if(ridge_folder_of_${wing})
      message(FATAL_ERROR "two wings of one name: ${ridge_folder_of_${wing}} and ${folder}")
    endif()
    set(ridge_folder_of_${wing} ${folder})
    set(place 50)
    if(EXISTS ${folder}/place)
      file(STRINGS ${folder}/place place)
    endif()
    list(APPEND every_wing "${place} ${wing}")
  endforeach()
endforeach()
list(SORT every_wing COMPARE NATURAL)
list(TRANSFORM every_wing REPLACE "^[0-9]+ " "")
set(RIDGE_WINGS ALL CACHE STRING "Wings to build: ALL, or a list of names of their folders, which may be empty")
set(ridge_wings ${every_wing})
if(NOT RIDGE_WINGS STREQUAL "ALL")
  foreach(wing IN LISTS RIDGE_WINGS)
    if(NOT wing IN_LIST every_wing)
      message(FATAL_ERROR "RIDGE_WINGS=${RIDGE_WINGS}: there is no wing ${wing}; there are ${every_wing}")
    endif()
  endforeach()
  foreach(wing IN LISTS every_wing)
    if(NOT wing IN_LIST RIDGE_WINGS)
      list(REMOVE_ITEM ridge_wings ${wing})
    endif()
  endforeach()
endif()
set(ridge_wing_folders)
foreach(wing IN LISTS ridge_wings)
  list(APPEND ridge_wing_folders ${ridge_folder_of_${wing}})
endforeach()
list(JOIN ridge_wing_folders "," ridge_wings_text) # for tests

# One folder of all headers, where kernels that are compiled on demand find them, as an installation has them.
set(ridge_headers ${PROJECT_BINARY_DIR}/include/ridge)
file(REMOVE_RECURSE ${ridge_headers})
file(MAKE_DIRECTORY ${ridge_headers})
foreach(folder ${PROJECT_SOURCE_DIR} ${ridge_wing_folders})
  file(GLOB entries ${folder}/include/ridge/*)
  foreach(entry IN LISTS entries)
    get_filename_component(name ${entry} NAME)
    file(CREATE_LINK ${entry} ${ridge_headers}/${name} SYMBOLIC)
  endforeach()
endforeach()

# ridge_of_wings(<result> <pattern>...): files of the wings, by their places in a wing's folder.
function(ridge_of_wings result)
  set(found)
  foreach(folder IN LISTS ridge_wing_folders)
    foreach(pattern IN LISTS ARGN)
      file(GLOB files CONFIGURE_DEPENDS ${folder}/${pattern})
      list(APPEND found ${files})
    endforeach()
  endforeach()
  set(${result} ${found} PARENT_SCOPE)
endfunction()

# ridge_kernels_of_wings(<result>): the kernels of each wing in one source, or in a few.
function(ridge_kernels_of_wings result)
  set(all)
  foreach(wing folder IN ZIP_LISTS ridge_wings ridge_wing_folders)
    file(GLOB kernels CONFIGURE_DEPENDS ${folder}/src/*_kernels.cpp)
    ridge_kernels_together(together 4 FOLDER ${wing} ${kernels})
    list(APPEND all ${together})
  endforeach()
  set(${result} ${all} PARENT_SCOPE)
endfunction()

# ridge_add_wings(): a library of each, ridge_NAME.
function(ridge_add_wings)
  foreach(wing IN LISTS ridge_wings)
    file(GLOB sources CONFIGURE_DEPENDS ${ridge_folder_of_${wing}}/src/*.cpp)
    list(FILTER sources EXCLUDE REGEX "_kernels[.]cpp$") # in the modules
    add_library(ridge_${wing} STATIC ${sources})
    target_include_directories(ridge_${wing} PRIVATE ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(ridge_${wing} PUBLIC ridge PRIVATE fmt::fmt)
    set_target_properties(ridge_${wing} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    ridge_warnings(ridge_${wing})
    ridge_unity(ridge_${wing})
  endforeach()
endfunction()

# ridge_commands_of_wings(<target>): their commands, and the list of them that the command line asks.
function(ridge_commands_of_wings target)
  ridge_of_wings(commands command/*.cpp)
  set(declared)
  set(calls)
  foreach(wing IN LISTS ridge_wings)
    string(APPEND declared "void ${wing}(app::CommandLine& line);\n")
    string(APPEND calls "  wings::${wing}(line);\n")
    target_link_libraries(${target} PRIVATE ridge_${wing})
  endforeach()
  set(list ${CMAKE_CURRENT_BINARY_DIR}/wings.cpp)
  file(CONFIGURE OUTPUT ${list} CONTENT "#include \"app/commands.hpp\"

namespace ridge::wings {
${declared}}
void ridge::app::add_wings([[maybe_unused]] CommandLine& line) {
${calls}}
")
  target_sources(${target} PRIVATE ${commands} ${list})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src)
endfunction()
