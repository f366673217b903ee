// Operators of lattice gauge theory among the kernels: Wilson on whole and half lattices, domain
// wall.
#include "checked_case.hpp"

namespace ridge::gauge {

namespace {

template <class Number, int Reals>
class DslashCase final : public StoredCase<Dslash<Number, Reals>,
                                           Spinor<typename StoredNumber<Number>::Real>, Number> {
  using Kernel = Dslash<Number, Reals>;
  using Base = StoredCase<Kernel, Spinor<typename StoredNumber<Number>::Real>, Number>;

public:
  [[nodiscard]] static StoredUse use() {
    constexpr double spinor = decltype(Kernel::psi)::Code::site_bytes;
    return {spinor, Kernel::LinkView::Code::site_bytes, 0, spinor, Kernel{}.flops()};
  }
  DslashCase(const std::string& name, const BenchRequest& request, const StoredPart& part,
             const SiteGrid& grid)
      : Base(name, request, grid, use(), part),
        links_(this->queue_, this->grids(),
               part.placed([&](const int (&x)[4], int mu) { return this->world_.link(x, mu); })) {
    this->call_ = dslash_call(this->out_, links_, this->psi_);
    this->fill_psi();
  }

private:
  [[nodiscard]] Spinor<double> value(const int (&x)[4], int s) const override {
    return this->world_.spinor(x, s);
  }
  [[nodiscard]] Expected expected(const int (&x)[4], int s) const override {
    return expected_hopping(this->world_, x, s);
  }
  StoredLinks<Number, Reals> links_;
};

BenchKernel kernel_of(const char* name, const char* meaning, const ResultSites& sites, int reals) {
  BenchKernel kernel =
      stored_kernel(name, meaning, sites, [=](const BenchRequest& request, const auto& made) {
        const auto of = [&]<class Number, int Reals>() {
          return made.template operator()<DslashCase<Number, Reals>>();
        };
        if (request.precision != "fixed16")
          return with_links(name, request, reals, of, "fp32, fp64 and fixed16");
        if (link_reals(name, request, 12) == 18)
          throw UsageError("fixed16 has links of 12 numbers; give --site links12, or none");
        return of.template operator()<Fixed16, 12>();
      });
  if (sites.fifth) {
    kernel.default_size = Extents{16, 16, 16, 32};
    kernel.default_precision = "fp32";
  }
  return kernel;
}

} // namespace

StoredPart stored_share(const std::string& kernel, const BenchRequest& request, bool halves) {
  if (!request.world) return {request.size, halves};
  const comm::Communicator& ranks = *request.world.ranks;
  const Extents grid = request.world.grid.empty()
                           ? lattice::choose_stored_ranks(ranks.ranks(), request.size, halves)
                           : shares_grid(request.world, request.size, kernel);
  return {request.size, grid, ranks.rank(), halves};
}

int link_reals(const std::string& kernel, const BenchRequest& request, int otherwise) {
  if (request.options.has("width"))
    throw UsageError(fmt::format("--width is for fields in boxes; {} has other fields", kernel));
  const std::string site = request.options.get("site", "");
  if (site == "links18") return 18;
  if (site == "links12") return 12;
  if (site.empty()) return otherwise;
  throw UsageError(fmt::format(
      "--site of {} is links18 or links12, the numbers of a link, not '{}'", kernel, site));
}

const KernelsAnnounced dslash_kernels(3, [] {
  return std::vector{
      kernel_of("wilson", "the Wilson hopping term on stored fields of a whole lattice",
                {Sites::all}, 18),
      kernel_of("wilson-even-odd", "the Wilson hopping term from odd to even sites", {Sites::even},
                12),
      kernel_of("dwf", "the hopping term of domain-wall fermions, from odd to even sites",
                {Sites::even, true}, 18),
      kernel_of("wilson-columns",
                "the Wilson hopping term of --rhs right-hand sides, from odd to even sites",
                {Sites::even, true}, 18)};
});

} // namespace ridge::gauge
