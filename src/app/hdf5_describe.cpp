#include "hdf5_describe.hpp"

#include <fmt/format.h>

namespace ridge::app {

namespace {

/// The library's prototype: called from C, so nothing may be thrown through it.
herr_t collect_dataset(hid_t /*root*/, const char* name, const H5O_info_t* info, void* list) {
  if (info->type == H5O_TYPE_DATASET) {
    static_cast<std::vector<std::string>*>(list)->push_back(std::string("/") + name);
  }
  return 0;
}

herr_t collect_name(hid_t /*group*/, const char* name, const H5L_info_t* /*info*/, void* list) {
  static_cast<std::vector<std::string>*>(list)->emplace_back(name);
  return 0;
}

} // namespace

std::vector<std::string> names_in(const Handle& file, const std::string& group) {
  std::vector<std::string> names;
  const Handle opened(H5Gopen2(file.id(), group.empty() ? "/" : group.c_str(), H5P_DEFAULT),
                      H5Gclose);
  if (!opened) return names;
  H5Literate(opened.id(), H5_INDEX_NAME, H5_ITER_INC, nullptr, collect_name, &names);
  std::erase_if(names, [&](const std::string& name) {
    const Handle object(H5Oopen(opened.id(), name.c_str(), H5P_DEFAULT), H5Oclose);
    return object && H5Iget_type(object.id()) != H5I_DATASET;
  });
  return names;
}

std::vector<std::string> datasets_in(const Handle& file) {
  std::vector<std::string> paths;
  H5Ovisit(file.id(), H5_INDEX_NAME, H5_ITER_INC, collect_dataset, &paths);
  return paths;
}

std::string list_of(const std::vector<std::string>& datasets) {
  constexpr std::size_t most = 8;
  if (datasets.empty()) return "no dataset";
  std::string list = datasets.size() == 1 ? "the dataset " : "the datasets ";
  for (std::size_t i = 0; i < datasets.size() && i < most; ++i)
    list += (i > 0 ? ", " : "") + datasets[i];
  if (datasets.size() > most) list += fmt::format(" and {} more", datasets.size() - most);
  return list;
}

std::string describe_type(hid_t type) {
  const std::size_t bits = H5Tget_precision(type);
  switch (H5Tget_class(type)) {
  case H5T_INTEGER:
    return fmt::format("{}-bit {} integers", bits,
                       H5Tget_sign(type) == H5T_SGN_NONE ? "unsigned" : "signed");
  case H5T_FLOAT:
    return fmt::format("{}-bit floating-point numbers", bits);
  case H5T_STRING:
    return "strings";
  case H5T_COMPOUND:
    return "compounds (complex numbers or records)";
  case H5T_ENUM:
    return "an enumeration (such as booleans)";
  default:
    return "something other than numbers";
  }
}

} // namespace ridge::app
