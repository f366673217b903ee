// A description of a functor of the user's, found by compiling it: see ridge/lab/user_kernel.hpp.
#pragma once

#include <ridge/core/error.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/lab/kernels/chain_user.hpp>
#include <ridge/lab/kernels/stencil_user.hpp>
#include <ridge/lab/user_kernel.hpp>
#include <ridge/lattice/user_kernel.hpp>
#include <ridge/launch/known_name.hpp>
#include <ridge/pairs/user_kernel.hpp>

#include <memory>

namespace ridge::lab {

template <class K>
concept IsStencil = requires { K::footprint; } || requires { K::footprints; };

template <class K>
concept IsChain = requires { K::arrays, K::dimensions, std::declval<K>().operations; };
/// Calls `set(part)` for the kernel; where that is false and the kernel is a chain, for each of its
/// operations. True where any was.
template <class K, class Set>
[[nodiscard]] bool set_in(K& kernel, const Set& set) {
  if (set(kernel)) return true;
  if constexpr (IsChain<K>) {
    return std::apply(
        [&](auto&... operation) { return (static_cast<int>(set(operation)) | ...) != 0; },
        kernel.operations);
  }
  return false;
}

/// Describes K; `file` and `flags` are where its source is, `set(kernel, setting)` sets a member
/// and is false where there is none of that name.
template <Use For, class K, class Set>
[[nodiscard]] UserKernel describe_kernel(const std::string& name, const std::string& file,
                                         const std::string& flags,
                                         const std::vector<Setting>& settings, const Set& set) {
  static_assert(
      std::is_default_constructible_v<K>,
      "a kernel that is named on the command line must be default-constructible; give its "
      "members defaults and set them by --set");
  K kernel{};
  for (const Setting& s : settings) {
    if (!set(kernel, s)) throw UsageError(name + " has no number '" + s.member + "' to set");
  }
  launch::know_name(typeid(K), name);
  if constexpr (IsStencil<K>) {
    return describe_stencil_kernel<For>(name, kernel, file, flags);
  } else if constexpr (IsChain<K> && !IsDescribed<K>) {
    return describe_chain_kernel<For>(name, kernel, file, flags);
  } else if constexpr (IsDescribed<K>) {
    return {DescriptionOf<K>::template describe<For>(name, kernel, file, flags)};
  } else {
    throw UsageError(
        name +
        " is no kernel of a pattern that the command line can run: a stencil has "
        "a member `footprint`, an interaction `targets`, `sources` and `sums`, a "
        "chain `arrays`, `dimensions` and `operations`, a reduction of lattice fields "
        "derives from ridge::lattice::Reduction, a map of them has `name`, `inputs`, `flops` "
        "and operator(), an operator on them derives from "
        "ridge::lattice::SiteOperator; run others from a program of your own (ridge_add_kernels)");
  }
}

} // namespace ridge::lab
