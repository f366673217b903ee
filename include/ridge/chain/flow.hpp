// How a group's operations pass values, as kernels are compiled for it.
#pragma once

#include <ridge/chain/march_rows.hpp>

namespace ridge::chain {

/// The operations First to Last of a chain's type.
template <class C, int First, int Last>
struct Flow {
private:
  static constexpr Uses<C> uses{};
  static constexpr Passed<Uses<C>> passed{uses, {First, Last}};
  static constexpr MarchRows<Uses<C>> rows{passed};

public:
  static constexpr int operations = Last - First + 1;
  static constexpr int march = Uses<C>::rank() - 1;
  static constexpr Passing passing = passed.passing();
  static constexpr int along = passed.along(passing);
  static constexpr auto shared_arrays = passed.shared_arrays();
  static constexpr auto ahead = passed.ahead();

  static constexpr Domain domain(int k) { return passed.domain(k); }
  static constexpr int writer_of(int array) { return passed.writer_of(array); }
  static constexpr bool passes(int k, int array) { return passed.passes(k, array); }
  static constexpr bool kept(int array) { return passed.kept(array); }
  static constexpr int beyond(int dimension) { return passed.beyond(dimension); }
  static constexpr bool has_seam(int dimension) { return passed.has_seam(dimension); }
  static constexpr int overlap_low(int dimension = 0) { return passed.overlap_low(dimension); }
  static constexpr int overlap_high(int dimension = 0) { return passed.overlap_high(dimension); }
  static constexpr int overlap(int dimension) { return passed.overlap(dimension); }
  static constexpr int reach_low_x() { return passed.reach_low_x(); }
  static constexpr int reach_high_x() { return passed.reach_high_x(); }
  static constexpr int run_up() { return passed.run_up(); }
  static constexpr auto rows_of(int array) { return rows.rows_of(array); }
  static constexpr bool reads_kept(int k, int array) { return rows.reads_kept(k, array); }
  static constexpr int most_kept() { return rows.most_kept(); }
  static constexpr int run_end(int k) { return passed.run_end(k); }
  static constexpr bool kept_in_columns(int array) { return passed.kept_in_columns(array); }
  static constexpr int kept_before(int array) { return passed.kept_before(array); }
  static constexpr int column_arrays() { return passed.kept_before(Uses<C>::arrays()); }
  static constexpr bool fetched(int begin, int array) { return passed.fetched(begin, array); }
  static constexpr bool taken(int begin, int array) { return passed.taken(begin, array); }
  static constexpr int fetched_count(int begin) { return passed.fetched_count(begin); }
  static constexpr int ring_elements() { return passed.ring_elements(); }
  static constexpr int kept_extra() { return passed.kept_extra(); }
};

} // namespace ridge::chain
