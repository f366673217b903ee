// The lab's other operators of lattice gauge theory: Wilson with the clover term, staggered.
#include <ridge/gauge/clover_term.hpp>
#include <ridge/gauge/staggered.hpp>

#include "benches.hpp"
#include "kernels/lattice_stored_case.hpp"

namespace ridge::lab {

namespace {

template <class Number>
using RealOf = typename StoredNumber<Number>::Real;

// Wilson with the clover term.

template <class Number, int Reals>
StoredUse clover_use() {
  using Kernel = gauge::Clover<Number, Reals>;
  constexpr double spinor = decltype(Kernel::Plain::psi)::Code::site_bytes;
  constexpr double block = decltype(Kernel::upper)::Code::site_bytes;
  return {spinor,
          Kernel::Plain::LinkView::Code::site_bytes,
          spinor + 2 * block,
          spinor,
          Kernel{}.flops(),
          90};
}

/// out = C psi' + H psi from odd to even sites, with blocks C of random numbers.
template <class Number, int Reals>
class CloverCase final
    : public StoredCase<gauge::Clover<Number, Reals>, gauge::Spinor<RealOf<Number>>, Number> {
  using Base = StoredCase<gauge::Clover<Number, Reals>, gauge::Spinor<RealOf<Number>>, Number>;
  using Block = gauge::CloverBlock<double>;

public:
  CloverCase(const BenchRequest& request, const StoredPart& part)
      : Base("clover", request, part.grid(request.device, Sites::even, Base::real_bytes),
             clover_use<Number, Reals>(), part),
        links_(this->queue_, this->grids(),
               part.placed([&](const int (&x)[4], int mu) { return this->world_.link(x, mu); })),
        source_(this->queue_.device(), this->grid_, "source"),
        upper_(this->queue_.device(), this->grid_, "clover"),
        lower_(this->queue_.device(), this->grid_, "clover") {
    this->fill_psi();
    source_.fill(this->queue_,
                 part.placed([&](const int(&x)[4], int) { return this->world_.spinor(x, 1); }));
    upper_.fill(this->queue_, part.placed([&](const int(&x)[4], int) { return block(x, 0); }));
    lower_.fill(this->queue_, part.placed([&](const int(&x)[4], int) { return block(x, 1); }));
    auto& kernel = this->call_.kernel;
    this->call_.grid = this->grid_;
    kernel.plain = gauge::dslash_call(this->out_, links_, this->psi_, source_, 1, 1).kernel;
    kernel.upper = upper_.view();
    kernel.lower = lower_.view();
  }

private:
  [[nodiscard]] gauge::Spinor<double> value(const int (&x)[4], int) const override {
    return this->world_.spinor(x, 0);
  }
  [[nodiscard]] Block block(const int (&x)[4], int chirality) const {
    Block b;
    const std::int64_t first = (2 * this->world_.site(x) + chirality) * 36;
    for (int c = 0; c < 18; ++c)
      b(c) = {random_value(4, first + 2 * c), random_value(4, first + 2 * c + 1)};
    return b;
  }
  [[nodiscard]] gauge::Expected expected(const int (&x)[4], int) const override {
    gauge::Expected right = expected_hopping(this->world_, x, 0);
    const auto source = this->world_.spinor(x, 1);
    for (int chirality = 0; chirality < 2; ++chirality) {
      std::array<gauge::Complex<double>, 6> part;
      for (int c = 0; c < 6; ++c)
        part[static_cast<std::size_t>(c)] = component(source, 6 * chirality + c);
      const auto times = gauge::product(block(x, chirality), part);
      for (std::size_t c = 0; c < 6; ++c) {
        const auto to = static_cast<std::size_t>(6 * chirality) + c;
        right.value[to] += std::complex(times[c].re, times[c].im);
        right.scale[to] += 12;
      }
    }
    return right;
  }

  gauge::StoredLinks<Number, Reals> links_;
  StoredField<gauge::Spinor<RealOf<Number>>, Number> source_;
  StoredField<gauge::CloverBlock<RealOf<Number>>, Number> upper_, lower_;
};

template <class Made>
auto clover_as(const BenchRequest& request, const Made& made) {
  return with_links("clover", request, 12, made);
}

// Staggered.

template <class Number>
StoredUse staggered_use() {
  using Kernel = gauge::Staggered<Number>;
  constexpr double vector = decltype(Kernel::psi)::Code::site_bytes;
  using LinkView = StoredView<const gauge::ColourMatrix<RealOf<Number>>, Number>;
  return {vector, LinkView::Code::site_bytes, 0, vector, Kernel{}.flops(), 36};
}

/// The hopping term from odd to even sites.
template <class Number>
class StaggeredCase final
    : public StoredCase<gauge::Staggered<Number>, gauge::ColourVector<RealOf<Number>>, Number> {
  using Base = StoredCase<gauge::Staggered<Number>, gauge::ColourVector<RealOf<Number>>, Number>;

public:
  StaggeredCase(const BenchRequest& request, const StoredPart& part)
      : Base("staggered", request, part.grid(request.device, Sites::even, Base::real_bytes),
             staggered_use<Number>(), part),
        links_(this->queue_, this->grids(),
               part.placed([&](const int (&x)[4], int mu) { return link(x, mu); })) {
    this->fill_psi();
    auto& kernel = this->call_.kernel;
    this->call_.grid = this->grid_;
    for (int mu = 0; mu < gauge::dimensions; ++mu) {
      kernel.links[0][mu] = links_.of(this->grid_, mu).view();
      kernel.links[1][mu] = links_.of(opposite(this->grid_), mu).view();
    }
    kernel.psi = this->psi_.view();
    kernel.out = this->out_.view();
  }

private:
  [[nodiscard]] gauge::ColourMatrix<double> link(const int (&x)[4], int mu) const {
    return static_cast<double>(gauge::staggered_phase(x, mu)) * this->world_.link(x, mu);
  }
  [[nodiscard]] gauge::ColourVector<double> value(const int (&x)[4], int) const override {
    return this->world_.spinor(x, 0)(0);
  }
  [[nodiscard]] gauge::Expected expected(const int (&x)[4], int) const override {
    gauge::Expected right;
    for (int mu = 0; mu < 4; ++mu) {
      const int n = this->world_.extents()[static_cast<std::size_t>(mu)];
      for (const int by : {1, -1}) {
        int y[4] = {x[0], x[1], x[2], x[3]};
        y[mu] = (x[mu] + by + n) % n;
        const auto u = by > 0 ? link(x, mu) : adj(link(y, mu));
        const auto v = value(y, 0);
        for (int row = 0; row < 3; ++row) {
          for (int k = 0; k < 3; ++k) {
            const std::complex<double> a(u(row, k).re, u(row, k).im), b(v(k).re, v(k).im);
            right.value[static_cast<std::size_t>(row)] += static_cast<double>(by) * a * b;
            right.scale[static_cast<std::size_t>(row)] += gauge::size_of(a) * gauge::size_of(b);
          }
        }
      }
    }
    return right;
  }

  gauge::StoredLinks<Number, 18> links_;
};

template <class Made>
auto staggered_as(const BenchRequest& request, const Made& made) {
  if (link_reals("staggered", request, 18) != 18)
    throw UsageError("links of staggered hold the phases: all 18 numbers are stored");
  return in_precision(request.precision, "staggered",
                      [&]<class T>(T /*number*/) { return made.template operator()<T>(); });
}

template <class Kernel>
std::unique_ptr<Menu> menu_for(const BenchRequest& request, const Place& place,
                               const StoredUse& use) {
  constexpr auto traits = Pattern<StoredCall<Kernel>>::traits;
  return stored_menu(site_grid(place.device, request.size, Sites::even, traits.real_bytes), traits,
                     use, place);
}

} // namespace

void add_clover(std::vector<BenchKernel>& kernels) {
  const auto add = [&](const char* name, const char* meaning, auto make_case, auto make_menu) {
    BenchKernel kernel{name, "lattice", meaning, Extents{32, 32, 32, 32},
                       [=](const BenchRequest& request, RoofSource&) {
                         return make_case(request, stored_share(name, request, true));
                       }};
    kernel.make_menu = make_menu;
    kernel.over_ranks = true;
    kernels.push_back(kernel);
  };
  add(
      "clover", "the clover term of even sites and the hopping term from odd ones",
      [](const BenchRequest& request, const StoredPart& part) {
        return clover_as(request, [&]<class Number, int Reals>() -> std::unique_ptr<Case> {
          return std::make_unique<CloverCase<Number, Reals>>(request, part);
        });
      },
      [](const BenchRequest& request, const Place& place) {
        return clover_as(request, [&]<class Number, int Reals>() {
          return menu_for<gauge::Clover<Number, Reals>>(request, place,
                                                        clover_use<Number, Reals>());
        });
      });
  add(
      "staggered", "the staggered hopping term from odd to even sites",
      [](const BenchRequest& request, const StoredPart& part) {
        return staggered_as(request, [&]<class Number>() -> std::unique_ptr<Case> {
          return std::make_unique<StaggeredCase<Number>>(request, part);
        });
      },
      [](const BenchRequest& request, const Place& place) {
        return staggered_as(request, [&]<class Number>() {
          return menu_for<gauge::Staggered<Number>>(request, place, staggered_use<Number>());
        });
      });
}

} // namespace ridge::lab
