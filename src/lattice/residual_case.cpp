#include <ridge/device/generate.hpp>
#include <ridge/lattice/case.hpp>
#include <ridge/lattice/rank_reduce_expression.hpp>
#include <ridge/lattice/residual.hpp>
#include <ridge/lattice/width.hpp>
#include <ridge/pattern/precision.hpp>
#include <ridge/pattern/rank_shares.hpp>
#include <ridge/record/numbers.hpp>

#include "sum_over_ranks.hpp"

namespace ridge::lattice {

namespace {

/// Random fields and a call on them.
template <class T, bool Exact>
struct OwnResidual {
  OwnResidual(const Device& device, const Lattice& on)
      : queue(device), f{field<ColourMatrix<T>>(on, "u", 1), field<ColourVector<T>>(on, "x", 2),
                         field<ColourVector<T>>(on, "b", 3)},
        result(device), call(call_of()) {}

  Queue queue;
  ResidualFields<T> f;
  DeviceResult<double> result;
  SiteReduceCall<ResidualNorm2<T, Exact>> call;

private:
  template <class Site>
  Field<Site> field(const Lattice& on, const char* what, std::uint64_t seed) {
    Field<Site> all(queue.device(), on, what);
    fill_random(queue, all.reals(), seed);
    return all;
  }
  [[nodiscard]] auto call_of() const {
    if constexpr (Exact) {
      return reduce_call(Norm2{}, reproducible(residual(f)), result);
    } else {
      return reduce_call(Norm2{}, residual(f), result);
    }
  }
};

/// The case of fields of its own, against the norm of the residual as another kernel stores it, in
/// plain loops.
template <class T, bool Exact>
std::unique_ptr<Case> case_of_residual(const std::string& name,
                                       const std::shared_ptr<OwnResidual<T, Exact>>& own) {
  const auto& f = own->f;
  const auto expected = [&f](Queue& queue) {
    Field<ColourVector<T>> z(queue.device(), f.x.lattice(), "z");
    Program(queue, assign_call(z, residual(f))).run();
    const DeviceResult<double> nowhere(queue.device());
    return expected_results(queue, reduce_call(Norm2{}, z, nowhere));
  };
  T* const u = f.u.reals().data;
  return case_of(name, own->queue, own->call,
                 {expected,
                  sizeof(T) == 8 ? 1e-12 : 1e-6,
                  f.u.bytes() + f.x.bytes() + f.b.bytes(),
                  {MemoryRoof::Kind::read, f.u.bytes(), u, u, nullptr}},
                 own);
}

/// A complex number of plain loops, each operation of which is rounded by itself where T is float
/// or double.
template <class T>
struct PlainNumber {
  T re = 0, im = 0;
};
template <class T>
T rounded_product(T a, T b) {
  if constexpr (std::is_same_v<T, long double>) {
    return a * b;
  } else {
    return detail::opaque(a * b);
  }
}

/// The reproducible sum over ranks. Where messages need no host, every rank's device has the
/// result, as on one rank: nobody waits.
template <class T>
class RankResidualCase final : public SumOverRanks {
public:
  RankResidualCase(const std::string& name, const Device& device, comm::Communicator& ranks,
                   const RankLattice& part)
      : SumOverRanks(name, precision_name<T>(), ranks, part),
        own_(std::make_shared<Own>(device, part.held())), one_(case_of_residual(name, own_)),
        reduction_(ranks_, own_->queue, part,
                   detail::summand_of(Norm2{}, reproducible(residual(own_->f))), Subset::all,
                   {.name = name}) {
    const auto set = [&](const auto& field, std::uint64_t seed) {
      set_site_numbers(own_->queue, field.reals(), field.shape(), part, seed);
    };
    set(own_->f.u, seed_u);
    set(own_->f.x, seed_x);
    set(own_->f.b, seed_b);
  }

  [[nodiscard]] Queue& queue() override { return own_->queue; }
  [[nodiscard]] Subject subject() const override { return one_->subject(); }
  [[nodiscard]] std::unique_ptr<Menu> menu_at(const ridge::Place& place) const override {
    return one_->menu_at(place);
  }
  [[nodiscard]] Limit limit() const override { return one_->limit(); }
  void poison() override { total_ = -1; }
  /// Against plain loops over the sites on the host: the same bits, and nearly the sum in long
  /// double.
  [[nodiscard]] Check check() override {
    total_ = reduction_.result();
    const PlainSums plain = plain_sums(part_, 1, [&](Index site, PlainSums& sums) {
      const Index whole = part_.in_whole(site);
      for (int c = 0; c < 3; ++c) {
        const auto rounded = plain_residual<T>(whole, c);
        const auto exact = plain_residual<long double>(whole, c);
        sums.add(0, square<double>({rounded.re, rounded.im}), square(exact));
      }
    });
    return compare_with(ranks_, part_, -1, plain, {total_}, sizeof(T) == 8 ? 1e-12 : 1e-6);
  }

private:
  using Own = OwnResidual<T, true>;
  static constexpr std::uint64_t seed_u = 1, seed_x = 2, seed_b = 3;

  void run_compute() override { reduction_.launch_own(); }
  void run_exchange() override {
    reduction_.launch_messages();
    if (!reduction_.needs_no_host()) total_ = reduction_.result();
  }
  [[nodiscard]] Record record() const override {
    Record record = reduction_.record();
    record.details.push_back(
        {"exchange_bytes", static_cast<double>(reduction_.gathered().value), {}});
    record.details.push_back({"result", total_, {}});
    return record;
  }

  template <class Site, class R>
  [[nodiscard]] static PlainNumber<R> number(std::uint64_t seed, Index whole, int c) {
    const auto part = [&](int p) {
      // as the field holds it
      return static_cast<R>(static_cast<T>(site_number(seed, shape_of<Site>(), whole, c, p)));
    };
    return {part(0), part(1)};
  }
  /// Component c of b - adj(u) x.
  template <class R>
  [[nodiscard]] static PlainNumber<R> plain_residual(Index whole, int c) {
    PlainNumber<R> sum;
    for (int k = 0; k < 3; ++k) {
      const auto u = number<ColourMatrix<T>, R>(seed_u, whole, 3 * k + c); // conjugated below
      const auto x = number<ColourVector<T>, R>(seed_x, whole, k);
      const R re = rounded_product(u.re, x.re) + rounded_product(u.im, x.im);
      const R im = rounded_product(u.re, x.im) - rounded_product(u.im, x.re);
      sum = k == 0 ? PlainNumber<R>{re, im} : PlainNumber<R>{sum.re + re, sum.im + im};
    }
    const auto b = number<ColourVector<T>, R>(seed_b, whole, c);
    return {b.re - sum.re, b.im - sum.im};
  }
  template <class R>
  [[nodiscard]] static R square(const PlainNumber<R>& z) {
    return rounded_product(z.re, z.re) + rounded_product(z.im, z.im);
  }

  std::shared_ptr<Own> own_;
  std::unique_ptr<Case> one_; ///< of what this rank has
  RankReduction<ResidualNorm2<T, true>> reduction_;
  double total_ = 0;
};

/// To the model the three fields are one, of all their numbers: they are read alike.
std::unique_ptr<Menu> residual_menu(bool exact, const Extents& size, int real_bytes,
                                    const ridge::Place& place) {
  constexpr int held = components_of<ColourMatrix<double>>;
  const SiteShape shape{held + 2 * components_of<ColourVector<double>>, true, real_bytes};
  const double flops =
      exact ? flops_of<ResidualNorm2<double, true>> : flops_of<ResidualNorm2<double, false>>;
  return menu({{{Task::expression, exact}, 1, 0, flops / (shape.components * shape.parts()), held},
               shape,
               Lattice(size).geometry(shape.number_bytes())},
              place);
}

/// Of the vectors of its fields: that of the device where none is asked for.
int residual_width(const BenchRequest& r, int real_bytes) {
  return r.options.get("width", width_for(r.device, r.size, 2 * real_bytes));
}

BenchKernel residual_kernel(const std::string& name, const std::string& meaning, bool exact) {
  const auto make = [=](const BenchRequest& r, RoofSource&) {
    return in_precision(r.precision, name, [&]<class T>(T /*number*/) {
      const Lattice on(r.size, residual_width(r, sizeof(T)));
      return exact ? case_of_residual(name, std::make_shared<OwnResidual<T, true>>(r.device, on))
                   : case_of_residual(name, std::make_shared<OwnResidual<T, false>>(r.device, on));
    });
  };
  BenchKernel kernel{name, "lattice", meaning, Extents{64, 64, 32, 32}, make};
  kernel.make_menu = [=](const BenchRequest& r, const ridge::Place& place) {
    return in_precision(r.precision, name, [&](auto number) {
      return residual_menu(exact, r.size, sizeof number, place);
    });
  };
  kernel.add_ranks([=](const BenchRequest& r, RoofSource& roofs) {
    // What ranks find is added up; the bits of reproducible sums would not stay so.
    if (!exact) return share_case(name, make, r, roofs);
    return in_precision(r.precision, name, [&]<class T>(T /*number*/) -> std::unique_ptr<Case> {
      const RankLattice part(r.size, shares_grid(r.world, r.size, name), r.world.ranks->rank(), 0,
                             residual_width(r, sizeof(T)));
      return std::make_unique<RankResidualCase<T>>(name, r.device, *r.world.ranks, part);
    });
  });
  return kernel;
}

const KernelsAnnounced residual_kernels(1, [] {
  return std::vector{
      residual_kernel("lattice-residual",
                      "norm2(b - adj(u) x) of colour vectors and a matrix, in one pass", false),
      residual_kernel("lattice-residual-reproducible",
                      "the same, with the same bits on every device", true)};
});

} // namespace

} // namespace ridge::lattice
