// Compiled once per device kind: sums over bodies, thermostats, and counts of near bodies.
#include <ridge/device/offer.hpp>
#include <ridge/pairs/lists/data.hpp>
#include <ridge/pairs/lists/executor.hpp>
#include <ridge/spatial/items.hpp>

#include "shells.hpp"
#include "sums.hpp"
#include "thermostat.hpp"

namespace ridge::md {

namespace summing::inline RIDGE_TARGET_NAME {

template <class Access>
RIDGE_FN Index body_of(Access& access, const Some& bodies, Index n) {
  return bodies.is_part ? Index{access.load(bodies.part, n)} : n;
}

template <class T>
struct KickBody {
  static constexpr const char* name = "Langevin's kick";
  Langevin<T> l;

  template <class Access>
  RIDGE_FN void operator()(Access& access, Index n) const {
    if (l.halt.size != 0 && access.load_written(l.halt, pairs::ListHalt::halted) != 0) return;
    const Index i = body_of(access, l.bodies, n);
    double normal[4] = {};
    if (l.draws) draw(access, i, normal);
    for (int c = 0; c < 3; ++c) {
      T v = access.load_written(l.velocity[c], i);
      if (l.kick != 0) v += access.load(l.force[c], i) * l.kick;
      if (l.draws) v = static_cast<T>(l.kept * static_cast<double>(v) + l.noise * normal[c]);
      access.store(l.velocity[c], i, v);
    }
  }

private:
  template <class Access>
  RIDGE_FN void draw(Access& access, Index i, double* normal) const {
    Index step = l.step;
    if (l.begin.size != 0) {
      const unsigned moves = access.load_written(l.halt, pairs::ListHalt::moves);
      const auto before = static_cast<unsigned>(access.load(l.begin, 1));
      step = access.load(l.begin, 0) + Index{moves - before};
    }
    const std::uint64_t draws = draws_of(l.seed, step);
    for (int half = 0; half < 2; ++half) {
      const std::array<double, 2> two = normal_draws(draws, 2 * i + half);
      normal[2 * half] = two[0];
      normal[2 * half + 1] = two[1];
    }
  }
};

template <class T>
void kick_all(Queue& queue, const Langevin<T>& l) {
  spatial::for_each_item(queue, l.bodies.count(), KickBody<T>{l});
}

template <class T>
struct RescaleBody {
  static constexpr const char* name = "velocities rescaled";
  Rescaling<T> r;

  template <class Access>
  RIDGE_FN void operator()(Access& access, Index n) const {
    const Index i = body_of(access, r.bodies, n);
    for (int c = 0; c < 3; ++c)
      access.store(r.velocity[c], i, access.load_written(r.velocity[c], i) * r.factor);
  }
};

template <class T>
void rescale_all(Queue& queue, const Rescaling<T>& r) {
  spatial::for_each_item(queue, r.bodies.count(), RescaleBody<T>{r});
}

/// The bodies of a part: on GPUs those that lie as many apart as there are parts.
struct Part {
  Index begin, end, by;
};
RIDGE_FN Part part_of(Index part, Index parts, Index count) {
#if defined(RIDGE_TARGET_CPU)
  return {count * part / parts, count * (part + 1) / parts, 1};
#else
  return {part, count, parts};
#endif
}

/// A value that is no number is cut, too.
RIDGE_FN Index rounded(double x, double most) {
  if (!(x < most)) x = most;
  if (!(x > -most)) x = -most;
  return static_cast<Index>(x < 0 ? x - 0.5 : x + 0.5);
}

template <class T>
struct SumPart {
  static constexpr const char* name = "sums over bodies";
  BodySums<T> s;

  template <class Access>
  RIDGE_FN void operator()(Access& access, Index part) const {
    constexpr int count = BodySums<T>::count;
    Index sums[count] = {};
    const Part mine = part_of(part, s.sums.size / count, s.bodies.count());
    for (Index n = mine.begin; n < mine.end; n += mine.by) {
      const Index i = body_of(access, s.bodies, n);
      double terms[count] = {};
      for (int c = 0; c < 3; ++c) {
        const auto v = static_cast<double>(access.load(s.velocity[c], i));
        terms[0] += v * v;
        if (s.origin_velocity[0].size == 0) continue;
        terms[1] += v * access.load(s.origin_velocity[c], i);
        const double x = static_cast<double>(access.load(s.position[c], i)) +
                         access.load(s.images[c], i) * s.period[c];
        const double d = x - access.load(s.origin_position[c], i);
        terms[2] += d * d;
        terms[3 + c] = d;
        terms[6 + c] = v;
      }
      for (int k = 0; k < count; ++k)
        sums[k] += rounded(terms[k] * s.scale[k < 3 ? k : k / 3 + 2], s.most);
    }
    for (int k = 0; k < count; ++k)
      access.store(s.sums, count * part + k, sums[k]);
  }
};

template <class T>
void sum_bodies(Queue& queue, const BodySums<T>& s) {
  spatial::for_each_item(queue, s.sums.size / BodySums<T>::count, SumPart<T>{s});
}

template <class T>
struct CountPart {
  static constexpr const char* name = "sums of counts";
  CountSums<T> s;

  template <class Access>
  RIDGE_FN void operator()(Access& access, Index part) const {
    Index sums[shells_together] = {};
    const Part mine = part_of(part, s.sums.size / shells_together, s.bodies.count());
    for (Index n = mine.begin; n < mine.end; n += mine.by) {
      const Index i = body_of(access, s.bodies, n);
      for (int k = 0; k < shells_together; ++k)
        sums[k] += static_cast<Index>(access.load(s.counts[k], i));
    }
    for (int k = 0; k < shells_together; ++k)
      access.store(s.sums, shells_together * part + k, sums[k]);
  }
};

template <class T>
void sum_counts(Queue& queue, const CountSums<T>& s) {
  spatial::for_each_item(queue, s.sums.size / shells_together, CountPart<T>{s});
}

template <class T>
struct Offers {
  Offer kick{kind_of<Here>, typeid(Langevin<T>), &kick_all<T>};
  Offer rescale{kind_of<Here>, typeid(Rescaling<T>), &rescale_all<T>};
  Offer bodies{kind_of<Here>, typeid(BodySums<T>), &sum_bodies<T>};
  Offer counts{kind_of<Here>, typeid(CountSums<T>), &sum_counts<T>};
};
const Offers<float> floats;
const Offers<double> doubles;

} // namespace summing::inline RIDGE_TARGET_NAME

} // namespace ridge::md

namespace ridge::pairs {

template struct ListExecutor<md::CountShells, Fp32, Here>;
template struct ListExecutor<md::CountShells, Fp64, Here>;
template struct ListExecutor<md::CountShells, Mixed, Here>;

} // namespace ridge::pairs
