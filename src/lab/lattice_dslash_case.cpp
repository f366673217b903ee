// The lab's operators of lattice gauge theory: Wilson on whole and half lattices, domain wall.
#include <ridge/gauge/hopping_case.hpp>
#include <ridge/pattern/precision.hpp>

#include "benches.hpp"
#include "kernels/lattice_stored_case.hpp"

namespace ridge::lab {

namespace {

/// A kernel of the lab: which sites, links of how many numbers by default, and a fifth dimension.
struct Operator {
  const char *name, *meaning;
  Sites sites;
  int reals;
  bool fifth;

  [[nodiscard]] SiteGrid grid(const Device& device, const BenchRequest& request,
                              int real_bytes) const {
    return grid(device, request, real_bytes, {request.size, halves()});
  }
  [[nodiscard]] SiteGrid grid(const Device& device, const BenchRequest& request, int real_bytes,
                              const StoredPart& part) const {
    return part.grid(device, sites, real_bytes, fifth ? request.options.get("ls", 16) : 1);
  }
  [[nodiscard]] bool halves() const { return sites != Sites::all; }
};

template <class Number, int Reals>
StoredUse dslash_use() {
  using Kernel = gauge::Dslash<Number, Reals>;
  constexpr double spinor = decltype(Kernel::psi)::Code::site_bytes;
  return {spinor, Kernel::LinkView::Code::site_bytes, 0, spinor, Kernel{}.flops()};
}

template <class Number, int Reals>
class DslashCase final
    : public StoredCase<gauge::Dslash<Number, Reals>,
                        gauge::Spinor<typename StoredNumber<Number>::Real>, Number> {
  using Base = StoredCase<gauge::Dslash<Number, Reals>,
                          gauge::Spinor<typename StoredNumber<Number>::Real>, Number>;

public:
  DslashCase(const Operator& op, const BenchRequest& request, const StoredPart& part)
      : Base(op.name, request, op.grid(request.device, request, Base::real_bytes, part),
             dslash_use<Number, Reals>(), part),
        links_(this->queue_, this->grids(),
               part.placed([&](const int (&x)[4], int mu) { return this->world_.link(x, mu); })) {
    this->call_ = gauge::dslash_call(this->out_, links_, this->psi_);
    this->fill_psi();
  }

private:
  [[nodiscard]] gauge::Spinor<double> value(const int (&x)[4], int s) const override {
    return this->world_.spinor(x, s);
  }
  [[nodiscard]] gauge::Expected expected(const int (&x)[4], int s) const override {
    return expected_hopping(this->world_, x, s);
  }
  gauge::StoredLinks<Number, Reals> links_;
};

/// Calls made<Number, Reals>() for what is asked.
template <class Made>
auto chosen(const Operator& op, const BenchRequest& request, const Made& made) {
  if (request.precision != "fixed16")
    return with_links(op.name, request, op.reals, made, "fp32, fp64 and fixed16");
  if (link_reals(op.name, request, 12) == 18)
    throw UsageError("fixed16 has links of 12 numbers; give --site links12, or none");
  return made.template operator()<Fixed16, 12>();
}

std::unique_ptr<Case> make_case(const Operator& op, const BenchRequest& request) {
  const StoredPart part = stored_share(op.name, request, op.halves());
  return chosen(op, request, [&]<class Number, int Reals>() -> std::unique_ptr<Case> {
    return std::make_unique<DslashCase<Number, Reals>>(op, request, part);
  });
}

std::unique_ptr<Menu> make_menu(const Operator& op, const BenchRequest& request,
                                const Place& place) {
  return chosen(op, request, [&]<class Number, int Reals>() {
    using Call = StoredCall<gauge::Dslash<Number, Reals>>;
    return stored_menu(op.grid(place.device, request, Pattern<Call>::traits.real_bytes),
                       Pattern<Call>::traits, dslash_use<Number, Reals>(), place);
  });
}

/// A site kernel, on fields in boxes.
BenchKernel hopping_kernel() {
  const auto make = [](const BenchRequest& request, RoofSource&) {
    return in_precision(request.precision, "hopping", [&](auto number) {
      std::optional<int> width;
      if (request.options.has("width")) width = request.options.get("width", 0);
      return gauge::hopping_case("hopping", sizeof number, request.device, request.size, width);
    });
  };
  BenchKernel kernel{"hopping", "lattice",
                     "the hopping term of Wilson fermions: a site kernel that reads all neighbours",
                     Extents{32, 32, 32, 32}, make};
  kernel.in_lab = true;
  return kernel;
}

} // namespace

void add_dslash(std::vector<BenchKernel>& kernels) {
  kernels.push_back(hopping_kernel());
  for (const Operator& op :
       {Operator{"wilson", "the Wilson hopping term on stored fields of a whole lattice",
                 Sites::all, 18, false},
        Operator{"wilson-even-odd", "the Wilson hopping term from odd to even sites", Sites::even,
                 12, false},
        Operator{"dwf", "the hopping term of domain-wall fermions, from odd to even sites",
                 Sites::even, 18, true},
        Operator{"wilson-columns",
                 "the Wilson hopping term of --rhs right-hand sides, from odd to even sites",
                 Sites::even, 18, true}}) {
    BenchKernel kernel{
        op.name, "lattice", op.meaning,
        op.fifth ? Extents{16, 16, 16, 32} : Extents{32, 32, 32, 32},
        [op](const BenchRequest& request, RoofSource&) { return make_case(op, request); }};
    kernel.over_ranks = true;
    if (op.fifth) kernel.default_precision = "fp32";
    kernel.make_menu = [op](const BenchRequest& request, const Place& place) {
      return make_menu(op, request, place);
    };
    kernels.push_back(kernel);
  }
}

} // namespace ridge::lab
