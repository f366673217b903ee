# Wings: codes for users of one field, a folder of wings/ each, which nothing outside names:
#   include/ridge/NAME/*.hpp  its headers; kernels.hpp has all of its kernels, for compiling on demand;
#                             describe_users.hpp describes kernels in files of users
#   include/ridge/NAME.hpp    its header for users, where it has one: its library is then part of the library, ridge
#                             (NAME/for_users.hpp: so it is where a header of the house brings that)
#   src/*.cpp                 its library; *_kernels.cpp are compiled once per device kind, in the modules. What is part
#                             of ridge announces its cases of `ridge bench` (KernelsAnnounced) and their options there.
#                             Commands and tests include its headers as "../src/NAME.hpp": two wings may have the same
#   include/ridge/lab/kernels/PATTERN/*.hpp  its built-in kernels, as those of the house (RidgeBuiltIn)
#   lab/*.cpp                 a part of ridge_lab, where its headers have built-in kernels
#   io/*.cpp, io/hdf5/*.cpp   its files, a part of ridge_io; the Python module has the first
#   sources.cmake             flags of sources, where they have their own
#   command/*.cpp             its commands; one defines `void ridge::wings::NAME(app::CommandLine&)`, which adds them
#                             and extends those of others (app/options.hpp)
#   python/*.cpp              one defines `void ridge::wings::python::NAME(nanobind::module_&)`, the module ridge._NAME
#   python/*.py, *.pyi        lie in the package; NAME.py is ridge.NAME, and ridge itself has __all__ of _of_NAME.py
#   test/*.cpp, test_*.py     its tests, a room of RIDGE_TEST_ROOMS, and those of its commands
#   test/python/test_*.py     those of ridge.NAME
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
# Folders of which a wing has headers, too, hold links to each of them.
function(ridge_link_headers from to)
  file(MAKE_DIRECTORY ${to})
  file(GLOB entries ${from}/*)
  foreach(entry IN LISTS entries)
    get_filename_component(name ${entry} NAME)
    if(IS_SYMLINK ${to}/${name})
      file(READ_SYMLINK ${to}/${name} first)
      file(REMOVE ${to}/${name})
      ridge_link_headers(${first} ${to}/${name})
    endif()
    if(IS_DIRECTORY ${to}/${name})
      ridge_link_headers(${entry} ${to}/${name})
    else()
      file(CREATE_LINK ${entry} ${to}/${name} SYMBOLIC)
    endif()
  endforeach()
endfunction()
foreach(folder ${PROJECT_SOURCE_DIR} ${ridge_wing_folders})
  ridge_link_headers(${folder}/include/ridge ${ridge_headers})
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

# ridge_add_wings(): a library of each, ridge_NAME; of what is part of ridge an empty one.
function(ridge_add_wings)
  foreach(wing IN LISTS ridge_wings)
    set(folder ${ridge_folder_of_${wing}})
    file(GLOB sources CONFIGURE_DEPENDS ${folder}/src/*.cpp)
    list(FILTER sources EXCLUDE REGEX "_kernels[.]cpp$") # in the modules
    include(${folder}/sources.cmake OPTIONAL)
    if(EXISTS ${folder}/include/ridge/${wing}.hpp OR EXISTS ${folder}/include/ridge/${wing}/for_users.hpp)
      set(compiled ridge_${wing}_part)
      add_library(${compiled} OBJECT ${sources})
      foreach(kind INCLUDE_DIRECTORIES COMPILE_DEFINITIONS COMPILE_OPTIONS)
        set_property(TARGET ${compiled} PROPERTY ${kind} $<TARGET_PROPERTY:ridge,${kind}>)
      endforeach()
      target_sources(ridge PRIVATE $<TARGET_OBJECTS:${compiled}>)
      add_library(ridge_${wing} INTERFACE)
      target_link_libraries(ridge_${wing} INTERFACE ridge)
    else()
      set(compiled ridge_${wing})
      add_library(${compiled} STATIC ${sources})
      target_link_libraries(${compiled} PUBLIC ridge PRIVATE fmt::fmt)
      set_target_properties(${compiled} PROPERTIES EXCLUDE_FROM_ALL ON)
      ridge_warnings(${compiled})
    endif()
    target_include_directories(${compiled} PRIVATE ${PROJECT_SOURCE_DIR}/src)
    set_target_properties(${compiled} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    ridge_unity(${compiled})
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

# ridge_python_of_wings(<target> <folder>): their modules beside the one of the package, and their files in its folder.
# Of a wing that is not built ridge.NAME says so.
function(ridge_python_of_wings target folder)
  ridge_of_wings(sources io/*.cpp python/*.cpp)
  ridge_of_wings(files python/*.py python/*.pyi)
  set(declared)
  set(calls)
  set(imports)
  set(more)
  foreach(wing IN LISTS every_wing)
    set(of_wing ${ridge_folder_of_${wing}}/python)
    set(is_module FALSE)
    if(EXISTS ${of_wing}/${wing}.py)
      set(is_module TRUE)
      string(APPEND imports "from . import ${wing} as ${wing}\n")
      list(APPEND names "\"${wing}\"")
    endif()
    if(wing IN_LIST ridge_wings AND EXISTS ${of_wing})
      string(APPEND declared "void ${wing}(nanobind::module_& m);\n")
      string(APPEND calls "  add(\"ridge._${wing}\", wings::python::${wing});\n")
      if(EXISTS ${of_wing}/_of_${wing}.py)
        string(APPEND imports "from . import _of_${wing}\nfrom ._of_${wing} import *\n")
        string(APPEND more "__all__ += _of_${wing}.__all__\n")
      endif()
    elseif(EXISTS ${of_wing})
      file(REMOVE ${folder}/_${wing}.pyi)
    endif()
    if(is_module AND NOT wing IN_LIST ridge_wings)
      set(file ${CMAKE_CURRENT_BINARY_DIR}/package/${wing}.py)
      file(CONFIGURE OUTPUT ${file} CONTENT "\"\"\"What stands for ridge.${wing}, which was not built.\"\"\"

from typing import Any


def __getattr__(name: str) -> Any:
    if name.startswith(\"__\"):
        raise AttributeError(name)
    raise ImportError(\"ridge.${wing} was not built: configure Ridge with ${wing} in RIDGE_WINGS, or with RIDGE_WINGS=ALL\")
")
      list(APPEND files ${file})
    endif()
  endforeach()
  list(JOIN names ", " names)
  set(list ${CMAKE_CURRENT_BINARY_DIR}/package/_wings.py)
  file(CONFIGURE OUTPUT ${list} CONTENT "\"\"\"The wings, codes for users of one field.\"\"\"

${imports}
__all__: list[str] = [${names}]
${more}")
  list(APPEND files ${list})
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/wings.cpp CONTENT "#include \"python/wings.hpp\"

namespace ridge::wings::python {
${declared}}
void ridge::python::add_wings() {
  [[maybe_unused]] const auto add = [](const char* name, void (*define)(nanobind::module_&)) {
    auto made = nanobind::borrow<nanobind::module_>(PyImport_AddModule(name));
    define(made);
  };
${calls}}
")
  target_sources(${target} PRIVATE ${sources} ${CMAKE_CURRENT_BINARY_DIR}/wings.cpp)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  foreach(file IN LISTS files)
    get_filename_component(name ${file} NAME)
    file(CREATE_LINK ${file} ${folder}/${name} SYMBOLIC)
  endforeach()
  install(FILES ${files} DESTINATION . COMPONENT python EXCLUDE_FROM_ALL)
endfunction()
