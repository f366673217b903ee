// Types as C++ text, for sources that are compiled on demand.
#pragma once

#include <ridge/launch/demand.hpp>

#include <string>
#include <typeinfo>

namespace ridge::launch {

/// The type as C++ writes it: "ridge::stencil::Laplacian<2, 3>".
[[nodiscard]] std::string type_text(const std::type_info& type);
template <class T>
[[nodiscard]] std::string type_text() {
  return type_text(typeid(T));
}

/// Types that the text of a call's source is made of.
struct CallTypes {
  const std::type_info &call, &kernel, &precision;
  std::size_t call_bytes;
};
template <class Call, class K, class T>
[[nodiscard]] CallTypes call_types() {
  return {typeid(Call), typeid(K), typeid(T), sizeof(Call)};
}

namespace detail {
/// Fills in where the kernel's source is. Throws UsageError where nobody said.
[[nodiscard]] Demand demand_of(const std::type_info& call, const std::string& pattern,
                               const std::string& kernel, const std::string& precision,
                               const std::string& definitions);
} // namespace detail

/// The demand of calls of the type: the pattern's executor of `kernel` in `precision`, both
/// as C++ text, as the one variant that `definitions` names.
template <class Call>
[[nodiscard]] Demand demand_of(const std::string& pattern, const std::string& kernel,
                               const std::string& precision, const std::string& definitions) {
  return detail::demand_of(typeid(Call), pattern, kernel, precision, definitions);
}

} // namespace ridge::launch
