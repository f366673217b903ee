// `ridge solve wilson`: propagators of Wilson fermions.
#include <ridge/device/cpu/parallel.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/device/kind.hpp>
#include <ridge/gauge/clover_solver.hpp>
#include <ridge/gauge/host_links.hpp>
#include <ridge/gauge/wilson_columns.hpp>
#include <ridge/gauge/wilson_solver.hpp>
#include <ridge/lattice/rank_gather.hpp>

#include "../src/singular_mode.hpp"
#include "commands.hpp"
#include "core/refuse.hpp"
#include "gauge_input.hpp"
#include "propagator_command.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <optional>

namespace ridge::app {

namespace {

class WilsonColumns final : public ColumnSolver {
public:
  WilsonColumns(comm::Communicator& ranks, const Extents& grid, Queue& queue,
                const Extents& extents, const gauge::HostLinks& links,
                const gauge::WilsonNumbers& numbers, const gauge::Boundary& boundary,
                gauge::WilsonSolver::Method method)
      : ranks_(ranks), queue_(queue),
        solver_(ranks, grid, queue, extents, links, numbers, boundary, method),
        b_(queue.device(), solver_.lattice(), "the source"),
        x_(queue.device(), solver_.lattice(), "the solution") {
    if (ranks.ranks() > 1 || x_.bytes() > most_staged) return;
    staging_.emplace(queue.device(), x_.bytes(), "a column on the host", Memory::Place::staging);
  }

  solve::Solved solve(io::Column& x, const io::Column& b, const solve::Options& options) override {
    set(x, b);
    const solve::Solved solved = solver_.solve(x_, b_, options);
    get(x, x_);
    return solved;
  }
  double residual(const io::Column& x, const io::Column& b) override {
    set(x, b);
    return solver_.residual(x_, b_);
  }
  std::vector<solve::Solved> solve_shifted(std::vector<io::Column>& x, const io::Column& b,
                                           const std::vector<double>& shifts,
                                           const solve::Options& options) override {
    set(b, b);
    std::vector<gauge::Fermion<double>> fields;
    std::vector<const gauge::Fermion<double>*> found;
    for (std::size_t i = 0; i < x.size(); ++i)
      fields.emplace_back(queue_.device(), solver_.lattice(), "the solution");
    for (const auto& field : fields)
      found.push_back(&field);
    const auto solved = solver_.solve_shifted(found, b_, shifts, options);
    for (std::size_t i = 0; i < x.size(); ++i)
      get(x[i], fields[i]);
    return solved;
  }

private:
  using Fermion = gauge::Fermion<double>;
  /// Memory of the host that is pinned: larger columns take longer to pin than to copy.
  static constexpr Bytes most_staged{Index{256} << 20};

  void set(const io::Column& x, const io::Column& b) {
    put(b_, b);
    put(x_, x);
  }
  void put(Fermion& field, const io::Column& sites) {
    if (!staging_) {
      const lattice::RankLattice& part = solver_.part();
      set_owned(queue_, field, part, lattice::owned_of(sites, part));
      return;
    }
    lattice::detail::check_sites(field.lattice(), field.name(), sites.size());
    if (is_zero(sites)) {
      fill_bytes(queue_, field.reals().data, 0, field.bytes());
      return;
    }
    lattice::detail::from_plain(field.geometry(), field.shape(), staging_->data(), sites.data());
    copy_bytes_to_device(queue_, field.reals().data, staging_->data(), field.bytes());
    queue_.wait(); // the next one is put there, too
  }
  void get(io::Column& sites, const Fermion& field) {
    if (!staging_) {
      sites = get_whole(ranks_, queue_, field, solver_.part());
      return;
    }
    copy_bytes_to_host(queue_, staging_->data(), field.reals().data, field.bytes());
    queue_.wait();
    lattice::detail::to_plain(field.geometry(), field.shape(), sites.data(), staging_->data());
  }
  /// Whether all bits are 0, as they are of most starts.
  static bool is_zero(const io::Column& sites) {
    std::atomic<bool> all{true};
    cpu::run(cpu::default_threads(), [&](int thread, int threads) {
      const auto mine = cpu::share_of(static_cast<Index>(sites.size()), thread, threads);
      const auto* const from = reinterpret_cast<const std::uint64_t*>(sites.data() + mine.begin);
      const Index count = (mine.end - mine.begin) * static_cast<Index>(sizeof(sites[0]) / 8);
      constexpr Index piece = 512;
      for (Index i = 0; i < count && all; i += piece) {
        std::uint64_t any = 0;
        for (Index j = i; j < std::min(count, i + piece); ++j)
          any |= from[j];
        if (any != 0) all = false;
      }
    });
    return all;
  }

  comm::Communicator& ranks_;
  Queue& queue_;
  gauge::WilsonSolver solver_;
  Fermion b_, x_;
  std::optional<Memory> staging_; ///< a column as the device has it, on one rank
};

/// Several columns at once.
class WilsonColumnsTogether final : public Columns<gauge::WilsonColumns> {
public:
  using Columns::Columns;
  [[nodiscard]] int together() const override { return solver_.columns(); }
  std::vector<solve::Solved> solve_all(std::vector<io::Column>& x, const std::vector<io::Column>& b,
                                       const solve::Options& options) override {
    return solver_.solve(x, b, options);
  }
  solve::Solved solve(io::Column& x, const io::Column& b, const solve::Options& options) override {
    std::vector<io::Column> all{x}, sources{b};
    all.resize(static_cast<std::size_t>(together()), io::Column(x.size()));
    sources.resize(all.size(), io::Column(x.size()));
    const solve::Solved solved = solver_.solve(all, sources, options).front();
    x = all.front();
    return solved;
  }
  double residual(const io::Column& x, const io::Column& b) override {
    const auto n = static_cast<std::size_t>(together());
    return solver_.residuals(std::vector(n, x), std::vector(n, b)).front();
  }
};

class CloverColumns final : public Columns<gauge::CloverSolver> {
public:
  using Columns::Columns;
  solve::Solved solve(io::Column& x, const io::Column& b, const solve::Options& options) override {
    return solver_.solve(x, b, options);
  }
  double residual(const io::Column& x, const io::Column& b) override {
    return solver_.residual(x, b);
  }
};

class WilsonCommand final : public PropagatorCommand {
public:
  explicit WilsonCommand(const Command& command) {
    add_options(command);
    command.add({
        {"--kappa", &kappa, "the hopping parameter"},
        {"--mass", &mass, "the bare mass instead, 1 / (2 kappa) - 4"},
        {"--csw", &csw, "the clover term's coefficient: by cg in fp64; no term if not given"},
        {"--solver", &solver, "cg (if not given): on D^+ D; or bicgstab, on D, in fp64"},
        {"--precision", &precision,
         "mixed: fp32 within fp64 (if not given); fixed16: 16 bits within fp64; or fp64"},
        {"--from", &from, "FILE.h5: a propagator to begin from"},
        {"--shifts", &shifts_text,
         "S,S,...: (D^+ D + S) x = D^+ b for each, by one solve with several shifts in fp64"},
        {"--columns", &columns,
         "1, 2, 3, 4, 6 or 12: by cg so many at once, links read once for all of them; what the "
         "memory holds if not given"},
        rank_grid_row(&grid),
    });
    command.set_footer("\nCtrl-C keeps what was reached, to go on by --from.\n");
  }

private:
  using Method = gauge::WilsonSolver::Method;

  void check() const override {
    const bool by_bicgstab = solver == "bicgstab", mixed = precision == "mixed";
    const bool shifted = !shifts_text.empty();
    const Index at_once = columns.value_or(1);
    refuse_if(!precision.empty() && !fixed16() && !mixed && precision != "fp64",
              "--precision {}: expected mixed, fixed16 or fp64", precision);
    refuse_if(fixed16() && (csw || by_bicgstab || shifted || reproducible || ranks().ranks() > 1 ||
                            at_once > 1),
              "--precision fixed16 is for --solver cg of one column on one rank, without --csw, "
              "--shifts and --reproducible");
    (void)is_first("--solver", solver, "cg", "bicgstab");
    refuse_if(by_bicgstab && mixed, "--precision mixed is for --solver cg");
    refuse_if(ranks().ranks() > 1 && by_bicgstab,
              "--solver bicgstab is for one rank, and there are {}", ranks().ranks());
    refuse_if(reproducible && (by_bicgstab || shifted),
              "--reproducible is for --solver cg without --shifts");
    refuse_if(at_once < 1 || at_once > 12 || 12 % at_once != 0,
              "--columns {}: expected 1, 2, 3, 4, 6 or 12", at_once);
    refuse_if(at_once > 1 && (csw || by_bicgstab || shifted),
              "--columns is for --solver cg, without --csw and --shifts");
    refuse_if(csw && !std::isfinite(*csw), "--csw: expected a number");
    refuse_if(csw && (by_bicgstab || mixed), "--csw is for --solver cg and --precision fp64");
    (void)shifts();
    refuse_if(shifted && (csw || by_bicgstab || mixed || !from.empty()),
              "--shifts is for --solver cg and --precision fp64, without --csw and --from");
    refuse_if(kappa && mass, "--kappa and --mass: give one of them, not both");
    refuse_if(!kappa && !mass, "either --kappa or --mass is needed");
    refuse_if(kappa && !std::isfinite(*kappa), "--kappa: expected a number");
    refuse_if(mass && !(std::isfinite(*mass) && *mass != -4),
              "--mass: expected a number other than -4");
  }
  [[nodiscard]] gauge::WilsonNumbers numbers_of_operator() const {
    return kappa ? gauge::by_kappa(*kappa) : gauge::by_mass(*mass);
  }
  [[nodiscard]] bool fixed16() const { return precision == "fixed16"; }
  [[nodiscard]] Method method() const {
    if (solver == "bicgstab") return Method::bicgstab;
    return precision == "fp64" || csw || !shifts_text.empty() ? Method::cg : Method::mixed_cg;
  }
  [[nodiscard]] std::unique_ptr<ColumnSolver> make(Queue& queue, const Extents& extents,
                                                   const gauge::HostLinks& links) const override {
    const gauge::WilsonNumbers numbers = numbers_of_operator();
    if (csw) {
      return std::make_unique<CloverColumns>(ranks(), stored_grid(extents), queue, extents, links,
                                             numbers, *csw, fermion_boundary());
    }
    const int at_once = fixed16() ? 1 : together(queue.device(), extents);
    if (at_once > 1 || fixed16()) {
      using Together = gauge::WilsonColumns::Method;
      return std::make_unique<WilsonColumnsTogether>(ranks(), stored_grid(extents), queue, extents,
                                                     links, numbers, at_once, fermion_boundary(),
                                                     fixed16()                ? Together::fixed16_cg
                                                     : method() == Method::cg ? Together::cg
                                                                              : Together::mixed_cg);
    }
    return std::make_unique<WilsonColumns>(ranks(), part_of(ranks(), extents, grid).ranks(), queue,
                                           extents, links, numbers, fermion_boundary(), method());
  }
  /// How many columns are solved at once.
  [[nodiscard]] int together(const Device& where, const Extents& extents) const {
    bool even = true;
    for (int d = 0; d < extents.rank(); ++d)
      even = even && extents[d] % 2 == 0;
    if (columns) {
      refuse_if(*columns > 1 && !even, "--columns {}: several at once need even extents, not {}",
                *columns, to_text(extents));
      return static_cast<int>(*columns);
    }
    // Bits depend on how many are solved at once, and that on the memory.
    const bool can = even && solver == "cg" && !csw && shifts_text.empty() && !reproducible;
    if (!can || facts_of(where).is_emulated) return 1;
    const auto memory = ranks().gather(where.free_memory().value);
    const auto least = static_cast<double>(*std::min_element(memory.begin(), memory.end()));
    // For a column its solver holds eighteen fermions in double on half the sites.
    const double each = 18 * 96 * static_cast<double>(extents.count()) / ranks().ranks();
    for (const int most : {12, 6, 4, 3, 2})
      if (most * each < 0.7 * least) return most;
    return 1;
  }
  [[nodiscard]] std::vector<io::PropagatorNumber> numbers() const override {
    std::vector<io::PropagatorNumber> all{{"kappa", kappa ? *kappa : 0.5 / (*mass + 4)}};
    if (csw) all.push_back({"csw", *csw});
    return all;
  }
  [[nodiscard]] std::string why_not_solved(const Extents& extents, const gauge::HostLinks& links,
                                           const io::Column& x, const io::Column& b,
                                           const std::function<bool()>& go_on) const override {
    if (csw) return {};
    return gauge::singular_text(extents, gauge::with_boundary(extents, links, fermion_boundary()),
                                numbers_of_operator(), x, b, go_on);
  }
  [[nodiscard]] std::string name() const override { return csw ? "clover" : "wilson"; }
  [[nodiscard]] std::string precision_text() const override {
    if (fixed16()) return precision;
    return method() == Method::mixed_cg ? "mixed" : "fp64";
  }
  [[nodiscard]] std::string solver_text() const override { return solver; }
  [[nodiscard]] bool can_go_on() const override { return shifts_text.empty(); }
  [[nodiscard]] std::vector<double> shifts() const override { return parse_shifts(shifts_text); }

  std::optional<double> kappa, mass, csw;
  std::optional<Index> columns;
  std::string precision, solver = "cg", shifts_text;
};

} // namespace

void add_solve_wilson(const Command& solve) {
  const Command command =
      solve.add_command("wilson", "D x = b of Wilson fermions: a propagator of 12 columns");
  auto o = std::make_shared<WilsonCommand>(command);
  command.set_action([o] { o->run(); }, Ranks::several);
}

} // namespace ridge::app
