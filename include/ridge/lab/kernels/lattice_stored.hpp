// Random links and values of the lab's operators on stored fields, and what a case of one is but
// for its check.
#pragma once

#include <ridge/core/random.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/gauge/stored.hpp>
#include <ridge/gauge/su3.hpp>
#include <ridge/lab/bench_case.hpp>
#include <ridge/lattice/stored/menu.hpp>
#include <ridge/lattice/stored/part.hpp>

#include <array>
#include <optional>

namespace ridge::lab {

using lattice::Fixed16;
using lattice::site_grid;
using lattice::SiteGrid;
using lattice::Sites;
using lattice::stored_menu;
using lattice::StoredCall;
using lattice::StoredField;
using lattice::StoredNumber;
using lattice::StoredPart;
using lattice::StoredSchedule;
using lattice::StoredUse;
using lattice::StoredView;

/// Links and values as functions of the place: nothing of the size of a field is kept on the host.
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
  /// A tensor of doubles at value `s` of the fifth dimension.
  template <class Tensor>
  [[nodiscard]] Tensor value(const int (&x)[4], int s) const {
    Tensor all;
    const std::int64_t first = ((std::int64_t{s} << 34) + site(x)) * lattice::reals_of<Tensor>;
    for (int c = 0; c < lattice::components_of<Tensor>; ++c)
      component(all, c) = {random_value(2, first + 2 * c), random_value(2, first + 2 * c + 1)};
    return all;
  }
  [[nodiscard]] gauge::Spinor<double> spinor(const int (&x)[4], int s) const {
    return value<gauge::Spinor<double>>(x, s);
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
class StoredLaunch : public Case {
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
  void poison() override {
    fill_bytes(queue_, out_.view().elements.data, poison_byte, out_.bytes());
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
  static constexpr unsigned char poison_byte = 0xff;

  StoredLaunch(std::string name, const BenchRequest& request, const SiteGrid& grid,
               const lattice::StoredUse& use, const std::optional<StoredPart>& part = {})
      : world_(request.size), name_(std::move(name)), size_(request.size),
        precision_(request.precision), queue_(request.device),
        part_(part ? *part : StoredPart(request.size, grid.half != 0)), grid_(grid), use_(use),
        psi_(queue_.device(), opposite(grid_), "psi"), out_(queue_.device(), grid_, "out") {}

  [[nodiscard]] std::vector<SiteGrid> grids() const {
    if (grid_.half == 0) return {grid_};
    return {grid_, opposite(grid_)};
  }

  RandomWorld world_;
  std::string name_;
  Extents size_;
  std::string precision_;
  Queue queue_;
  StoredPart part_; ///< all of the lattice, or what a rank has of it
  SiteGrid grid_;
  lattice::StoredUse use_;
  Field psi_, out_;
  Call call_;

private:
  [[nodiscard]] std::string site() const {
    std::string text = Kernel::form;
    if (grid_.half != 0) text += ", even sites";
    if (grid_.inner > 1) text += ", " + std::to_string(grid_.inner) + " values a site";
    return text;
  }
};

/// 18 or 12, as --site says; else `otherwise`. Throws UsageError for others, and for a --width.
[[nodiscard]] int link_reals(const std::string& kernel, const BenchRequest& request, int otherwise);

} // namespace ridge::lab
