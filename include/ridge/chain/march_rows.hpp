// Which rows of each array a lane keeps that marches along the last dimension.
#pragma once

#include <ridge/chain/passing.hpp>

namespace ridge::chain {

template <class U>
class MarchRows {
public:
  static constexpr int most_rows = 5; ///< of an array that a lane keeps

  explicit constexpr MarchRows(const Passed<U>& passed) : p_(passed) {}

  /// The rows of an array that a lane keeps: from `top` rows beyond the one that the last operation
  /// computes, `count` downwards; count 0: none.
  struct Rows {
    int top = 0, count = 0;
  };
  [[nodiscard]] constexpr Rows rows_of(int array) const {
    const int writer = p_.writer_of(array);
    if (writer >= 0) {
      int oldest = p_.ahead().high[writer];
      for (int k = 0; k < p_.operations(); ++k) {
        if (p_.passes(k, array))
          oldest =
              std::min(oldest, p_.ahead().high[k] + p_.use(k, array).reach.low.along(p_.march()));
      }
      return {p_.ahead().high[writer], p_.kept(array) ? 1 + p_.ahead().high[writer] - oldest : 0};
    }
    if (p_.uses().array(array).profile) return {};
    Rows rows;
    for (int k = 0; k < p_.operations(); ++k) {
      if (!p_.use(k, array).reads || !straight(k, array)) continue;
      const int high = p_.ahead().high[k] + p_.use(k, array).reach.high.along(p_.march());
      const int low = p_.ahead().high[k] + p_.use(k, array).reach.low.along(p_.march());
      const int top = rows.count == 0 ? high : std::max(high, rows.top);
      const int bottom = rows.count == 0 ? low : std::min(low, rows.top - rows.count + 1);
      if (top - bottom < most_rows) rows = {top, 1 + top - bottom};
    }
    return rows;
  }
  /// Whether all that an operation reads of an array is among the rows that the lane keeps.
  [[nodiscard]] constexpr bool reads_kept(int k, int array) const {
    const Rows rows = rows_of(array);
    if (rows.count == 0 || !straight(k, array)) return false;
    const Reach& r = p_.use(k, array).reach;
    return p_.ahead().high[k] + r.high.along(p_.march()) <= rows.top &&
           p_.ahead().high[k] + r.low.along(p_.march()) > rows.top - rows.count;
  }
  /// The most rows of any array.
  [[nodiscard]] constexpr int most_kept() const {
    int most = 1;
    for (int a = 0; a < p_.uses().arrays(); ++a)
      most = std::max(most, rows_of(a).count);
    return most;
  }

private:
  [[nodiscard]] constexpr bool straight(int k, int array) const {
    const Reach& r = p_.use(k, array).reach;
    for (int d = 0; d < 3; ++d) {
      if (d != p_.march() && (r.low.along(d) != 0 || r.high.along(d) != 0)) return false;
    }
    return true;
  }

  const Passed<U>& p_;
};

} // namespace ridge::chain
