// Schedules as text: one mechanism prints, parses, compares and enumerates any plain aggregate.
//
// A schedule is a struct of values with defaults, operator== and a static member
//
//   static constexpr auto fields() {
//     return Fields{text::field("tile", &S::tile, text::one_of(1, 2, 4, 8, 16), "points ..."),
//                       text::field("split", &S::split, text::in_range(1, 64, 1, 4), "...")};
//   }
//
// and, where fields depend on each other, `static std::string problem(const S&)` that returns why a
// combination is not possible (empty when it is). Values are integers, enumerations with
// `constexpr auto enum_names(E)` found beside them, or types with their own `to_text` and
// `from_text(std::string_view, V&)`.
#pragma once

#include <ridge/core/error.hpp>
#include <ridge/core/fields.hpp>

#include <array>
#include <charconv>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace ridge::text {

/// Only the listed values are right; the list is also what enumeration visits.
template <class V, int N>
struct OneOf {
  std::array<V, N> values;
  [[nodiscard]] constexpr bool allows(const V& value) const {
    for (const V& v : values) {
      if (v == value) return true;
    }
    return false;
  }
};

/// Any integer from `lowest` to `highest` is right; enumeration visits `values`.
template <class V, int N>
struct InRange {
  V lowest, highest;
  std::array<V, N> values;
  [[nodiscard]] constexpr bool allows(const V& value) const {
    return lowest <= value && value <= highest;
  }
};

/// Any value is right for which V::possible() holds; enumeration visits `values`.
template <class V, int N>
struct Open {
  std::array<V, N> values;
  [[nodiscard]] constexpr bool allows(const V& value) const { return value.possible(); }
};

template <class V, class... Rest>
constexpr auto one_of(V first, Rest... rest) {
  return OneOf<V, 1 + sizeof...(Rest)>{{first, static_cast<V>(rest)...}};
}
template <class V, class... Values>
constexpr auto in_range(V lowest, V highest, Values... values) {
  return InRange<V, sizeof...(Values)>{lowest, highest, {static_cast<V>(values)...}};
}
template <class V, class... Rest>
constexpr auto open(V first, Rest... rest) {
  return Open<V, 1 + sizeof...(Rest)>{{first, static_cast<V>(rest)...}};
}

/// One field of a schedule: its name in text, where it lives, which values are right, what it does.
template <class S, class V, class Allowed>
struct Field {
  std::string_view name;
  V S::*member;
  Allowed allowed;
  std::string_view meaning;
};

template <class S, class V, class Allowed>
constexpr auto field(std::string_view name, V S::*member, Allowed allowed,
                     std::string_view meaning) {
  return Field<S, V, Allowed>{name, member, allowed, meaning};
}

template <class V>
std::string value_to_text(const V& value) {
  if constexpr (std::is_enum_v<V>) {
    return std::string(enum_names(V{})[static_cast<std::size_t>(value)]);
  } else if constexpr (std::is_integral_v<V>) {
    return std::to_string(value);
  } else {
    return to_text(value);
  }
}

/// False when `text` is not of V's form.
template <class V>
[[nodiscard]] bool value_from_text(std::string_view text, V& value) {
  if constexpr (std::is_enum_v<V>) {
    constexpr auto names = enum_names(V{});
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i] == text) {
        value = static_cast<V>(i);
        return true;
      }
    }
    return false;
  } else if constexpr (std::is_integral_v<V>) {
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    return status == std::errc{} && end == text.data() + text.size();
  } else {
    return from_text(text, value);
  }
}

template <class V, int N>
std::string describe(const std::array<V, N>& values) {
  std::string list;
  for (const V& v : values)
    list += (list.empty() ? "" : ", ") + value_to_text(v);
  return list;
}
template <class V, int N>
std::string describe(const OneOf<V, N>& allowed) {
  return describe<V, N>(allowed.values);
}
template <class V, int N>
std::string describe(const InRange<V, N>& allowed) {
  return value_to_text(allowed.lowest) + " to " + value_to_text(allowed.highest);
}
template <class V, int N>
std::string describe(const Open<V, N>& allowed) {
  return std::string(V::form) + ", such as " + describe<V, N>(allowed.values);
}

/// Calls `visit(field)` for each field of S.
template <class S, class Visitor>
void for_each_field(Visitor&& visit) {
  S::fields().visit(visit);
}

/// "block=64x4x1 tile=4 ...": every field, in the order of fields().
template <class S>
[[nodiscard]] std::string print(const S& schedule) {
  std::string line;
  for_each_field<S>([&](const auto& f) {
    line += (line.empty() ? "" : " ");
    line += std::string(f.name) + "=" + value_to_text(schedule.*(f.member));
  });
  return line;
}

/// Why this combination is not possible; empty when it is.
template <class S>
[[nodiscard]] std::string problem(const S& schedule) {
  if constexpr (requires { S::problem(schedule); }) {
    return S::problem(schedule);
  } else {
    return {};
  }
}

/// Splits at blanks.
[[nodiscard]] std::vector<std::string_view> words(std::string_view line);

/// Reads `name=value` pairs in any order over `defaults`. Throws UsageError with the list of what
/// is right for an unknown field, a field given twice, a wrong value or an impossible combination.
template <class S>
[[nodiscard]] S parse(std::string_view line, const S& defaults = S{}) {
  S schedule = defaults;
  std::vector<std::string_view> seen;
  for (const std::string_view word : words(line)) {
    const auto equals = word.find('=');
    const std::string_view name = word.substr(0, equals);
    const std::string_view value =
        equals == std::string_view::npos ? std::string_view{} : word.substr(equals + 1);
    bool known = false;
    std::string all;
    for_each_field<S>([&](const auto& f) {
      all += (all.empty() ? "" : ", ") + std::string(f.name);
      if (f.name != name) return;
      known = true;
      auto parsed = schedule.*(f.member);
      if (equals == std::string_view::npos || !value_from_text(value, parsed) ||
          !f.allowed.allows(parsed)) {
        throw UsageError("schedule field " + std::string(name) + "=" + std::string(value) +
                         ": expected " + describe(f.allowed));
      }
      schedule.*(f.member) = parsed;
    });
    if (!known) {
      throw UsageError("unknown schedule field '" + std::string(name) + "'; the fields are " + all);
    }
    for (const auto other : seen) {
      if (other == name) {
        throw UsageError("schedule field '" + std::string(name) + "' is given twice");
      }
    }
    seen.push_back(name);
  }
  if (const std::string why = problem(schedule); !why.empty()) {
    throw UsageError("schedule '" + print(schedule) + "': " + why);
  }
  return schedule;
}

namespace detail {
template <std::size_t I, class S, class Visitor>
void enumerate_from(S& schedule, Visitor& visit) {
  constexpr auto fields = S::fields();
  if constexpr (I == decltype(S::fields())::size) {
    if (problem(schedule).empty()) visit(std::as_const(schedule));
  } else {
    const auto& f = fields.template get<I>();
    for (const auto& value : f.allowed.values) {
      schedule.*(f.member) = value;
      enumerate_from<I + 1>(schedule, visit);
    }
  }
}
} // namespace detail

/// Every possible combination of the enumerated values, each once, in a fixed order.
template <class S>
[[nodiscard]] std::vector<S> space() {
  std::vector<S> all;
  S schedule{};
  auto visit = [&](const S& s) { all.push_back(s); };
  detail::enumerate_from<0>(schedule, visit);
  return all;
}

/// One line a field for --help: name, values, meaning.
template <class S>
[[nodiscard]] std::string help() {
  std::string lines;
  for_each_field<S>([&](const auto& f) {
    lines += "  " + std::string(f.name) + "=" + describe(f.allowed) + ": " +
             std::string(f.meaning) + "\n";
  });
  return lines;
}

} // namespace ridge::text
