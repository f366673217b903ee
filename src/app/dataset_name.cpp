#include "dataset_name.hpp"

#include <ridge/core/error.hpp>

#include <fmt/format.h>

namespace ridge::app {

namespace {

/// Components separated by one slash each, as HDF5 reads them: empty ones and "." mean nothing.
std::string normalised(std::string_view path) {
  std::string absolute;
  while (!path.empty()) {
    const auto slash = std::min(path.find('/'), path.size());
    const std::string_view component = path.substr(0, slash);
    if (!component.empty() && component != ".") absolute.append(1, '/').append(component);
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  return absolute;
}

} // namespace

std::string to_text(const DatasetName& name) {
  return fmt::format("{}:{}", name.file.string(), name.path);
}

DatasetName parse_dataset_name(std::string_view text, std::string_view what) {
  auto colon = text.rfind(":/");
  if (colon == std::string_view::npos) colon = text.rfind(':');
  DatasetName name;
  name.file = text.substr(0, colon);
  if (colon != std::string_view::npos) name.path = normalised(text.substr(colon + 1));
  if (name.file.empty()) {
    throw UsageError(fmt::format(
        "{} '{}' names no file; the form is FILE.h5:/path, such as volume.h5:/u", what, text));
  }
  return name;
}

} // namespace ridge::app
