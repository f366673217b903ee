// A kernel in a source file of the user's own: FILE.hpp:Name.
//
// The file is compiled once for the host, to learn what the kernel is: its pattern, footprint or
// components, and how to check it; and for each device and schedule when it is launched there. What
// the host compilation generates includes ridge/lab/describe_kernel.hpp and offers a UserKernel.
#pragma once

#include <ridge/lab/bench.hpp>
#include <ridge/lab/kernels/stencil_evolving.hpp>
#include <ridge/pattern/user_kernel.hpp>

#include <charconv>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <vector>

namespace ridge::lab {

using Use = KernelUse;

/// A number for a member of the functor: `--set rate=0.1`.
struct Setting {
  std::string member;
  double value = 0;
  std::string text = {};         ///< as it was given
  std::string option = "--set "; ///< by which
};
/// Throws UsageError: the member is of a type that does not hold the number; `holds` says what it
/// does.
[[noreturn]] void refuse_setting(const Setting& setting, const std::string& holds);
/// The number as a member of type M holds it. Throws UsageError where it would not come back: a
/// whole number is itself or nothing, others may be rounded.
template <class M>
[[nodiscard]] M as_member(const Setting& s) {
  if constexpr (std::is_integral_v<M>) {
    using Limits = std::numeric_limits<M>;
    using Wide = std::conditional_t<std::is_signed_v<M>, long long, unsigned long long>;
    Wide whole = 0;
    const char* const last = s.text.data() + s.text.size();
    const auto [end, status] = std::from_chars(s.text.data(), last, whole);
    if (!s.text.empty() && status == std::errc{} && end == last) { // all digits of large ones
      if (whole >= static_cast<Wide>(Limits::min()) && whole <= static_cast<Wide>(Limits::max()))
        return static_cast<M>(whole);
    } else if (std::trunc(s.value) == s.value && s.value >= static_cast<double>(Limits::min()) &&
               s.value < std::ldexp(1.0, Limits::digits)) {
      return static_cast<M>(s.value);
    }
    refuse_setting(s, "whole numbers from " + std::to_string(+Limits::min()) + " to " +
                          std::to_string(+Limits::max()));
  } else if constexpr (std::is_floating_point_v<M>) {
    const auto number = static_cast<M>(s.value);
    if (!std::isfinite(number) || (number == 0) != (s.value == 0))
      refuse_setting(s, "numbers of magnitudes from 1e-45 to 3e38");
    return number;
  } else {
    return static_cast<M>(s.value);
  }
}
/// Refuses a setting that its member has not kept: one of a few bits may hold less than its type.
template <class M>
void require_kept(const Setting& s, const M& kept) {
  if constexpr (std::is_integral_v<M>) {
    if (kept != as_member<M>(s)) refuse_setting(s, "fewer bits");
  }
}
/// Reads "rate=0.1". Throws UsageError for anything that is no such assignment.
[[nodiscard]] Setting parse_setting(std::string_view text);

/// A kernel that was found in a file.
struct UserKernel : DescribedKernel {
  /// Stencils: for `ridge evolve`, by the bytes of a number, with the functor's member `dt` set
  /// where one is given: throws UsageError where it has none. Empty for others.
  std::function<Evolution(int element_bytes, std::optional<double> dt)> evolution = {};
};

/// Whether a kernel's name means one in a file: "heat.hpp:Heat".
[[nodiscard]] bool names_a_file(std::string_view kernel);

/// Compiles the file's description, or takes it from the cache. Throws UsageError for a file that
/// is not there, has no such functor, does not compile (at the user's line), a functor that is no
/// kernel of any pattern, or a member that it does not have.
[[nodiscard]] UserKernel load_user_kernel(std::string_view kernel,
                                          const std::vector<Setting>& settings = {},
                                          Use use = Use::launches);

/// The shared library of the lab, which descriptions of kernels are linked to.
[[nodiscard]] std::string lab_library();

/// The built-in kernel of that name, or the one in a file, with numbers of it set by texts such as
/// "rate=0.1". Throws UsageError for an unknown one, and for settings of a built-in one.
[[nodiscard]] BenchKernel find_kernel(std::string_view kernel,
                                      const std::vector<std::string>& settings = {},
                                      Use use = Use::launches);

} // namespace ridge::lab
