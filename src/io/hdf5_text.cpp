#include "hdf5_text.hpp"

#include <algorithm>

namespace ridge::io {

std::optional<std::string> text_attribute(const Handle& object, const std::string& name) {
  if (H5Aexists(object.id(), name.c_str()) <= 0) return {};
  const Handle attribute(H5Aopen(object.id(), name.c_str(), H5P_DEFAULT), H5Aclose);
  const Handle type(H5Aget_type(attribute.id()), H5Tclose);
  const Handle space(H5Aget_space(attribute.id()), H5Sclose);
  if (H5Tget_class(type.id()) != H5T_STRING || H5Sget_simple_extent_npoints(space.id()) != 1)
    return {};
  // Texts are read as their own type, because the library does not convert between encodings.
  if (H5Tis_variable_str(type.id()) > 0) {
    char* value = nullptr;
    if (H5Aread(attribute.id(), type.id(), &value) < 0) return {};
    std::string text = value != nullptr ? value : "";
    H5free_memory(value);
    return text;
  }
  std::string text(H5Tget_size(type.id()), '\0');
  if (H5Aread(attribute.id(), type.id(), text.data()) < 0) return {};
  text.resize(std::min(text.find('\0'), text.size()));
  if (H5Tget_strpad(type.id()) == H5T_STR_SPACEPAD) text.resize(text.find_last_not_of(' ') + 1);
  return text;
}

} // namespace ridge::io
