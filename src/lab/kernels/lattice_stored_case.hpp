// Cases of the lab's lattice operators, checked against plain arithmetic on the host.
#pragma once

#include <ridge/comm/step.hpp>
#include <ridge/core/error.hpp>
#include <ridge/gauge/exchanged.hpp>
#include <ridge/gauge/reference.hpp>
#include <ridge/lab/kernels/lattice_stored.hpp>
#include <ridge/lab/rank_shares.hpp>
#include <ridge/lattice/stored/rank_step.hpp>

#include <fmt/format.h>

#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>
#include <optional>
#include <vector>

namespace ridge::lab {

/// The hopping term at a place.
[[nodiscard]] inline gauge::Expected expected_hopping(const RandomWorld& world, const int (&x)[4],
                                                      int s) {
  lattice::Coordinates at;
  for (int d = 0; d < 4; ++d)
    at[d] = x[d];
  return gauge::reference_hopping(
      world.extents(), at, false,
      [&](int mu, const lattice::Coordinates& y) {
        gauge::HostLink u;
        const auto& stored = world.link({y[0], y[1], y[2], y[3]}, mu);
        for (int c = 0; c < 9; ++c)
          u[static_cast<std::size_t>(c)] = {component(stored, c).re, component(stored, c).im};
        return u;
      },
      [&](const lattice::Coordinates& y) {
        gauge::HostSpinor psi;
        const auto stored = world.spinor({y[0], y[1], y[2], y[3]}, s);
        for (int c = 0; c < 12; ++c)
          psi[static_cast<std::size_t>(c)] = {component(stored, c).re, component(stored, c).im};
        return psi;
      });
}

/// What this rank has of a lattice: all of it, or over ranks the part that --ranks says. Throws
/// UsageError where they are not all, or own too little.
[[nodiscard]] StoredPart stored_share(const std::string& kernel, const BenchRequest& request,
                                      bool halves);

/// An operator on stored fields with a check against the host.
template <class Kernel, class Tensor, class Number>
class StoredCase : public StoredLaunch<Kernel, Tensor, Number>, private comm::Step {
  using Base = StoredLaunch<Kernel, Tensor, Number>;
  using Host = lattice::Over<Tensor, double>;

public:
  using Base::real_bytes;

  /// Against plain arithmetic in double, relative to the magnitudes of what a number adds up.
  [[nodiscard]] Check check() override {
    struct Worst {
      double error = 0;
      int x[4] = {}, s = 0, component = 0;
    } worst;
    std::mutex guard;
    std::atomic<double> seen = 0;
    this->out_.visit(this->queue_, [&](const int(&own)[4], int s, const auto& got) {
      if (!this->part_.owns(own)) return;
      int x[4];
      this->part_.to_whole(own, x);
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
    if (ranks_ != nullptr) bits_ = bits();
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

  /// Over ranks what is read of others is NaN until it comes.
  void poison() override {
    Base::poison();
    if (ranks_ != nullptr) fill_psi(true);
  }
  [[nodiscard]] Program bind(const AskedSchedule& s) override {
    if (ranks_ == nullptr) return Base::bind(s);
    if (s.text != "auto") schedule_ = this->template held<StoredSchedule>(s);
    step_.emplace(*ranks_, this->queue_, this->part_, this->call_,
                  std::vector{gauge::exchanged_psi(this->call_.kernel)}, schedule_, this->name_);
    return this->program_of_ranks();
  }
  [[nodiscard]] comm::Step* ranks() override { return step_ ? this : nullptr; }
  [[nodiscard]] Extents share() const override {
    return greatest_share(this->part_.whole(), this->part_.ranks());
  }

protected:
  StoredCase(const std::string& name, const BenchRequest& request, const SiteGrid& grid,
             const StoredUse& use, const StoredPart& part)
      : Base(name, request, grid, use, part), ranks_(request.world.ranks) {}

  /// What psi is at a place of the whole lattice.
  [[nodiscard]] virtual Host value(const int (&x)[4], int s) const = 0;
  /// All that this rank keeps of it; or `poisoned`, NaN where it is another's.
  void fill_psi(bool poisoned = false) {
    this->psi_.fill(this->queue_, [&](const int(&own)[4], int s) {
      int x[4];
      this->part_.to_whole(own, x);
      Host psi = value(x, s);
      for (int c = 0; c < lattice::components_of<Tensor> && poisoned && !this->part_.owns(own); ++c)
        component(psi, c) = {std::numeric_limits<double>::quiet_NaN(), 0};
      return psi;
    });
  }
  /// What the launch should give at a place.
  [[nodiscard]] virtual gauge::Expected expected(const int (&x)[4], int s) const = 0;

private:
  void run() override { step_->run(); }
  void run_exchange() override { step_->run_exchange(); }
  void run_compute() override { step_->run_compute(); }
  [[nodiscard]] bool exchanges() const override { return step_->exchanges(); }
  /// Work is that of a launch on the whole lattice.
  [[nodiscard]] Record record() const override {
    using P = Pattern<StoredCall<Kernel>>;
    const Device& device = this->queue_.device();
    auto call = this->call_;
    call.grid = site_grid(device, this->size_, this->grid_.half == 0 ? Sites::all : Sites::even,
                          real_bytes, this->grid_.inner);
    const StoredSchedule s = schedule_.value_or(P::default_schedule(device, call));
    Record record = P(const_cast<Queue&>(this->queue_), call, s).record(device, s, this->name_);
    record.ranks = ranks_->ranks();
    record.details.push_back({"rank_grid", 0, to_text(this->part_.ranks())});
    record.details.push_back({"carrier", 0, comm::to_text(step_->carrier())});
    record.details.push_back(
        {"exchange_bytes", ranks_->sum(static_cast<double>(step_->sent().value)), {}});
    record.details.push_back({"result_bits", std::fmod(ranks_->sum(bits_), 281474976710656.0), {}});
    return record;
  }
  /// A number of all bits of what this rank owns of the result: their sum over ranks, modulo 2^48,
  /// does not depend on who owns what.
  [[nodiscard]] double bits() {
    constexpr std::uint64_t kept = (1ULL << 48) - 1;
    std::atomic<std::uint64_t> all = 0;
    this->out_.visit(this->queue_, [&](const int(&own)[4], int s, const Host& got) {
      if (!this->part_.owns(own)) return;
      int x[4];
      this->part_.to_whole(own, x);
      const auto site =
          static_cast<std::uint64_t>(this->world_.site(x)) * 128 + static_cast<std::uint64_t>(s);
      std::uint64_t sum = 0;
      for (int c = 0; c < lattice::components_of<Tensor>; ++c) {
        std::uint64_t words[2];
        std::memcpy(words, &component(got, c), sizeof words);
        const auto key = mix_bits(site * 32 + static_cast<std::uint64_t>(c));
        sum += mix_bits(words[0] ^ key) + 3 * mix_bits(words[1] ^ key);
      }
      all += sum;
    });
    return static_cast<double>(all & kept);
  }

  comm::Communicator* ranks_; ///< null: one rank
  std::optional<StoredSchedule> schedule_;
  std::optional<lattice::StoredStep> step_;
  double bits_ = 0; ///< of the launch that was checked
};

} // namespace ridge::lab
