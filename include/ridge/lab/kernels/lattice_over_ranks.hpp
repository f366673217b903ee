// Cases of operators on stored fields that run over ranks, too.
#pragma once

#include <ridge/comm/step.hpp>
#include <ridge/gauge/exchanged.hpp>
#include <ridge/lab/kernels/lattice_stored.hpp>
#include <ridge/lab/rank_shares.hpp>
#include <ridge/lattice/stored/rank_step.hpp>

#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <vector>

namespace ridge::lab {

/// This rank's part of a lattice: all of it, or over ranks the part that --ranks says. Throws
/// UsageError where they are not all, or own too little.
[[nodiscard]] StoredPart stored_share(const std::string& kernel, const BenchRequest& request,
                                      bool halves);

/// An operator on stored fields, of one rank or of several.
template <class Kernel, class Tensor, class Number>
class StoredOverRanks : public StoredLaunch<Kernel, Tensor, Number>, private comm::Step {
  using Base = StoredLaunch<Kernel, Tensor, Number>;

public:
  using Base::real_bytes;

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
  using Host = lattice::Over<Tensor, double>;

  StoredOverRanks(const std::string& name, const BenchRequest& request, const SiteGrid& grid,
                  const StoredUse& use, const StoredPart& part)
      : Base(name, request, grid, use, part), ranks_(request.world.ranks) {}

  /// psi at a place of the whole lattice.
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
  /// Keeps the bits of the result, for the record.
  void note_bits() {
    if (ranks_ != nullptr) bits_ = bits();
  }

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
