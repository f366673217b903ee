// The walk over a tree on the cpu: a thread for each group of targets, which are held in packs. It
// lists the nodes that are far and the bodies that are near, and then visits both.
#pragma once

#include <ridge/core/pack.hpp>
#include <ridge/device/cpu/pause.hpp>
#include <ridge/pairs/tree_walk.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace ridge::pairs::cpu_pairs::inline RIDGE_TARGET_NAME {

template <class P, int Order, int Tile>
class GroupWalker {
  using T = typename P::Computed;
  using S = typename P::Stored;
  using Summed = typename P::Summed;
  using V = NativePack<T>;
  using Far = FarOf<Order>;
  static constexpr bool folds = !std::is_same_v<T, Summed>;
  static constexpr int lanes = lanes_of<V>;

public:
  static constexpr Index across = Index{Tile} * lanes;

  explicit GroupWalker(const TreeWalk<P>& w) : w_(w) {}

  void walk(Index group) {
    const Index end = std::min((group + 1) * across, w_.tree.count);
    std::uint32_t met[2]{};
    const Index begin = group * across;
    for (first_ = begin; first_ < end; first_ = last_) {
      last_ = folds ? tight_end(begin, end) : end;
      ends_sooner_ = last_ - first_ < end - begin;
      walk_for_targets(met);
    }
    w_.met.data[2 * group] = met[0];
    w_.met.data[2 * group + 1] = met[1];
  }

private:
  void walk_for_targets(std::uint32_t (&met)[2]) {
    begin();
    list();
    V total[Tile][4];
    for (auto& sums : total)
      std::fill(std::begin(sums), std::end(sums), V(T(0)));
    std::fill(&fold_[0][0], &fold_[0][0] + across * 4, Summed{0});
    visit_far(total);
    for (const auto& [from, to] : near_)
      visit_near(total, from, to);
    finish(total);
    std::uint64_t bodies = 0;
    for (const auto& [from, to] : near_)
      bodies += static_cast<std::uint64_t>(to - from);
    const auto targets = static_cast<std::uint64_t>(last_ - first_);
    met[0] += static_cast<std::uint32_t>(targets * bodies);
    met[1] += static_cast<std::uint32_t>(targets * far_.size());
  }

  /// Where targets from `first_` on end whose offsets from it keep their digits: none is far from
  /// it by its distance to neighbours, and by those of most in the group. A body that is alone
  /// along the curve may have its neighbours elsewhere on it.
  [[nodiscard]] Index tight_end(Index begin, Index end) const {
    const S* const origin = w_.tree.sorted.data + 4 * first_;
    const S* const gaps = w_.gaps.data;
    Gap<S> least;
    S farthest = 0;
    for (Index i = begin; i < end; ++i) {
      if (i > first_)
        farthest = std::max(farthest, apart_squared(w_.tree.sorted.data + 4 * i, origin));
      least.squared = std::min(least.squared, gaps[i]);
    }
    if (least.holds(farthest)) return end;
    S inverse = 0;
    for (Index i = begin; i < end; ++i)
      inverse += 1 / std::sqrt(gaps[i]);
    const S mean = static_cast<S>(end - begin) / inverse;
    for (Index i = first_ + 1; i < end; ++i) {
      const Gap<S> own{std::min(gaps[i], mean * mean)};
      if (!own.holds(apart_squared(w_.tree.sorted.data + 4 * i, origin))) return i;
    }
    return end;
  }

  void begin() {
    const S* const bodies = w_.tree.sorted.data;
    for (int c = 0; c < 3; ++c) {
      origin_[c] = folds ? bodies[4 * first_ + c] : S(0);
      low_[c] = std::numeric_limits<T>::max();
      high_[c] = -low_[c];
      alignas(64) T values[across];
      for (Index i = 0; i < across; ++i) {
        values[i] = static_cast<T>(bodies[4 * std::min(first_ + i, last_ - 1) + c] - origin_[c]);
        low_[c] = std::min(low_[c], values[i]);
        high_[c] = std::max(high_[c], values[i]);
      }
      for (int k = 0; k < Tile; ++k)
        target_[k][c] = V::load(values + k * lanes);
    }
    need_ = 1;
    cap_ = std::numeric_limits<T>::infinity();
    if (w_.alpha > 0) {
      need_ = 0;
      for (Index i = first_; i < last_; ++i)
        need_ = std::max(need_, w_.needs.data[w_.tree.sorted_order.data[i]]);
      cap_ = 16 / static_cast<T>(w_.theta * w_.theta);
    }
  }

  [[nodiscard]] bool is_far(std::uint32_t node) const {
    const S* const centre = w_.tree.centres.data + 4 * Index{node};
    const T* const radii = w_.tree.moments.data + 8 * Index{node} + 6;
    T distance = 0;
    for (int c = 0; c < 3; ++c) {
      const T x = static_cast<T>(centre[c] - origin_[c]);
      const T off = std::max(std::max(low_[c] - x, x - high_[c]), T(0));
      distance += off * off;
    }
    const T wanted = radii[1] * need_;
    const T most = radii[0] * cap_;
    const T limit = wanted < most ? wanted : most;
    const T least = folds && ends_sooner_ ? radii[0] * w_.least_of_parts : radii[0];
    return distance > least && distance > limit;
  }

  void list() {
    far_.clear();
    near_.clear();
    waiting_.assign(1, 0);
    while (!waiting_.empty()) {
      const std::uint32_t node = waiting_.back();
      waiting_.pop_back();
      if (is_far(node)) {
        far_.push_back(node);
        continue;
      }
      const std::uint32_t link = w_.tree.links.data[2 * Index{node}];
      const std::uint32_t parts = w_.tree.links.data[2 * Index{node} + 1];
      if ((parts & spatial::leaf_bit) == 0) {
        for (std::uint32_t k = parts; k-- > 0;) // the first is on top: bodies come in their order
          waiting_.push_back(link + k);
        continue;
      }
      const Index to = Index{link} + (parts & ~spatial::leaf_bit);
      if (!near_.empty() && near_.back().second == Index{link}) {
        near_.back().second = to; // as neighbours along the curve often are
      } else {
        near_.push_back({link, to});
      }
    }
  }

  void visit_far(V (&sum)[Tile][4]) {
    const Far interaction{w_.softening_squared};
    const T softening = static_cast<T>(w_.softening_squared);
    int unfolded = 0;
    for (const std::uint32_t node : far_) {
      const S* const centre = w_.tree.centres.data + 4 * Index{node};
      const T* const moments = w_.tree.moments.data + 8 * Index{node};
      V source[Far::sources];
      for (int c = 0; c < 3; ++c)
        source[c] = V(static_cast<T>(centre[c] - origin_[c]));
      source[3] = V(static_cast<T>(centre[3]));
      if constexpr (Order >= 2) {
        RIDGE_UNROLL
        for (int c = 0; c < 5; ++c)
          source[4 + c] = V(moments[c]);
        source[9] = V(-softening * moments[5]);
      }
      constexpr auto higher = static_cast<int>(spatial::higher_numbers(Order));
      const T* const numbers = w_.tree.higher.data + higher * Index{node};
      RIDGE_UNROLL
      for (int k = 0; k < higher; ++k) {
        const int c = place_of_higher(k);
        if (c < 0 || c >= Far::sources) continue;
        source[c] = V(is_of_softening(c) ? -softening * numbers[k] : numbers[k]);
      }
      RIDGE_UNROLL
      for (int k = 0; k < Tile; ++k)
        interaction(target_[k], source, sum[k]);
      if (folds && ++unfolded == 256) {
        fold(sum);
        unfolded = 0;
      }
    }
    if (folds) fold(sum);
  }

  void visit_near(V (&sum)[Tile][4], Index from, Index to) {
    const Index own_from = std::clamp(first_, from, to);
    const Index own_to = std::clamp(last_, from, to);
    visit<false>(sum, from, own_from);
    visit<true>(sum, own_from, own_to);
    visit<false>(sum, own_to, to);
  }

  /// Guarded: some sources are targets, which they do not act on.
  template <bool Guarded>
  void visit(V (&sum)[Tile][4], Index from, Index to) {
    const Gravity<> interaction{w_.softening_squared};
    for (Index begin = from; begin < to; begin += 256) {
      const Index end = std::min(to, begin + 256);
      for (Index j = begin; j < end; ++j) {
        const S* const body = w_.tree.sorted.data + 4 * j;
        V source[4];
        for (int c = 0; c < 3; ++c)
          source[c] = V(static_cast<T>(body[c] - origin_[c]));
        source[3] = V(static_cast<T>(body[3]));
        RIDGE_UNROLL
        for (int k = 0; k < Tile; ++k) {
          if constexpr (Guarded) {
            V with[4];
            std::copy_n(sum[k], 4, with);
            interaction(target_[k], source, with);
            const Index own = j - first_ - k * lanes;
            for (int c = 0; c < 4; ++c) {
              if (own >= 0 && own < lanes)
                with[c].set(static_cast<int>(own), sum[k][c][static_cast<int>(own)]);
              sum[k][c] = with[c];
            }
          } else {
            interaction(target_[k], source, sum[k]);
          }
        }
      }
      if (folds) fold(sum);
    }
  }

  void fold(V (&sum)[Tile][4]) {
    for (int k = 0; k < Tile; ++k) {
      for (int c = 0; c < 4; ++c) {
        alignas(64) T values[lanes];
        sum[k][c].store(values);
        for (int l = 0; l < lanes; ++l)
          fold_[k * lanes + l][c] += static_cast<Summed>(values[l]);
        sum[k][c] = V(T(0));
      }
    }
  }

  void finish(V (&sum)[Tile][4]) {
    fold(sum);
    for (Index i = first_; i < last_; ++i) {
      const std::uint32_t to = w_.tree.sorted_order.data[i];
      for (std::size_t c = 0; c < 4; ++c) {
        const Summed unit = c < 3 ? w_.unit_of_length : Summed{1};
        const Summed sum = fold_[i - first_][c] * unit * w_.unit_of_potential;
        if (w_.packed.size != 0) {
          w_.packed.data[4 * w_.packed_place(i) + static_cast<Index>(c)] = sum;
        } else {
          w_.sums[c].data[to] = sum;
        }
      }
    }
  }

  const TreeWalk<P>& w_;
  Index first_ = 0, last_ = 0;
  bool ends_sooner_ = false;
  S origin_[3];
  T low_[3], high_[3], need_ = 1, cap_ = 0;
  V target_[Tile][3];
  Summed fold_[across][4];
  std::vector<std::uint32_t> waiting_, far_;
  std::vector<std::pair<Index, Index>> near_;
};

template <class P, int Order, int Tile>
Index walk_by_threads(const TreeWalk<P>& w) {
  using Walker = GroupWalker<P, Order, Tile>;
  const Index end = std::min(ceil_div(w.tree.count, Walker::across), w.end_group);
  const Index groups = end - w.first_group;
  if (groups <= 0) return Walker::across;
  const int most = w.schedule.threads > 0 ? w.schedule.threads : cpu::default_threads();
  const int threads = static_cast<int>(std::min<Index>(groups, most));
  std::atomic<Index> next{w.first_group};
  cpu::run(threads, [&](int /*thread*/, int /*team*/) {
    Walker walker(w);
    for (Index group = next++; group < end && cpu::goes_on(); group = next++)
      walker.walk(group);
  });
  return Walker::across;
}

} // namespace ridge::pairs::cpu_pairs::inline RIDGE_TARGET_NAME
