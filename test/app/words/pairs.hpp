#include <ridge/pairs/interaction.hpp>

#include "words.hpp"

struct Words {
  static constexpr int targets = 1, sources = 1, sums = 1;
  double rate = 0.7, off = 0;
  template <class V>
  RIDGE_FN void operator()(const V* target, const V* source, V* sum) const {
    sum[0] += words::all_of(target[0], source[0], rate, off);
  }
};
