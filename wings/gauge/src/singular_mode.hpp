// Why Wilson's operator is not solved: a mode on which it is singular, or whose eigenvalue is
// negative.
#pragma once

#include <ridge/gauge/averages.hpp>
#include <ridge/gauge/hadrons.hpp>
#include <ridge/gauge/wilson.hpp>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace ridge::gauge {

/// Limits the search for modes beside solves: all searches together take no longer than the solves,
/// or five seconds where these took less.
class SearchTime {
public:
  /// `solving` and `searched`: seconds until now; `clock`: seconds from any moment.
  SearchTime(double solving, double searched, std::function<double()> clock)
      : clock_(std::move(clock)), end_(clock_() + std::max(least, solving) - searched) {}

  [[nodiscard]] bool is_left() const { return clock_() < end_; }

private:
  static constexpr double least = 5;
  std::function<double()> clock_;
  double end_;
};

/// A sentence's part that says that kappa is exceptional or beyond critical on this configuration,
/// from what a solver reached of D x = b; nothing where neither is seen. `links` are with their
/// boundary. It is looked for until go_on() says no.
[[nodiscard]] std::string singular_text(const Extents& extents, const HostLinks& links,
                                        const WilsonNumbers& numbers,
                                        const std::vector<Spinor<double>>& x,
                                        const std::vector<Spinor<double>>& b,
                                        const std::function<bool()>& go_on);

} // namespace ridge::gauge
