// Tells of numbers that a system does not have, or that cannot be.
#include <ridge/core/error.hpp>
#include <ridge/lab/kernels/chain_systems.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <numeric>

namespace ridge::lab {

namespace {

using chain::SystemNumber;

/// The least number of letters to change, insert or leave out that makes one word the other.
std::size_t distance(std::string_view one, std::string_view other) {
  std::vector<std::size_t> row(other.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < one.size(); ++i) {
    std::size_t before = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < other.size(); ++j) {
      const std::size_t changed = before + (one[i] == other[j] ? 0 : 1);
      before = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

/// Numbers with their values where nobody sets them, and what they are.
std::string listed(const std::vector<SystemNumber>& numbers) {
  std::vector<std::string> all;
  all.reserve(numbers.size());
  for (const SystemNumber& one : numbers)
    all.push_back(fmt::format("{} ({:g}; {})", one.name, one.value, one.meaning));
  return fmt::format("{}", fmt::join(all, ", "));
}

std::string instead_of(const chain::SystemKernel& kernel, const std::string& name) {
  for (const chain::SystemField& field : kernel.given) {
    if (field.name == name)
      return fmt::format("; '{}' is a field, by default {:g}, and comes from INPUT as a dataset of "
                         "that name",
                         name, field.value);
  }
  if (kernel.numbers.empty()) return ": it has none";
  std::vector<std::string> names;
  for (const SystemNumber& one : kernel.numbers)
    names.push_back(one.name);
  const std::string near = nearest_word(name, names);
  return fmt::format("{}; it has {}",
                     near.empty() ? "" : fmt::format("; the nearest is '{}'", near),
                     listed(kernel.numbers));
}

} // namespace

std::string nearest_word(std::string_view word, const std::vector<std::string>& known) {
  const auto lower = [](std::string_view text) {
    std::string made(text);
    for (char& c : made)
      c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return made;
  };
  std::string nearest;
  std::size_t least = word.size() / 2 + 1;
  for (const std::string& one : known) {
    const std::size_t apart = distance(lower(word), lower(one));
    if (apart < least) nearest = one, least = apart;
  }
  return nearest;
}

void require_numbers(const chain::SystemKernel& kernel, const chain::NumberValues& values) {
  for (const auto& [name, value] : values) {
    const auto known = std::find_if(kernel.numbers.begin(), kernel.numbers.end(),
                                    [&](const SystemNumber& one) { return one.name == name; });
    if (known == kernel.numbers.end()) {
      throw UsageError(fmt::format("{} has no number '{}' to set{}", kernel.name, name,
                                   instead_of(kernel, name)));
    }
    if (!known->rule.takes(value)) {
      throw UsageError(fmt::format("--set {}={:g}: {} is right for {} of {}, {}", name, value,
                                   to_text(known->rule), name, kernel.name, known->meaning));
    }
  }
}

} // namespace ridge::lab
