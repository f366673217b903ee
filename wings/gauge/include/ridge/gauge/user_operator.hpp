// An operator in a file of the user's (ridge/lattice/site_operator.hpp): random links
// and values, checked against the operator itself on the host, in numbers that carry a bound of
// their rounding.
#pragma once

#include <ridge/device/offer.hpp>
#include <ridge/gauge/site_operator.hpp>
#include <ridge/gauge/stored_over_ranks.hpp>
#include <ridge/pattern/deviation.hpp>
#include <ridge/pattern/user_kernel.hpp>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>

namespace ridge::lattice {

// Bounds are asked of few sites. Written out wherever an operator multiplies by a link, their
// arithmetic was half of what a description takes to compile.

template <class T>
[[gnu::noinline]] Complex<BoundedPack<T>> operator*(const Complex<BoundedPack<T>>& a,
                                                    const Complex<BoundedPack<T>>& b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
template <class T>
[[gnu::noinline]] Complex<BoundedPack<T>> operator+(const Complex<BoundedPack<T>>& a,
                                                    const Complex<BoundedPack<T>>& b) {
  return {a.re + b.re, a.im + b.im};
}
template <class T>
[[gnu::noinline]] Complex<BoundedPack<T>> operator-(const Complex<BoundedPack<T>>& a,
                                                    const Complex<BoundedPack<T>>& b) {
  return {a.re - b.re, a.im - b.im};
}
template <class T, int N>
[[gnu::noinline]] Vector<Complex<BoundedPack<T>>, N>
operator*(const Matrix<Complex<BoundedPack<T>>, N>& a,
          const Vector<Complex<BoundedPack<T>>, N>& b) {
  Vector<Complex<BoundedPack<T>>, N> c;
  for (int i = 0; i < N; ++i) {
    c.e[i] = a(i, 0) * b.e[0];
    for (int k = 1; k < N; ++k)
      c.e[i] = c.e[i] + a(i, k) * b.e[k];
  }
  return c;
}

} // namespace ridge::lattice

namespace ridge::gauge {

/// A site as an operator F sees it on the host. Numbers are V, of links and values as T stores
/// them.
template <class F, class T, class V>
class HostOperatorSite {
public:
  using Number = V;
  using Site = typename F::template Site<V>;
  using Link = ColourMatrix<V>;

  /// `two_rows`: links are stored as such.
  HostOperatorSite(const RandomWorld& world, const int (&x)[4], bool two_rows)
      : world_(world), two_rows_(two_rows) {
    for (std::size_t d = 0; d < 4; ++d)
      x_[d] = x[d];
  }
  [[nodiscard]] static V number(double x) { return V(static_cast<T>(x)); }
  [[nodiscard]] static Site zero() {
    Site none;
    for (int c = 0; c < lattice::components_of<Site>; ++c)
      component(none, c) = {number(0), number(0)};
    return none;
  }
  [[nodiscard]] Site here() const { return value(0, 0); }
  template <int Mu>
  [[nodiscard]] Site ahead(lattice::Direction<Mu> /*mu*/) const {
    return value(Mu, 1);
  }
  template <int Mu>
  [[nodiscard]] Site behind(lattice::Direction<Mu> /*mu*/) const {
    return value(Mu, -1);
  }
  template <int Mu>
  [[nodiscard]] Link link(lattice::Direction<Mu> /*mu*/) const {
    return link_at(Mu, 0);
  }
  template <int Mu>
  [[nodiscard]] Link link_behind(lattice::Direction<Mu> /*mu*/) const {
    return link_at(Mu, -1);
  }

private:
  struct Place {
    int x[4];
  };
  [[nodiscard]] Place moved(int mu, int by) const {
    Place to{{x_[0], x_[1], x_[2], x_[3]}};
    const int n = world_.extents()[static_cast<std::size_t>(mu)];
    to.x[mu] = (to.x[mu] + by + n) % n;
    return to;
  }
  /// As memory holds it: exact, in either kind of V.
  template <class To, class From>
  [[gnu::noinline]] static void store(To& to, const From& from) {
    for (int c = 0; c < lattice::components_of<To>; ++c) {
      const double re = static_cast<double>(static_cast<T>(component(from, c).re));
      const double im = static_cast<double>(static_cast<T>(component(from, c).im));
      component(to, c) = {V::load(&re), V::load(&im)};
    }
  }
  [[nodiscard, gnu::noinline]] Site value(int mu, int by) const {
    Site all;
    store(all, world_.value<typename F::template Site<double>>(moved(mu, by).x, 0));
    return all;
  }
  [[nodiscard, gnu::noinline]] Link link_at(int mu, int by) const {
    Link all;
    store(all, world_.link(moved(mu, by).x, mu));
    if (two_rows_) lattice::complete_rows(all, V(1));
    return all;
  }

  const RandomWorld& world_;
  bool two_rows_;
  int x_[4] = {};
};

/// Compares what F gave with F on the host; each number is held to its own terms. `poison` is what
/// `out` held before.
template <class F, class T>
[[nodiscard, gnu::noinline]] Check
check_operator(Queue& queue, const OperatorField<F, T>& out, const StoredPart& part,
               const RandomWorld& world, const F& functor, bool two_rows, unsigned char poison) {
  constexpr int reals = lattice::reals_of<typename F::template Site<T>>;
  const auto result = [&]<class V>(V /*one*/, const int(&x)[4]) {
    return functor(HostOperatorSite<F, T, V>(world, x, two_rows));
  };
  Deviation all;
  std::mutex guard;
  std::atomic<double> seen = 0;
  out.visit(queue, [&](const int(&own)[4], int, const auto& got) {
    if (!part.owns(own)) return;
    int x[4];
    part.to_whole(own, x);
    const auto right = result(Pack<double, 1, abi::Array>(), x);
    std::optional<typename F::template Site<BoundedPack<T>>> bounded;
    Deviation mine;
    mine.max_error = seen.load(std::memory_order_relaxed);
    const double before = mine.max_error;
    for (int r = 0; r < reals; ++r) {
      const auto real_of = [r](const auto& tensor) {
        const auto& z = component(tensor, r / 2);
        return r % 2 == 0 ? z.re : z.im;
      };
      mine.compare(static_cast<T>(real_of(got)), real_of(right)[0], poisoned<T>(poison),
                   {world.site(x) * reals + r, 0, 0}, [&] {
                     if (!bounded) bounded = result(BoundedPack<T>(), x);
                     return real_of(*bounded).bound + rounding_of<T>(real_of(right)[0]);
                   });
    }
    if (mine.max_error == before && mine.unwritten == 0 && !mine.odd) return;
    const std::lock_guard lock(guard);
    all.add(mine);
    seen = std::max(seen.load(), mine.max_error);
  });
  return judge(all, bounded_unit<T>, [&](Index3 at) {
    std::string text = "number " + std::to_string(at.x % reals) + " of the site ";
    Index rest = at.x / reals;
    for (int d = 0; d < 4; ++d) {
      const int n = world.extents()[static_cast<std::size_t>(d)];
      text += (d > 0 ? "," : "") + std::to_string(rest % n);
      rest /= n;
    }
    return text;
  });
}

template <class K>
class OperatorCase final : public StoredOverRanks<K, typename K::Tensor, typename K::Real> {
  using Base = StoredOverRanks<K, typename K::Tensor, typename K::Real>;
  using T = typename K::Real;
  using F = typename K::Operator;
  static constexpr int link_reals_of = K::LinkView::Code::reals;

public:
  [[nodiscard]] static StoredUse use() {
    constexpr int reals = lattice::reals_of<typename K::Tensor>;
    constexpr double value = decltype(K::psi)::Code::site_bytes;
    // A sum, a link, and what it multiplies: at most two colour vectors at once.
    return {value,    F::links ? double{K::LinkView::Code::site_bytes} : 0,
            0,        value,
            F::flops, reals + 18 + 2 * std::min(reals, 12)};
  }
  OperatorCase(const std::string& name, const BenchRequest& request, const StoredPart& part,
               const SiteGrid& grid, const F& functor)
      : Base(name, request, grid, use(), part),
        links_(this->queue_, F::links ? this->grids() : std::vector<SiteGrid>{},
               part.placed([&](const int (&x)[4], int mu) { return this->world_.link(x, mu); })) {
    this->fill_psi();
    this->call_ = operator_call(this->out_, links_, this->psi_, functor);
  }
  [[nodiscard]] Check check() override {
    this->note_bits();
    return check_operator<F, T>(this->queue_, this->out_, this->part_, this->world_,
                                this->call_.kernel.functor, K::LinkView::Code::two_rows,
                                this->poison_byte);
  }

private:
  [[nodiscard]] typename Base::Host value(const int (&x)[4], int /*s*/) const override {
    return this->world_.template value<typename Base::Host>(x, 0);
  }
  StoredLinks<T, link_reals_of> links_;
};

template <class F>
[[nodiscard]] BenchKernel operator_kernel(const std::string& name, const F& functor,
                                          const std::string& file, const std::string& flags) {
  const auto know = [&]<class K>() { know_source(typeid(StoredCall<K>), file, flags); };
  know.template operator()<lattice::OperatorKernel<F, double, 18>>();
  know.template operator()<lattice::OperatorKernel<F, double, 12>>();
  know.template operator()<lattice::OperatorKernel<F, float, 18>>();
  know.template operator()<lattice::OperatorKernel<F, float, 12>>();
  return stored_kernel(
      name, "an operator of " + name, {F::even_odd ? Sites::even : Sites::all},
      [=](const BenchRequest& request, const auto& made) {
        return with_links(name, request, 18, [&]<class T, int Reals>() {
          return made.template operator()<OperatorCase<lattice::OperatorKernel<F, T, Reals>>>(
              functor);
        });
      });
}

} // namespace ridge::gauge

namespace ridge {

template <class K>
requires std::is_base_of_v<lattice::SiteOperator, K>
struct DescriptionOf<K> {
  template <KernelUse For>
  [[nodiscard]] static DescribedKernel describe(const std::string& name, const K& kernel,
                                                const std::string& file, const std::string& flags) {
    static_assert(
        requires { typename K::template Site<double>; },
        "an operator says what a site holds: template <class T> using Site = "
        "ridge::lattice::ColourVector<T>;");
    static_assert(
        requires { K::flops; },
        "an operator says its operations a result: static constexpr double flops = 582;");
    return {gauge::operator_kernel(name, kernel, file, flags),
            name + " is an operator on lattice fields; apply takes stencils"};
  }
};

} // namespace ridge
