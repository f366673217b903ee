// Compiled once per device kind.
#include <ridge/device/offer.hpp>
#include <ridge/lattice/rank_reduce.hpp>

#include "partial_sums.hpp"

namespace ridge::lattice {

namespace {

/// Of a real number: itself, and what it is multiplied with. `partner` is the real or imaginary
/// part beside it.
struct Term {
  double a = 0, b = 0;
};
template <class T, class Load>
RIDGE_FN Term term(const SiteSum<T>& s, const Load& load, Index at, int part, int parts) {
  if (s.summed == Summed::numbers) return {s.part < 0 || s.part == part ? load(s.x, at) : 0, 1};
  if (s.summed == Summed::products) return {load(s.x, at), load(s.y, at)};
  const Index partner = parts == 1 ? at : part == 0 ? at + 1 : at - 1;
  const double x = load(s.x, at);
  return {part == 0 ? x : -x, load(s.y, partner)};
}

} // namespace

} // namespace ridge::lattice

#if defined(RIDGE_TARGET_CPU)

namespace ridge::lattice {

namespace {

constexpr int most_lanes = 1024 / 4;

/// The real numbers of groups, in packs; those of sites that others own count as 0.
template <class T>
class GroupSum {
public:
  explicit GroupSum(const SiteSum<T>& s) : s_(s) { wide_.clear(); }

  void add(Index group) {
    bool wanted[most_lanes];
    bool some = false;
    for (int lane = 0; lane < s_.geometry.nsimd; ++lane) {
      wanted[lane] = s_.box.holds(s_.geometry.coordinates({group, lane}));
      some = some || wanted[lane];
    }
    if (!some) return;
    const int components = s_.shape.components;
    for (int c = 0; c < components; ++c) {
      if (s_.component < 0 || s_.component == c) add(group * components + c, wanted);
    }
  }
  [[nodiscard]] BinnedSum<double> total() {
    wide_.settle();
    BinnedSum<double> all;
    all.clear();
    for (int i = 0; i < sum_width; ++i)
      all.merge(wide_.lane(i));
    return all;
  }

private:
  using Wide = Pack<double, sum_width>;

  void add(Index vector, const bool* wanted) {
    const int parts = s_.shape.parts();
    const int reals = s_.geometry.nsimd * parts;
    const auto load = [](const Span<const T>& from, Index at) {
      return static_cast<double>(from.data[at]);
    };
    for (int first = 0; first < reals; first += sum_width) {
      double a[sum_width] = {};
      double b[sum_width] = {};
      for (int i = 0; i < sum_width && first + i < reals; ++i) {
        const int r = first + i;
        if (!wanted[r / parts]) continue;
        const Term t = term(s_, load, vector * reals + r, r % parts, parts);
        a[i] = t.a;
        b[i] = t.b;
      }
      if (s_.summed == Summed::numbers) {
        wide_.add(Wide::load(a));
      } else {
        wide_.add_product(Wide::load(a), Wide::load(b));
      }
      if (++added_ < BinnedSum<double>::period) continue;
      wide_.settle();
      added_ = 0;
    }
  }

  const SiteSum<T>& s_;
  BinnedSum<Wide> wide_;
  int added_ = 0;
};

template <class T>
void sum_sites(Queue& /*queue*/, const SiteSum<T>& s) {
  for_each_part(s.result, [&](int part, int parts) {
    GroupSum<T> sum(s);
    const auto mine = cpu::share_of(s.geometry.groups, part, parts);
    for (Index group = mine.begin; group < mine.end; ++group)
      sum.add(group);
    return sum.total();
  });
}

} // namespace

} // namespace ridge::lattice

#else

namespace ridge::lattice {

namespace {

/// Threads walk over the real numbers as they lie.
template <class T>
struct SumSites {
  static constexpr int max_threads = sum_threads;
  static constexpr const char* name = "sum of sites";

  SiteSum<T> s;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const int parts = s.shape.parts();
    const Index stride = Index{lane.grid_extent().x} * max_threads;
    const auto load = [&](const Span<const T>& from, Index at) {
      return static_cast<double>(lane.load(from, at));
    };
    BinnedSum<double> mine;
    mine.clear();
    int added = 0;
    for (Index i = Index{lane.block().x} * max_threads + lane.thread().x; i < s.x.size;
         i += stride) {
      const Index number = i / parts;
      const Index vector = number / s.geometry.nsimd;
      const Index group = vector / s.shape.components;
      if (s.component >= 0 && vector - group * s.shape.components != s.component) continue;
      const int l = static_cast<int>(number - vector * s.geometry.nsimd);
      if (!s.box.holds(s.geometry.coordinates({group, l}))) continue;
      const Term t = term(s, load, i, static_cast<int>(i - number * parts), parts);
      if (s.summed == Summed::numbers) {
        mine.add(t.a);
      } else {
        mine.add_product(t.a, t.b);
      }
      if (++added < BinnedSum<double>::period) continue;
      mine.settle();
      added = 0;
    }
    store_part(lane, mine, s.result);
  }
};

template <class T>
void sum_sites(Queue& queue, const SiteSum<T>& s) {
  launch_body(queue, parts_shape(), SumSites<T>{s});
}

} // namespace

} // namespace ridge::lattice

#endif

namespace ridge::lattice {

namespace {

const Offer site_floats(kind_of<Here>, typeid(SiteSummer<float>*), &sum_sites<float>);
const Offer site_doubles(kind_of<Here>, typeid(SiteSummer<double>*), &sum_sites<double>);

} // namespace

} // namespace ridge::lattice
