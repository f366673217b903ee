#include "hdf5_attribute.hpp"

#include "hdf5_text.hpp"

namespace ridge::io {

namespace {

Handle scalar() {
  return {H5Screate(H5S_SCALAR), H5Sclose};
}

Handle line_of(hsize_t count) {
  return {H5Screate_simple(1, &count, nullptr), H5Sclose};
}

Handle text_type() {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.id(), H5T_VARIABLE);
  H5Tset_cset(type.id(), H5T_CSET_UTF8);
  return type;
}

bool write(const Handle& object, const std::string& name, hid_t type, const Handle& space,
           const void* value) {
  Handle made(H5Acreate2(object.id(), name.c_str(), type, space.id(), H5P_DEFAULT, H5P_DEFAULT),
              H5Aclose);
  return made && H5Awrite(made.id(), type, value) >= 0 && made.close();
}

/// The attribute when it is a single value of this class.
Handle single(const Handle& object, const std::string& name, H5T_class_t kind) {
  if (H5Aexists(object.id(), name.c_str()) <= 0) return {};
  Handle found(H5Aopen(object.id(), name.c_str(), H5P_DEFAULT), H5Aclose);
  const Handle type(H5Aget_type(found.id()), H5Tclose);
  const Handle space(H5Aget_space(found.id()), H5Sclose);
  if (H5Tget_class(type.id()) != kind || H5Sget_simple_extent_npoints(space.id()) != 1) return {};
  return found;
}

} // namespace

bool write_attribute(const Handle& object, const std::string& name, const std::string& text) {
  const char* const value = text.c_str();
  return write(object, name, text_type().id(), scalar(), &value);
}

bool write_attribute(const Handle& object, const std::string& name,
                     const std::vector<double>& numbers) {
  return write(object, name, H5T_NATIVE_DOUBLE, line_of(numbers.size()), numbers.data());
}

bool write_attribute(const Handle& object, const std::string& name,
                     const std::vector<int>& numbers) {
  return write(object, name, H5T_NATIVE_INT, line_of(numbers.size()), numbers.data());
}

bool write_attribute(const Handle& object, const std::string& name, double number) {
  return write(object, name, H5T_NATIVE_DOUBLE, scalar(), &number);
}

bool write_attribute(const Handle& object, const std::string& name, Index number) {
  return write(object, name, H5T_NATIVE_INT64, scalar(), &number);
}

bool read_attribute(const Handle& object, const std::string& name, std::string& text) {
  const auto found = text_attribute(object, name);
  if (found) text = *found;
  return found.has_value();
}

bool read_attribute(const Handle& object, const std::string& name, double& number) {
  const Handle found = single(object, name, H5T_FLOAT);
  return found && H5Aread(found.id(), H5T_NATIVE_DOUBLE, &number) >= 0;
}

bool read_attribute(const Handle& object, const std::string& name, Index& number) {
  const Handle found = single(object, name, H5T_INTEGER);
  return found && H5Aread(found.id(), H5T_NATIVE_INT64, &number) >= 0;
}

} // namespace ridge::io
