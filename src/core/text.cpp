#include <ridge/core/text.hpp>

namespace ridge::text {

std::vector<std::string_view> words(std::string_view line) {
  std::vector<std::string_view> result;
  std::size_t at = 0;
  while ((at = line.find_first_not_of(" \t\n", at)) != std::string_view::npos) {
    const auto end = std::min(line.find_first_of(" \t\n", at), line.size());
    result.push_back(line.substr(at, end - at));
    at = end;
  }
  return result;
}

} // namespace ridge::text
