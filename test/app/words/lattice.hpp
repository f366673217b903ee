#include <ridge/lattice/map_call.hpp>
#include <ridge/lattice/reduction.hpp>

#include "words.hpp"

struct WordsMap {
  static constexpr const char* name = "words map";
  static constexpr int inputs = 2;
  static constexpr double flops = 1;
  double rate = 0.7, off = 0;
  template <class V>
  RIDGE_FN V operator()(const V& x, const V& y) const {
    return words::all_of(x, y, rate, off);
  }
};
struct WordsSum : ridge::lattice::Reduction {
  static constexpr const char* name = "words sum";
  static constexpr double flops = 1;
  double rate = 0.7, off = 0;
  template <class V>
  RIDGE_FN V term(const V& x) const {
    return words::all_of(x, 0.3 - x, rate, off);
  }
};
