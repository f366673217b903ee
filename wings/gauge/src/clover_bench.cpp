// More operators of lattice gauge theory among the kernels: Wilson with the clover term, staggered.
#include <ridge/gauge/clover_term.hpp>
#include <ridge/gauge/staggered.hpp>

#include "checked_case.hpp"
#include "core/refuse.hpp"

namespace ridge::gauge {

namespace {

template <class Number>
using RealOf = typename StoredNumber<Number>::Real;

// Wilson with the clover term.

/// out = C psi' + H psi from odd to even sites, with blocks C of random numbers.
template <class Number, int Reals>
class CloverCase final : public StoredCase<Clover<Number, Reals>, Spinor<RealOf<Number>>, Number> {
  using Kernel = Clover<Number, Reals>;
  using Base = StoredCase<Kernel, Spinor<RealOf<Number>>, Number>;
  using Block = CloverBlock<double>;

public:
  [[nodiscard]] static StoredUse use() {
    constexpr double spinor = decltype(Kernel::Plain::psi)::Code::site_bytes;
    constexpr double block = decltype(Kernel::upper)::Code::site_bytes;
    return {spinor,
            Kernel::Plain::LinkView::Code::site_bytes,
            spinor + 2 * block,
            spinor,
            Kernel{}.flops(),
            90};
  }
  CloverCase(const std::string& name, const BenchRequest& request, const StoredPart& part,
             const SiteGrid& grid)
      : Base(name, request, grid, use(), part),
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
    kernel.plain = dslash_call(this->out_, links_, this->psi_, source_, 1, 1).kernel;
    kernel.upper = upper_.view();
    kernel.lower = lower_.view();
  }

private:
  [[nodiscard]] Spinor<double> value(const int (&x)[4], int) const override {
    return this->world_.spinor(x, 0);
  }
  [[nodiscard]] Block block(const int (&x)[4], int chirality) const {
    Block b;
    const std::int64_t first = (2 * this->world_.site(x) + chirality) * 36;
    for (int c = 0; c < 18; ++c)
      b(c) = {random_value(4, first + 2 * c), random_value(4, first + 2 * c + 1)};
    return b;
  }
  [[nodiscard]] Expected expected(const int (&x)[4], int) const override {
    Expected right = expected_hopping(this->world_, x, 0);
    const auto source = this->world_.spinor(x, 1);
    for (int chirality = 0; chirality < 2; ++chirality) {
      std::array<Complex<double>, 6> part;
      for (int c = 0; c < 6; ++c)
        part[static_cast<std::size_t>(c)] = component(source, 6 * chirality + c);
      const auto times = product(block(x, chirality), part);
      for (std::size_t c = 0; c < 6; ++c) {
        const auto to = static_cast<std::size_t>(6 * chirality) + c;
        right.value[to] += std::complex(times[c].re, times[c].im);
        right.scale[to] += 12;
      }
    }
    return right;
  }

  StoredLinks<Number, Reals> links_;
  StoredField<Spinor<RealOf<Number>>, Number> source_;
  StoredField<CloverBlock<RealOf<Number>>, Number> upper_, lower_;
};

// Staggered.

/// The hopping term from odd to even sites.
template <class Number>
class StaggeredCase final
    : public StoredCase<Staggered<Number>, ColourVector<RealOf<Number>>, Number> {
  using Kernel = Staggered<Number>;
  using Base = StoredCase<Kernel, ColourVector<RealOf<Number>>, Number>;

public:
  [[nodiscard]] static StoredUse use() {
    constexpr double vector = decltype(Kernel::psi)::Code::site_bytes;
    using LinkView = StoredView<const ColourMatrix<RealOf<Number>>, Number>;
    return {vector, LinkView::Code::site_bytes, 0, vector, Kernel{}.flops(), 36};
  }
  StaggeredCase(const std::string& name, const BenchRequest& request, const StoredPart& part,
                const SiteGrid& grid)
      : Base(name, request, grid, use(), part),
        links_(this->queue_, this->grids(),
               part.placed([&](const int (&x)[4], int mu) { return link(x, mu); })) {
    this->fill_psi();
    auto& kernel = this->call_.kernel;
    this->call_.grid = this->grid_;
    for (int mu = 0; mu < dimensions; ++mu) {
      kernel.links[0][mu] = links_.of(this->grid_, mu).view();
      kernel.links[1][mu] = links_.of(opposite(this->grid_), mu).view();
    }
    kernel.psi = this->psi_.view();
    kernel.out = this->out_.view();
  }

private:
  [[nodiscard]] ColourMatrix<double> link(const int (&x)[4], int mu) const {
    return static_cast<double>(staggered_phase(x, mu)) * this->world_.link(x, mu);
  }
  [[nodiscard]] ColourVector<double> value(const int (&x)[4], int) const override {
    return this->world_.spinor(x, 0)(0);
  }
  [[nodiscard]] Expected expected(const int (&x)[4], int) const override {
    Expected right;
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
            right.scale[static_cast<std::size_t>(row)] += size_of(a) * size_of(b);
          }
        }
      }
    }
    return right;
  }

  StoredLinks<Number, 18> links_;
};

} // namespace

const KernelsAnnounced clover_kernels(4, [] {
  return std::vector{
      stored_kernel("clover", "the clover term of even sites and the hopping term from odd ones",
                    {Sites::even},
                    [](const BenchRequest& request, const auto& made) {
                      return with_links("clover", request, 12, [&]<class Number, int Reals>() {
                        return made.template operator()<CloverCase<Number, Reals>>();
                      });
                    }),
      stored_kernel("staggered", "the staggered hopping term from odd to even sites", {Sites::even},
                    [](const BenchRequest& request, const auto& made) {
                      refuse_if(link_reals("staggered", request, 18) != 18,
                                "links of staggered hold the phases: all 18 numbers are stored");
                      return in_precision(request.precision, "staggered", [&]<class T>(T) {
                        return made.template operator()<StaggeredCase<T>>();
                      });
                    })};
});

} // namespace ridge::gauge
