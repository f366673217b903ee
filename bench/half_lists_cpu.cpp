// Would lists of half of the pairs pay on a cpu? Each pair once, action and reaction, against each pair for both bodies.
//
//   g++ -O3 -march=native -std=c++20 -ffast-math bench/half_lists_cpu.cpp -o half_lists_cpu && ./half_lists_cpu [edge]
//
// Lennard-Jones on a cubic lattice of density 0.8442 whose sites are shaken a little, numbered in bricks, with open
// faces. One thread. Forces of all forms are compared. Prints milliseconds an evaluation, the least of several.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

template <class T>
constexpr int lanes = 64 / sizeof(T);
template <class T>
using Pack [[gnu::vector_size(64), gnu::aligned(8), gnu::may_alias]] = T;

template <class T>
struct Bodies {
  std::vector<T> x, y, z;
  int count() const { return static_cast<int>(x.size()); }
};

/// Neighbours in space are neighbours in number: bricks of 2 x 2 x W / 4 sites.
template <class T>
Bodies<T> shaken(int edge) {
  const double spacing = std::cbrt(1 / 0.8442);
  const int deep = lanes<T> / 4;
  std::srand(1);
  const auto at = [&](int site) { return static_cast<T>(spacing * (site + 0.2 * std::rand() / RAND_MAX)); };
  Bodies<T> b;
  for (int brick = 0; brick < edge / 2 * (edge / 2) * (edge / deep); ++brick) {
    const int bx = brick % (edge / 2), by = brick / (edge / 2) % (edge / 2), bz = brick / (edge / 2) / (edge / 2);
    for (int n = 0; n < lanes<T>; ++n) {
      b.x.push_back(at(2 * bx + n % 2));
      b.y.push_back(at(2 * by + n / 2 % 2));
      b.z.push_back(at(deep * bz + n / 4));
    }
  }
  return b;
}

template <class T>
struct Lists {
  std::vector<int> first{0}, entries;
};

/// Of each pack of targets: bodies near any of them (`of_packs`); or of `group` bodies: packs with a body near them.
template <class T>
Lists<T> listed(const Bodies<T>& b, bool of_packs, bool half, int group = 1) {
  constexpr int W = lanes<T>;
  const T reach2 = T(2.8) * T(2.8);
  const auto near = [&](int i, int j) {
    const T x = b.x[i] - b.x[j], y = b.y[i] - b.y[j], z = b.z[i] - b.z[j];
    return x * x + y * y + z * z < reach2;
  };
  Lists<T> l;
  const int packs = b.count() / W;
  std::vector<int> close;
  for (int p = 0; p < packs; ++p) {
    close.clear(); // packs that may be near this one
    for (int q = 0; q < packs; ++q) {
      const T x = b.x[p * W] - b.x[q * W], y = b.y[p * W] - b.y[q * W], z = b.z[p * W] - b.z[q * W];
      if (x * x + y * y + z * z < T(12 * 12)) close.push_back(q);
    }
    if (of_packs) {
      for (const int q : close) {
        for (int j = q * W; q != p && j < (q + 1) * W; ++j) {
          bool any = false;
          for (int i = p * W; i < (p + 1) * W; ++i)
            any |= near(i, j);
          if (any) l.entries.push_back(j);
        }
      }
      l.first.push_back(static_cast<int>(l.entries.size()));
      continue;
    }
    for (int i = p * W; i < (p + 1) * W; i += group) {
      for (const int q : close) {
        bool any = false;
        for (int n = 0; n < group * W; ++n)
          any |= near(i + n / W, q * W + n % W);
        if (any && q != p && (!half || q > p)) l.entries.push_back(q);
      }
      l.first.push_back(static_cast<int>(l.entries.size()));
    }
  }
  return l;
}

/// What multiplies the difference of positions; 0 of a body with itself.
template <class V>
V weight(const V& r2) {
  const V inverse = 1 / r2;
  const V s6 = inverse * inverse * inverse;
  const V w = 24 * inverse * s6 * (2 * s6 - 1);
  return r2 < 6.25F && r2 > 0 ? w : w * 0;
}

template <class V, class T>
V load(const std::vector<T>& v, int i) {
  return *reinterpret_cast<const V*>(v.data() + i);
}
template <class V>
auto added_up(const V& v) {
  auto sum = v[0];
  for (unsigned l = 1; l < sizeof(V) / sizeof(v[0]); ++l)
    sum += v[l];
  return sum;
}

/// As Ridge: packs of targets, one source after the other.
template <class T>
void packs_of_targets(const Bodies<T>& b, const Lists<T>& l, Bodies<T>& f) {
  using V = Pack<T>;
  constexpr int W = lanes<T>;
  for (int p = 0; p < b.count() / W; ++p) {
    const V x = load<V>(b.x, p * W), y = load<V>(b.y, p * W), z = load<V>(b.z, p * W);
    V fx{}, fy{}, fz{};
    const auto meet = [&](int j) {
      const V dx = x - b.x[j], dy = y - b.y[j], dz = z - b.z[j];
      V r2 = dx * dx + dy * dy + dz * dz;
      const V w = weight<V>(r2);
      fx += w * dx;
      fy += w * dy;
      fz += w * dz;
    };
    for (int e = l.first[p]; e < l.first[p + 1]; ++e)
      meet(l.entries[e]);
    for (int j = p * W; j < (p + 1) * W; ++j) {
      const V dx = x - b.x[j], dy = y - b.y[j], dz = z - b.z[j];
      V r2 = dx * dx + dy * dy + dz * dz;
      r2[j % W] = 1e9F;
      const V w = weight<V>(r2);
      fx += w * dx;
      fy += w * dy;
      fz += w * dz;
    }
    *reinterpret_cast<V*>(f.x.data() + p * W) = fx;
    *reinterpret_cast<V*>(f.y.data() + p * W) = fy;
    *reinterpret_cast<V*>(f.z.data() + p * W) = fz;
  }
}

/// A few targets, packs of sources; `Half`: these get their reactions, which the sums of a thread hold.
template <bool Half, int Group, class T>
void packs_of_sources(const Bodies<T>& b, const Lists<T>& l, Bodies<T>& f) {
  using V = Pack<T>;
  constexpr int W = lanes<T>;
  if (Half) {
    for (auto* const v : {&f.x, &f.y, &f.z})
      std::fill(v->begin(), v->end(), T(0));
  }
  for (int i = 0; i < b.count(); i += Group) {
    V fx[Group]{}, fy[Group]{}, fz[Group]{};
    const auto meet = [&](int j, bool own) {
      const V sx = load<V>(b.x, j), sy = load<V>(b.y, j), sz = load<V>(b.z, j);
      V ax{}, ay{}, az{};
      for (int k = 0; k < Group; ++k) {
        const V dx = b.x[i + k] - sx, dy = b.y[i + k] - sy, dz = b.z[i + k] - sz;
        V r2 = dx * dx + dy * dy + dz * dz;
        if (own) r2[(i + k) % W] = 1e9F;
        const V w = weight<V>(r2);
        const V wx = w * dx, wy = w * dy, wz = w * dz;
        fx[k] += wx;
        fy[k] += wy;
        fz[k] += wz;
        ax += wx;
        ay += wy;
        az += wz;
      }
      if (Half && !own) {
        *reinterpret_cast<V*>(f.x.data() + j) -= ax;
        *reinterpret_cast<V*>(f.y.data() + j) -= ay;
        *reinterpret_cast<V*>(f.z.data() + j) -= az;
      }
    };
    for (int e = l.first[i / Group]; e < l.first[i / Group + 1]; ++e)
      meet(l.entries[e] * W, false);
    meet(i / W * W, true);
    for (int k = 0; k < Group; ++k) {
      f.x[i + k] = (Half ? f.x[i + k] : T(0)) + added_up(fx[k]);
      f.y[i + k] = (Half ? f.y[i + k] : T(0)) + added_up(fy[k]);
      f.z[i + k] = (Half ? f.z[i + k] : T(0)) + added_up(fz[k]);
    }
  }
}

template <class F>
double milliseconds(const F& run) {
  double least = 1e9;
  for (int n = 0; n < 12; ++n) {
    const auto begin = std::chrono::steady_clock::now();
    run();
    least = std::min(least, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return 1e3 * least;
}

template <int Group, class T>
void compare(const Bodies<T>& b, const Bodies<T>& whole) {
  Bodies<T> sums = b;
  for (const bool half : {false, true}) {
    const auto lists = listed(b, false, half, Group);
    const double took = milliseconds([&] {
      half ? packs_of_sources<true, Group>(b, lists, sums) : packs_of_sources<false, Group>(b, lists, sums);
    });
    double off = 0, most = 0;
    for (int i = 0; i < b.count(); ++i) {
      most = std::max<double>(most, std::abs(whole.x[i]));
      off = std::max<double>(off, std::abs(whole.x[i] - sums.x[i]));
    }
    std::printf("  %s, %d targets: %.3f ms, %.1f packs a body, differ by %.1e\n", half ? "half" : "whole", Group, took,
                static_cast<double>(lists.entries.size()) * Group / b.count(), off / most);
  }
}

template <class T>
void compare(int edge) {
  const Bodies<T> b = shaken<T>(edge);
  Bodies<T> whole = b;
  const auto lists = listed(b, true, false);
  const double took = milliseconds([&] { packs_of_targets(b, lists, whole); });
  std::printf("%d bodies, packs of %d: as Ridge %.3f ms, %.1f packs a body\n", b.count(), lanes<T>, took,
              static_cast<double>(lists.entries.size()) / b.count());
  compare<1>(b, whole);
  compare<2>(b, whole);
  compare<4>(b, whole);
}

} // namespace

int main(int argc, char** argv) {
  const int edge = argc > 1 ? std::atoi(argv[1]) / 4 * 4 : 32;
  compare<float>(edge);
  compare<double>(edge);
}
