// Random links and spinors of the lab's lattice operators, and what an operator's case is: its
// fields, its check against the host, its menu.
#pragma once

#include <ridge/core/error.hpp>
#include <ridge/core/random.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/gauge/reference.hpp>
#include <ridge/gauge/stored.hpp>
#include <ridge/gauge/su3.hpp>
#include <ridge/lab/bench_case.hpp>
#include <ridge/lattice/stored/menu.hpp>

#include <fmt/format.h>

#include <atomic>
#include <cmath>
#include <mutex>

namespace ridge::lab {

using lattice::Fixed16;
using lattice::site_grid;
using lattice::SiteGrid;
using lattice::Sites;
using lattice::stored_menu;
using lattice::StoredCall;
using lattice::StoredField;
using lattice::StoredNumber;
using lattice::StoredSchedule;
using lattice::StoredUse;
using lattice::StoredView;

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

  [[nodiscard]] std::int64_t site(const int (&x)[4]) const {
    return x[0] + n_[0] * (x[1] + n_[1] * (x[2] + std::int64_t{n_[2]} * x[3]));
  }

private:
  std::array<int, 4> n_{};
  std::array<gauge::ColourMatrix<double>, 4096> links_;
};

/// The sites that the neighbours of a grid's sites are.
[[nodiscard]] inline SiteGrid opposite(SiteGrid grid) {
  if (grid.half != 0) grid.parity = 1 - grid.parity;
  return grid;
}

/// An operator on stored fields. `Tensor` is what a site of the result holds, `Number` how its
/// numbers are stored.
template <class Kernel, class Tensor, class Number>
class StoredCase : public Case {
public:
  using Call = lattice::StoredCall<Kernel>;
  static constexpr int real_bytes = sizeof(typename Kernel::Real);

  [[nodiscard]] Queue& queue() override { return queue_; }
  [[nodiscard]] Subject subject() const override {
    return {&typeid(Call), name_, precision_, size_, site()};
  }
  [[nodiscard]] std::unique_ptr<Menu> menu_at(const Place& place) const override {
    return lattice::stored_menu(grid_, Pattern<Call>::traits, use_, place);
  }
  [[nodiscard]] Program bind(const AskedSchedule& s) override {
    return {queue_, call_, held<StoredSchedule>(s), name_};
  }
  void poison() override { fill_bytes(queue_, out_.view().elements.data, 0xff, out_.bytes()); }
  /// Against plain arithmetic in double, relative to the magnitudes of what a number adds up.
  [[nodiscard]] Check check() override {
    struct Worst {
      double error = 0;
      int x[4] = {}, s = 0, component = 0;
    } worst;
    std::mutex guard;
    std::atomic<double> seen = 0;
    out_.visit(queue_, [&](const int(&x)[4], int s, const auto& got) {
      const gauge::Expected right = expected(x, s);
      for (int c = 0; c < lattice::components_of<Tensor>; ++c) {
        const auto i = static_cast<std::size_t>(c);
        const std::complex<double> value(component(got, c).re, component(got, c).im);
        double error = gauge::size_of(value - right.value[i]) / right.scale[i];
        if (std::isnan(error)) error = HUGE_VAL;
        if (error <= seen.load(std::memory_order_relaxed)) continue;
        const std::lock_guard lock(guard);
        if (error <= worst.error) continue;
        worst = {error, {x[0], x[1], x[2], x[3]}, s, c};
        seen = error;
      }
    });
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

protected:
  using Field = lattice::StoredField<Tensor, Number>;

  StoredCase(std::string name, const BenchRequest& request, const SiteGrid& grid,
             const lattice::StoredUse& use)
      : world_(request.size), name_(std::move(name)), size_(request.size),
        precision_(request.precision), queue_(request.device), grid_(grid), use_(use),
        psi_(queue_.device(), opposite(grid_), "psi"), out_(queue_.device(), grid_, "out") {}

  /// What the launch should give at a place.
  [[nodiscard]] virtual gauge::Expected expected(const int (&x)[4], int s) const = 0;

  [[nodiscard]] std::vector<SiteGrid> grids() const {
    if (grid_.half == 0) return {grid_};
    return {grid_, opposite(grid_)};
  }

  RandomWorld world_;
  std::string name_;
  Extents size_;
  std::string precision_;
  Queue queue_;
  SiteGrid grid_;
  lattice::StoredUse use_;
  Field psi_, out_;
  Call call_;

private:
  [[nodiscard]] std::string site() const {
    std::string text = Kernel::form;
    if (grid_.half != 0) text += ", even sites";
    if (grid_.inner > 1) text += fmt::format(", {} values a site", grid_.inner);
    return text;
  }
};

/// 18 or 12, as --site says; else `otherwise`. Throws UsageError for others, and for a --width.
[[nodiscard]] inline int link_reals(const std::string& kernel, const BenchRequest& request,
                                    int otherwise) {
  if (request.width != 0)
    throw UsageError(fmt::format("--width is for fields in boxes; {} has other fields", kernel));
  if (request.site == "links18") return 18;
  if (request.site == "links12") return 12;
  if (request.site.empty()) return otherwise;
  throw UsageError(fmt::format(
      "--site of {} is links18 or links12, the numbers of a link, not '{}'", kernel, request.site));
}

} // namespace ridge::lab
