// What schedules, work and ceilings need to know of an interaction, as plain data.
#pragma once

#include <ridge/core/extents.hpp>
#include <ridge/pairs/call.hpp>
#include <ridge/record/operations.hpp>
#include <ridge/record/work.hpp>

#include <string>

namespace ridge::pairs {

/// An interaction and a precision without their types.
struct Traits {
  int targets = 0, sources = 0, sums = 0; ///< components
  double flops = unknown_operations;      ///< an interaction
  double operations = 0;                  ///< see ridge/pairs/interaction.hpp; 0 when not declared
  double rsqrts = 0;
  Grade grade = Grade::exact;
  int stored_bytes = 8, computed_bytes = 8, summed_bytes = 8; ///< of one component
  std::string precision;
  bool mutual = false;
};

template <class I, class P>
[[nodiscard]] Traits traits_of() {
  Traits traits;
  traits.targets = I::targets;
  traits.sources = I::sources;
  traits.sums = I::sums;
  traits.flops = said_flops<I>();
  if constexpr (requires { I::operations; }) traits.operations = I::operations;
  if constexpr (requires { I::rsqrts; }) traits.rsqrts = I::rsqrts;
  if constexpr (requires { I::grade; }) traits.grade = I::grade;
  traits.stored_bytes = static_cast<int>(sizeof(typename P::Stored));
  traits.computed_bytes = static_cast<int>(sizeof(typename P::Computed));
  traits.summed_bytes = static_cast<int>(sizeof(typename P::Summed));
  traits.precision = P::name;
  traits.mutual = has_mutual<I>;
  return traits;
}

/// How many of which.
struct Bodies {
  Index targets = 0, sources = 0;
  bool same = false; ///< targets and sources are the same bodies, which do not act on themselves
};

/// Interactions: targets times sources, less one a body where none acts on itself. Least traffic:
/// every component of targets and sources is read once, every sum is written once.
[[nodiscard]] Work work_of(const Traits& traits, const Bodies& bodies);

/// The most interactions a second that a device can compute one by one, from its measured rates of
/// fused multiply-adds (in flop/s, two each) and of approximate reciprocal square roots: every
/// operation takes the slot of an FMA, and on a GPU so does the root. 0 where the interaction does
/// not declare its operations or a rate is missing.
[[nodiscard]] double issue_limit(const Traits& traits, int rsqrt_steps, double fma_rate,
                                 double rsqrt_rate);

} // namespace ridge::pairs
