#include <ridge/chain/system/kernel.hpp>
#include <ridge/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace ridge::chain {

std::string to_text(const NumberRule& rule) {
  if (rule.least == any_number.least) return "a finite number";
  return fmt::format(fmt::runtime(rule.least_is_right ? "{:g} or a finite number above it"
                                                      : "a finite number above {:g}"),
                     rule.least);
}

bool SystemKernel::is_state(int array) const {
  const Role role = of_double.arrays[static_cast<std::size_t>(array)].role;
  return role == Role::update ||
         std::any_of(swaps.begin(), swaps.end(), [&](const auto& s) { return s[0] == array; });
}

int SystemKernel::low_of(int array) const {
  int low = arrays();
  for (int a = 0; a < array; ++a)
    low += is_wide(a) ? 1 : 0;
  return low;
}

bool SystemKernel::is_next(int array) const {
  return std::any_of(swaps.begin(), swaps.end(), [&](const auto& s) { return s[1] == array; });
}

void check(const SystemKernel& kernel) {
  const Description& d = kernel.of_double;
  const auto fail = [&](const std::string& why) {
    throw UsageError(fmt::format("system '{}': {}", kernel.name, why));
  };
  for (int i = 0; i < d.rank; ++i) {
    if (d.dimensions[static_cast<std::size_t>(i)].edge != Edge::given) {
      fail("its dimensions have no given ends; declare them by chain::given(POINTS), the farthest "
           "neighbour that is read");
    }
  }
  if (kernel.placements.size() != d.arrays.size()) {
    fail(fmt::format("{} placements for {} arrays", kernel.placements.size(), d.arrays.size()));
  }
  const int count = static_cast<int>(d.arrays.size());
  for (const auto& [input, output] : kernel.swaps) {
    const auto is = [&](int a, Role role) {
      return a >= 0 && a < count && d.arrays[static_cast<std::size_t>(a)].role == role;
    };
    if (!is(input, Role::input) || !is(output, Role::output))
      fail(fmt::format("swaps {} and {}: an input and an output are right", input, output));
    if (!(d.arrays[static_cast<std::size_t>(input)].extra ==
          d.arrays[static_cast<std::size_t>(output)].extra) ||
        !(kernel.placements[static_cast<std::size_t>(input)] ==
          kernel.placements[static_cast<std::size_t>(output)])) {
      fail(fmt::format("swaps '{}' and '{}', whose points lie elsewhere",
                       d.arrays[static_cast<std::size_t>(input)].name,
                       d.arrays[static_cast<std::size_t>(output)].name));
    }
  }
  for (int a = 0; a < count; ++a) {
    const Array& array = d.arrays[static_cast<std::size_t>(a)];
    if (array.role == Role::output && !kernel.is_next(a))
      fail(fmt::format("nothing reads the output '{}' in the next step; list it in swaps, or make "
                       "it an update",
                       array.name));
    if (array.profile && array.role != Role::temporary)
      fail(fmt::format("'{}' is a profile, which systems do not take yet", array.name));
    const Offset& half = kernel.placements[static_cast<std::size_t>(a)].half;
    for (int i = 0; i < 3; ++i) {
      const int extra = array.extra.along(i);
      const int h = half.along(i);
      if ((extra == 0 && (h == 0 || h == 1)) || (extra == 1 && h == -1)) continue;
      fail(fmt::format("array '{}' lies {} half points behind the others along {} and has {} more "
                       "points: its staggering does not fit",
                       array.name, h, "xyz"[i], extra));
    }
  }
  if (std::none_of(d.arrays.begin(), d.arrays.end(), [&](const Array& array) {
        return kernel.is_state(static_cast<int>(&array - d.arrays.data()));
      }))
    fail("no step changes anything: it has no update, and swaps nothing");
}

} // namespace ridge::chain
