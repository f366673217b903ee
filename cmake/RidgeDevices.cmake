# ridge_embed_devices(<target> <folder> <key>...)
#
# Puts the descriptions <folder>/<key>.json into <target> as text, so that an installed `ridge`
# needs no files beside it.

function(ridge_embed_devices target folder)
  set(entries "")
  foreach(key IN LISTS ARGN)
    set(file ${folder}/${key}.json)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(READ ${file} text)
    string(APPEND entries "    Shipped{\"${key}\", R\"json(${text})json\"},\n")
  endforeach()
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${target}_devices.cpp)
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT [[
// Made by CMake from src/model/devices.
#include "model/shipped.hpp"

namespace ridge::model {

const std::array<Shipped, 13> shipped{{
@entries@}};

} // namespace ridge::model
]])
  target_sources(${target} PRIVATE ${source})
  set_source_files_properties(${source} PROPERTIES INCLUDE_DIRECTORIES ${PROJECT_SOURCE_DIR}/src)
endfunction()
