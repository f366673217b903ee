// Compiled once per device kind.
#include <ridge/device/offer.hpp>
#include <ridge/lattice/rank_reduce.hpp>

#include "partial_sums.hpp"

namespace ridge::lattice {

namespace {

/// Where the sites of a slice lie: in the groups of one position within the boxes of the lattice,
/// in the lanes of one box. All sites are one slice where there is no dimension.
struct SliceGroups {
  Index stride, below, count; ///< groups: between positions, of all boxes, of a position
  int positions = 1, boxes = 1, lane_stride;

  RIDGE_FN SliceGroups(const Geometry& g, int dimension)
      : stride(g.groups), below(g.groups), count(g.groups), lane_stride(g.nsimd) {
    if (dimension < 0) return;
    stride = g.group_stride[dimension];
    positions = g.local[dimension];
    below = stride * positions;
    count = g.groups / positions;
    boxes = g.lanes[dimension];
    lane_stride = g.lane_stride[dimension];
  }
  [[nodiscard]] RIDGE_FN Index group(Index i, int position) const {
    const Index block = i / stride;
    return block * below + position * stride + (i - block * stride);
  }
  [[nodiscard]] RIDGE_FN int box_of(int lane) const { return lane / lane_stride % boxes; }
  /// Lane i of those of a box.
  [[nodiscard]] RIDGE_FN int lane(int i, int box) const {
    const int block = i / lane_stride;
    return (block * boxes + box) * lane_stride + (i - block * lane_stride);
  }
};

/// Of a real number: itself, and what it is multiplied with.
struct Term {
  double a = 0, b = 0;
};
/// `result` is 0 for real and 1 for imaginary parts of what is summed; `part` that of the number.
template <class T, class Load>
RIDGE_FN Term term(const SiteSum<T>& s, const Load& load, Index at, int part, int result) {
  const double x = load(s.x, at);
  if (s.summed == Summed::numbers) return {x, 1};
  if (result == 0) return {x, load(s.y, at)};
  return part == 0 ? Term{x, load(s.y, at + 1)} : Term{-x, load(s.y, at - 1)};
}

} // namespace

} // namespace ridge::lattice

#if defined(RIDGE_TARGET_CPU)

#include <array>

namespace ridge::lattice {

namespace {

constexpr int most_lanes = 1024 / 4;
constexpr int most_packs = most_lanes / sum_width; ///< of a vector

Pack<double, sum_width> load_pack(const double* from) {
  return Pack<double, sum_width>::load(from);
}
Pack<double, sum_width> load_pack(const float* from) {
  return widen(Pack<float, sum_width>::load(from));
}

/// What groups add to the results of one component, in packs: each lane of a vector for itself.
/// Sites that others own count as 0. Vectors have whole packs: 64 bytes are 8 doubles.
template <class T>
class GroupSum {
public:
  GroupSum(const SiteSum<T>& s, int key)
      : s_(s), key_(key), parts_(s.shape.parts()), packs_(s.geometry.nsimd * parts_ / sum_width) {
    for (int lane = 0; lane < s.geometry.nsimd; ++lane)
      from_first_[static_cast<std::size_t>(lane)] = s.geometry.coordinates({0, lane});
    for (int result = 0; result < sums(); ++result) {
      for (int pack = 0; pack < packs_; ++pack)
        wide(result, pack).clear();
    }
  }

  void add(Index group) {
    const Coordinates first = s_.geometry.coordinates({group, 0});
    int owned = 0;
    for (int lane = 0; lane < s_.geometry.nsimd; ++lane) {
      Coordinates x = from_first_[static_cast<std::size_t>(lane)];
      for (int d = 0; d < max_rank; ++d)
        x[d] += first[d];
      wanted_[lane] = s_.box.holds(x);
      owned += wanted_[lane] ? 1 : 0;
    }
    if (owned == 0) return;
    const bool all = owned == s_.geometry.nsimd;
    const int components = s_.shape.components;
    for (int c = 0; c < components; ++c) {
      if (s_.summed != Summed::numbers || c == key_) add_vector(group * components + c, all);
    }
  }
  /// Of the sites in the lanes of one box.
  [[nodiscard]] BinnedSum<double> total(const SliceGroups& groups, int box, int part) {
    BinnedSum<double> all;
    all.clear();
    for (int r = 0; r < packs_ * sum_width; ++r) {
      if (groups.box_of(r / parts_) != box) continue;
      if (s_.summed == Summed::numbers && r % parts_ != part) continue;
      all.merge(wide(sums() == 2 ? part : 0, r / sum_width).lane(r % sum_width));
    }
    return all;
  }

private:
  using Wide = Pack<double, sum_width>;

  /// Accumulators of each lane: two for the real and the imaginary part of inner products.
  [[nodiscard]] int sums() const { return s_.summed == Summed::crossed ? s_.parts() : 1; }
  BinnedSum<Wide>& wide(int result, int pack) {
    return wide_[static_cast<std::size_t>(result * packs_ + pack)];
  }

  void add_vector(Index vector, bool all) {
    for (int result = 0; result < sums(); ++result) {
      for (int pack = 0; pack < packs_; ++pack)
        add_pack(wide(result, pack), vector, pack * sum_width, all, result);
    }
    if (++added_ < BinnedSum<double>::period) return;
    for (int i = 0; i < sums() * packs_; ++i)
      wide_[static_cast<std::size_t>(i)].settle();
    added_ = 0;
  }
  void add_pack(BinnedSum<Wide>& sum, Index vector, int first, bool all, int result) {
    const Index at = vector * packs_ * sum_width + first;
    if (all && result == 0) {
      const Wide x = load_pack(s_.x.data + at);
      if (s_.summed == Summed::numbers) {
        sum.add(x);
      } else {
        sum.add_product(x, load_pack(s_.y.data + at));
      }
      return;
    }
    const auto load = [](const Span<const T>& from, Index i) {
      return static_cast<double>(from.data[i]);
    };
    double a[sum_width] = {};
    double b[sum_width] = {};
    for (int i = 0; i < sum_width; ++i) {
      const int r = first + i;
      if (!wanted_[r / parts_]) continue;
      const Term t = term(s_, load, at + i, r % parts_, result);
      a[i] = t.a;
      b[i] = t.b;
    }
    if (s_.summed == Summed::numbers) {
      sum.add(Wide::load(a));
    } else {
      sum.add_product(Wide::load(a), Wide::load(b));
    }
  }

  const SiteSum<T>& s_;
  int key_, parts_, packs_;
  std::array<Coordinates, most_lanes> from_first_; ///< of each lane's site
  bool wanted_[most_lanes] = {};
  std::array<BinnedSum<Wide>, 2 * most_packs> wide_;
  int added_ = 0;
};

/// A piece of work is what the groups of a position add to a component, in all their lanes.
template <class T>
void sum_sites(Queue& /*queue*/, const SiteSum<T>& s) {
  const SliceGroups groups(s.geometry, s.dimension);
  const int pieces = s.pieces();
  const int keys = s.keys();
  const auto slice = [&](int position, int box) -> Index {
    if (s.dimension < 0) return 0;
    const int at = position + box * groups.positions;
    const bool here = at >= s.box.begin[s.dimension] && at < s.box.end[s.dimension];
    return here ? at - s.box.begin[s.dimension] : -1;
  };
  const auto work = [&](int position, int key, int piece) {
    bool some = false;
    for (int box = 0; box < groups.boxes; ++box)
      some = some || slice(position, box) >= 0;
    if (!some) return;
    GroupSum<T> sum(s, key);
    const auto mine = cpu::share_of(groups.count, piece, pieces);
    for (Index i = mine.begin; i < mine.end; ++i)
      sum.add(groups.group(i, position));
    for (int box = 0; box < groups.boxes; ++box) {
      const Index to = slice(position, box);
      for (int part = 0; to >= 0 && part < s.parts(); ++part) {
        const auto total = sum.total(groups, box, part);
        const Index result = ((to * keys + key) * s.parts() + part) * pieces + piece;
        std::copy(total.w, total.w + s.words, s.result.data + result * s.words);
      }
    }
  };
  const Index all = Index{groups.positions} * keys * pieces;
  cpu::run(cpu::default_threads(), [&](int thread, int threads) {
    for (Index i = thread; i < all; i += threads) {
      const Index rest = i / pieces;
      work(static_cast<int>(rest / keys), static_cast<int>(rest % keys),
           static_cast<int>(i % pieces));
    }
  });
}

} // namespace

} // namespace ridge::lattice

#else

namespace ridge::lattice {

namespace {

/// The numbers that a thread of a piece adds up for a result. Threads that are neighbours take
/// numbers that are, of one group or of several, and divide once a group.
template <class T>
class Walk {
public:
  RIDGE_FN Walk(const SiteSum<T>& s, Index block, int thread)
      : s_(s), groups_(s.geometry, s.dimension) {
    const int pieces = s.pieces();
    const Index result = block / pieces;
    const int piece = static_cast<int>(block - result * pieces);
    // Which slice, component and part the result is.
    const Index number = result / s.parts();
    part_ = static_cast<int>(result - number * s.parts());
    const Index slice = number / s.keys();
    key_ = static_cast<int>(number - slice * s.keys());
    if (s.dimension >= 0) {
      const int at = static_cast<int>(slice) + s.box.begin[s.dimension];
      box_ = at / groups_.positions;
      position_ = at - box_ * groups_.positions;
    }
    lanes_ = s.geometry.nsimd / groups_.boxes;
    // Of numbers, one component's real or imaginary parts are summed; of products all.
    of_group_ = lanes_ * (numbers() ? 1 : s.shape.components * s.shape.parts());
    threads_ = sum_threads; // of a group: powers of two
    while (threads_ > of_group_)
      threads_ /= 2;
    const int together = sum_threads / threads_;
    first_ = element_ = thread % threads_;
    step_ = Index{pieces} * together;
    i_ = Index{piece} * together + thread / threads_;
    for (int d = 0; d < max_rank; ++d) {
      if (s.box.begin[d] > 0 || s.box.end[d] < s.geometry.extent(d))
        (s.geometry.lanes[d] > 1 ? lanes_differ_ : groups_differ_) = true;
    }
    in_line_ =
        groups_.boxes == 1 && !lanes_differ_ && (numbers() || threads_ % s.shape.parts() == 0);
    find_group();
  }

  [[nodiscard]] RIDGE_FN bool done() const { return i_ >= groups_.count; }
  /// What are next: 0 where another rank owns it, and at the end. Of one group, wherever its
  /// numbers lie one behind the other: their places are then those of the first and so many on.
  template <int Count, class Load>
  RIDGE_FN void next(const Load& load, Term (&terms)[Count]) {
    if (!done() && in_line_ && element_ + (Count - 1) * threads_ < of_group_) {
      const int parts = s_.shape.parts();
      const int p = numbers() ? part_ : element_ & (parts - 1);
      const Index at = first_of_group() + (numbers() ? element_ * parts + part_ : element_);
      const int step = numbers() ? threads_ * parts : threads_;
      RIDGE_UNROLL
      for (int n = 0; n < Count; ++n)
        terms[n] = term(s_, load, at + n * step, p, numbers() ? 0 : part_);
      element_ += Count * threads_;
      if (element_ >= of_group_) go_on();
    } else {
      RIDGE_UNROLL
      for (Term& t : terms)
        t = next(load);
    }
  }

private:
  template <class Load>
  RIDGE_FN Term next(const Load& load) {
    if (done()) return {};
    const int in_lanes = numbers() || s_.shape.parts() == 1 ? element_ : element_ / 2;
    const int p = numbers() ? part_ : element_ - in_lanes * s_.shape.parts();
    Index place = in_lanes;
    bool mine = true;
    if (groups_.boxes > 1 || lanes_differ_) { // divisions are half the time where there are any
      const int in_group = in_lanes / lanes_;
      const int l = groups_.lane(in_lanes - in_group * lanes_, box_);
      place = Index{in_group} * s_.geometry.nsimd + l;
      mine = !lanes_differ_ || s_.box.holds(s_.geometry.coordinates({group_, l}));
    }
    const Index at = first_of_group() + place * s_.shape.parts() + p;
    element_ += threads_;
    if (element_ >= of_group_) go_on();
    return mine ? term(s_, load, at, p, numbers() ? 0 : part_) : Term{};
  }

  [[nodiscard]] RIDGE_FN bool numbers() const { return s_.summed == Summed::numbers; }
  /// Where the numbers of the group begin that are summed.
  [[nodiscard]] RIDGE_FN Index first_of_group() const {
    return (group_ * s_.shape.components + (numbers() ? key_ : 0)) * s_.geometry.nsimd *
           s_.shape.parts();
  }
  RIDGE_FN void go_on() {
    element_ = first_;
    i_ += step_;
    find_group();
  }
  /// The next group that this rank owns, as far as all its lanes agree.
  RIDGE_FN void find_group() {
    for (; !done(); i_ += step_) {
      group_ = s_.dimension < 0 ? i_ : groups_.group(i_, position_);
      if (!groups_differ_) return;
      const Coordinates x = s_.geometry.coordinates({group_, 0});
      bool owned = true;
      RIDGE_UNROLL
      for (int d = 0; d < max_rank; ++d)
        owned = owned &&
                (s_.geometry.lanes[d] > 1 || (x[d] >= s_.box.begin[d] && x[d] < s_.box.end[d]));
      if (owned) return;
    }
  }

  const SiteSum<T>& s_;
  SliceGroups groups_;
  int part_, key_, position_ = 0, box_ = 0; ///< of the result
  int lanes_, of_group_, threads_; ///< lanes of a box, numbers of a group, threads for them
  int first_, element_;            ///< of a group's numbers: this thread's, the next one
  Index i_, step_, group_ = 0;
  bool in_line_ = false;       ///< numbers of a group lie one behind the other
  bool groups_differ_ = false; ///< in whose sites are they: along dimensions of one box
  bool lanes_differ_ = false;  ///< along others
};

/// A block for each piece of a result.
template <class T>
struct SumSites {
  static constexpr int max_threads = sum_threads;
  static constexpr const char* name = "sum of sites";
  static constexpr int batch = 4; ///< numbers on their way at once

  SiteSum<T> s;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const auto load = [&](const Span<const T>& from, Index i) {
      return static_cast<double>(lane.load(from, i));
    };
    BinnedSum<double> mine;
    mine.clear();
    int added = 0;
    for (Walk<T> walk(s, lane.block().x, lane.thread().x); !walk.done();) {
      Term terms[batch];
      walk.next(load, terms);
      double x[batch];
      bool room = true;
      RIDGE_UNROLL
      for (int n = 0; n < batch; ++n) {
        x[n] = detail::opaque(s.summed == Summed::numbers ? terms[n].a : terms[n].a * terms[n].b);
        room = room && mine.has_room(x[n]);
      }
      if (!room) mine.make_room_for_all(x);
      RIDGE_UNROLL
      for (int n = 0; n < batch; ++n)
        mine.add_below_top(x[n]);
      added += batch;
      if (added < BinnedSum<double>::period) continue;
      mine.settle();
      added = 0;
    }
    store_part(lane, mine, s.result);
  }
};

template <class T>
void sum_sites(Queue& queue, const SiteSum<T>& s) {
  launch_body(queue, parts_shape(s.results() * s.pieces()), SumSites<T>{s});
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
