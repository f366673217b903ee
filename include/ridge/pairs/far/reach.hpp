// Theta of a far field for an error that is asked for: a sample of targets against all pairs.
#pragma once

#include <ridge/device/cpu/pause.hpp>
#include <ridge/pairs/far/launch.hpp>
#include <ridge/pairs/reference.hpp>
#include <ridge/pairs/traits.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

namespace ridge::pairs {

namespace detail {
/// Throws Failure: all pairs do not reach it.
[[noreturn]] void fail_by_far_error(std::string_view precision, double rms, double asked);
} // namespace detail

/// What sums of a call's bodies are off those over all pairs in double precision, which the host
/// makes for the bodies `places`: rms over the rms of these, of the vector or of another sum,
/// whichever is more. `host` has the bodies. Waits.
template <class I, class P>
[[nodiscard]] double far_error(Queue& queue, const Call<I, P>& call,
                               const HostBodies<I::sources>& host,
                               const std::vector<Index>& places) {
  using Summed = typename P::Summed;
  const auto count = static_cast<Index>(host[0].size());
  std::array<std::vector<Summed>, I::sums> got;
  for (int c = 0; c < I::sums; ++c) {
    got[c].resize(host[0].size());
    copy_to_host(queue, got[c].data(), static_cast<const Summed*>(call.sums[c].data), count);
  }
  queue.wait();
  std::vector<ReferenceSums<I>> right(places.size());
  cpu::run(cpu::default_threads(), [&](int thread, int threads) {
    for (auto n = static_cast<std::size_t>(thread); n < places.size() && cpu::goes_on();
         n += static_cast<std::size_t>(threads)) {
      std::array<double, I::targets> target;
      for (int c = 0; c < I::targets; ++c)
        target[c] = host[c][static_cast<std::size_t>(places[n])];
      right[n] = reference_sums(call.interaction, target, host, places[n]);
    }
  });
  constexpr int vector = vector_of<I>();
  std::array<double, I::sums + 1> off{};
  std::array<double, I::sums + 1> all{};
  for (std::size_t n = 0; n < places.size(); ++n) {
    for (int c = 0; c < I::sums; ++c) {
      const int of = c < vector ? 0 : c + 1;
      const double sum = right[n].sum[c];
      const double wrong = static_cast<double>(got[c][static_cast<std::size_t>(places[n])]) - sum;
      off[of] += wrong * wrong;
      all[of] += sum * sum;
    }
  }
  double worst = 0;
  for (int of = 0; of <= I::sums; ++of) {
    if (!std::isfinite(off[of])) return std::numeric_limits<double>::infinity();
    if (off[of] > 0) worst = std::max(worst, std::sqrt(off[of] / all[of]));
  }
  return worst;
}

/// `first`, with the theta that holds an error by far_error: a smaller one until sums do, or, where
/// half of the error is not used, a larger one, thrice at most; in the end 0, all pairs. Throws
/// Failure where these do not reach it, either. Waits.
template <class I, class P>
[[nodiscard]] FarOptions reach_far_error(Queue& queue, const Call<I, P>& call,
                                         const HostBodies<I::sources>& host,
                                         const std::vector<Index>& places, double asked,
                                         FarOptions first, const FarSchedule& schedule) {
  bool may_grow = true;
  for (int tries = 0;; ++tries) {
    FarField<typename P::Stored> field(queue, call.sources, first);
    field.update();
    Program(queue, afar(field, call), schedule).run();
    queue.wait();
    const double found = far_error(queue, call, host, places);
    const bool grows = found <= asked / 2 && may_grow && first.theta < most_chosen_theta;
    if (found <= asked && !grows) return first;
    if (first.theta == 0) detail::fail_by_far_error(P::name, found, asked);
    may_grow = grows && tries < 2;
    first.theta = tries < 12 ? next_far_theta(first, asked, found) : 0;
  }
}

} // namespace ridge::pairs
