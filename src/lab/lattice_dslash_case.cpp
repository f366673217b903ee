// The lab's operators of lattice gauge theory: Wilson on whole and half lattices, domain wall.
#include <ridge/core/error.hpp>
#include <ridge/core/random.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/gauge/reference.hpp>
#include <ridge/gauge/stored.hpp>
#include <ridge/gauge/su3.hpp>
#include <ridge/lab/bench_case.hpp>

#include "lattice_bench.hpp"
#include "text_menu.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cmath>
#include <mutex>

namespace ridge::lab {

namespace {

using lattice::SiteGrid;
using lattice::StoredSchedule;

/// Links and spinors as functions of the place: nothing of the size of a field is kept on the host.
/// Links are drawn from some thousand random elements of SU(3).
class RandomWorld {
public:
  explicit RandomWorld(const Extents& n) {
    for (std::size_t d = 0; d < 4; ++d)
      n_[d] = static_cast<int>(n[static_cast<int>(d)]);
    for (std::size_t i = 0; i < links_.size(); ++i)
      links_[i] = gauge::random_su3(1, static_cast<std::int64_t>(i));
  }
  [[nodiscard]] const std::array<int, 4>& extents() const { return n_; }
  [[nodiscard]] const gauge::ColourMatrix<double>& link(const int (&x)[4], int mu) const {
    return links_[mix_bits(static_cast<std::uint64_t>(site(x) * 4 + mu)) % links_.size()];
  }
  [[nodiscard]] gauge::Spinor<double> spinor(const int (&x)[4], int s) const {
    gauge::Spinor<double> psi;
    const std::int64_t first = ((std::int64_t{s} << 34) + site(x)) * 24;
    for (int c = 0; c < 12; ++c)
      component(psi, c) = {random_value(2, first + 2 * c), random_value(2, first + 2 * c + 1)};
    return psi;
  }
  /// The hopping term.
  [[nodiscard]] gauge::Expected expected(const int (&x)[4], int s) const {
    lattice::Coordinates at;
    for (int d = 0; d < 4; ++d)
      at[d] = x[d];
    return gauge::reference_hopping(
        n_, at, false,
        [&](int mu, const lattice::Coordinates& y) {
          gauge::HostLink u;
          const auto& stored = link({y[0], y[1], y[2], y[3]}, mu);
          for (int c = 0; c < 9; ++c)
            u[static_cast<std::size_t>(c)] = {component(stored, c).re, component(stored, c).im};
          return u;
        },
        [&](const lattice::Coordinates& y) {
          gauge::HostSpinor psi;
          const auto stored = spinor({y[0], y[1], y[2], y[3]}, s);
          for (int c = 0; c < 12; ++c)
            psi[static_cast<std::size_t>(c)] = {component(stored, c).re, component(stored, c).im};
          return psi;
        });
  }

private:
  [[nodiscard]] std::int64_t site(const int (&x)[4]) const {
    return x[0] + n_[0] * (x[1] + n_[1] * (x[2] + std::int64_t{n_[2]} * x[3]));
  }
  std::array<int, 4> n_{};
  std::array<gauge::ColourMatrix<double>, 4096> links_;
};

template <class Number, int Reals>
class DslashCase final : public Case {
public:
  using Kernel = gauge::Dslash<Number, Reals>;
  using Call = lattice::StoredCall<Kernel>;
  static constexpr int real_bytes = sizeof(typename Kernel::Real);

  DslashCase(std::string name, const BenchRequest& request, lattice::Sites sites, int inner)
      : name_(std::move(name)), size_(request.size), precision_(request.precision),
        queue_(request.device),
        grid_(lattice::site_grid(request.device, request.size, sites, real_bytes, inner)),
        other_(other(grid_)), world_(request.size),
        links_(queue_, grid_ == other_ ? std::vector{grid_} : std::vector{grid_, other_},
               [&](const int (&x)[4], int mu) { return world_.link(x, mu); }),
        psi_(queue_.device(), other_, "psi"), out_(queue_.device(), grid_, "out"),
        call_(gauge::dslash_call(out_, links_, psi_)) {
    psi_.fill(queue_, [&](const int(&x)[4], int s) { return world_.spinor(x, s); });
  }

  [[nodiscard]] Queue& queue() override { return queue_; }
  [[nodiscard]] Subject subject() const override {
    return {&typeid(Call), name_, precision_, size_, site()};
  }
  [[nodiscard]] std::unique_ptr<Menu> menu_at(const Place& place) const override {
    return std::make_unique<TextMenu<StoredSchedule>>(
        place,
        TextMenu<StoredSchedule>::Source{
            [this](const std::string& text) { return parse(text); }, [this] { return names(); },
            [this] { return lattice::stored_space(queue_.device(), grid_); },
            "operators on stored fields"});
  }
  [[nodiscard]] Program bind(const AskedSchedule& s) override {
    return {queue_, call_, parse(s.text).schedule, name_};
  }
  void poison() override { fill_bytes(queue_, out_.view().elements.data, 0xff, out_.bytes()); }
  /// Against whole gamma matrices in double, relative to the magnitudes of what a number adds up.
  [[nodiscard]] Check check() override {
    struct Worst {
      double error = 0;
      int x[4] = {}, s = 0, component = 0;
    } worst;
    std::mutex guard;
    out_.visit(queue_, [&](const int(&x)[4], int s, const gauge::Spinor<double>& got) {
      const gauge::Expected right = world_.expected(x, s);
      for (int c = 0; c < 12; ++c) {
        const auto i = static_cast<std::size_t>(c);
        const std::complex<double> value(component(got, c).re, component(got, c).im);
        double error = gauge::size_of(value - right.value[i]) / right.scale[i];
        if (std::isnan(error)) error = HUGE_VAL;
        if (error <= worst_seen_.load(std::memory_order_relaxed)) continue;
        const std::lock_guard lock(guard);
        if (error <= worst.error) continue;
        worst = {error, {x[0], x[1], x[2], x[3]}, s, c};
        worst_seen_ = error;
      }
    });
    worst_seen_ = 0;
    Check check;
    check.max_error = worst.error;
    check.ok = worst.error <= (Kernel::fixed ? 1e-4 : real_bytes == 8 ? 4e-15 : 2e-6);
    if (!check.ok) {
      check.message = fmt::format(
          "component {} of the site {},{},{},{} (s = {}) differs by {:.1e}, "
          "relative to the magnitudes of what it adds up",
          worst.component, worst.x[0], worst.x[1], worst.x[2], worst.x[3], worst.s, worst.error);
    }
    return check;
  }
  [[nodiscard]] Limit limit() const override {
    const Work work = Program(const_cast<Queue&>(queue_), call_).record().work;
    return {"copy", "B/s", static_cast<double>(work.read.value + work.written.value), std::nullopt,
            roof_memory(out_.view().elements.data, psi_.view().elements.data, out_.bytes())};
  }
  void complete(Record& record, const AskedSchedule& /*schedule*/) override {
    record.site = site();
    record.details.push_back(
        {flop_rate_detail, record.work.flops / record.timing->median.value, {}});
  }

private:
  static SiteGrid other(SiteGrid grid) {
    if (grid.half != 0) grid.parity = 1 - grid.parity;
    return grid;
  }
  [[nodiscard]] std::string site() const {
    std::string text = Kernel::form;
    if (grid_.half != 0) text += ", even sites";
    if (grid_.inner > 1) text += fmt::format(", {} values a site", grid_.inner);
    return text;
  }
  [[nodiscard]] std::vector<text::Named<StoredSchedule>> names() const {
    return lattice::stored_names(queue_.device(), grid_, Pattern<Call>::traits);
  }
  [[nodiscard]] text::Named<StoredSchedule> parse(const std::string& text) const {
    const Device& device = queue_.device();
    return text::parse_named(text, ridge::to_text(device.id()),
                             Pattern<Call>::default_schedule(device, call_),
                             [&] { return names(); });
  }

  std::string name_;
  Extents size_;
  std::string precision_;
  Queue queue_;
  SiteGrid grid_, other_;
  RandomWorld world_;
  gauge::StoredLinks<Number, Reals> links_;
  gauge::StoredFermion<Number> psi_, out_;
  Call call_;
  std::atomic<double> worst_seen_ = 0;
};

/// A kernel of the lab: which sites, links of how many numbers by default, and a fifth dimension.
struct Operator {
  const char *name, *meaning;
  lattice::Sites sites;
  int reals;
  bool fifth;
};

std::unique_ptr<Case> make_case(const Operator& op, const BenchRequest& request) {
  int reals = op.reals;
  if (request.site == "links18" || request.site == "links12") {
    reals = request.site == "links18" ? 18 : 12;
  } else if (!request.site.empty()) {
    throw UsageError(fmt::format("--site of {} is links18 or links12, the numbers of a link, not "
                                 "'{}'",
                                 op.name, request.site));
  }
  if (request.width != 0)
    throw UsageError(fmt::format("--width is for fields in boxes; {} has other fields", op.name));
  const auto made = [&]<class Number, int Reals>() -> std::unique_ptr<Case> {
    return std::make_unique<DslashCase<Number, Reals>>(op.name, request, op.sites,
                                                       op.fifth ? request.ls : 1);
  };
  if (request.precision == "fp64")
    return reals == 18 ? made.template operator()<double, 18>()
                       : made.template operator()<double, 12>();
  if (request.precision == "fp32")
    return reals == 18 ? made.template operator()<float, 18>()
                       : made.template operator()<float, 12>();
  if (request.precision == "fixed16") {
    if (request.site == "links18")
      throw UsageError("fixed16 has links of 12 numbers; give --site links12, or none");
    return made.template operator()<lattice::Fixed16, 12>();
  }
  throw UsageError(fmt::format("unknown precision '{}'; {} has fp32, fp64 and fixed16",
                               request.precision, op.name));
}

} // namespace

void add_dslash(std::vector<BenchKernel>& kernels) {
  using lattice::Sites;
  for (const Operator& op :
       {Operator{"wilson", "the Wilson hopping term on stored fields of a whole lattice",
                 Sites::all, 18, false},
        Operator{"wilson-even-odd", "the Wilson hopping term from odd to even sites", Sites::even,
                 12, false},
        Operator{"dwf", "the hopping term of domain-wall fermions, from odd to even sites",
                 Sites::even, 18, true}}) {
    BenchKernel kernel{
        op.name, "lattice", op.meaning,
        op.fifth ? Extents{16, 16, 16, 32} : Extents{32, 32, 32, 32},
        [op](const BenchRequest& request, RoofSource&) { return make_case(op, request); }};
    if (op.fifth) kernel.default_precision = "fp32";
    kernels.push_back(kernel);
  }
}

} // namespace ridge::lab
