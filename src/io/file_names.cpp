#include "file_names.hpp"

#include "../core/refuse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace ridge::io {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t digits = 10;
constexpr std::string_view ending = ".h5";

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

} // namespace

fs::path without_hdf5(const fs::path& file) {
  constexpr std::array<std::string_view, 4> known{".h5", ".hdf5", ".hdf", ".he5"};
  const std::string last = lower(file.extension().string());
  if (std::find(known.begin(), known.end(), last) == known.end()) return file;
  return fs::path(file).replace_extension();
}

fs::path beside(const fs::path& file, std::string_view ending_of_it) {
  return without_hdf5(file) += ending_of_it;
}

fs::path xdmf_beside(const fs::path& file) {
  refuse_if(lower(file.extension().string()) == ".xdmf",
            "the output {} has the name of an XDMF file, which will be beside it; name it FILE.h5",
            file.string());
  return beside(file, ".xdmf");
}

std::string number_of(Index step) {
  return fmt::format("{:0{}}", step, digits);
}

fs::path snapshot_beside(const fs::path& file, Index step) {
  return beside(file, "." + number_of(step) + std::string(ending));
}

std::optional<std::string> stem_of_snapshot(const std::string& name) {
  const std::size_t tail = 1 + digits + ending.size();
  if (name.size() <= tail || !name.ends_with(ending)) return std::nullopt;
  const std::size_t dot = name.size() - tail;
  const std::string number = name.substr(dot + 1, digits);
  const bool is_number = std::all_of(number.begin(), number.end(),
                                     [](unsigned char c) { return std::isdigit(c) != 0; });
  if (name[dot] != '.' || !is_number) return std::nullopt;
  return name.substr(0, dot);
}

} // namespace ridge::io
