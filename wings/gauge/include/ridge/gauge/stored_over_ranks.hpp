// Cases of operators on stored fields that run over ranks, too.
#pragma once

#include <ridge/comm/step.hpp>
#include <ridge/gauge/exchanged.hpp>
#include <ridge/gauge/random_world.hpp>
#include <ridge/lattice/stored/rank_step.hpp>
#include <ridge/pattern/rank_shares.hpp>

#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <vector>

namespace ridge::gauge {

/// This rank's part of a lattice: all of it, or over ranks the part that --ranks says. Throws
/// UsageError where they are not all, or own too little.
[[nodiscard]] StoredPart stored_share(const std::string& kernel, const BenchRequest& request,
                                      bool halves);

/// Where the results of an operator are.
struct ResultSites {
  Sites sites;
  bool fifth = false; ///< values of a fifth dimension, or right-hand sides, as --ls says

  [[nodiscard]] bool halves() const { return sites != Sites::all; }
  [[nodiscard]] SiteGrid grid(const Device& device, const BenchRequest& request, int real_bytes,
                              const StoredPart& part) const {
    return part.grid(device, sites, real_bytes, fifth ? request.options.get("ls", 16) : 1);
  }
};

/// A kernel whose cases' class C depends on the precision and the links that are asked for:
/// `chosen(request, made)` calls made<C>(more...). It then takes C(name, request, part, grid,
/// more...) and C::use().
template <class Chosen>
[[nodiscard]] BenchKernel stored_kernel(const std::string& name, const std::string& meaning,
                                        const ResultSites& sites, const Chosen& chosen) {
  BenchKernel kernel{
      name, "lattice", meaning, Extents{32, 32, 32, 32},
      [=](const BenchRequest& request, RoofSource&) {
        const StoredPart part = stored_share(name, request, sites.halves());
        return chosen(request, [&]<class C>(const auto&... more) -> std::unique_ptr<Case> {
          const SiteGrid grid = sites.grid(request.device, request, C::real_bytes, part);
          return made_as<C, Case>(name, request, part, grid, more...);
        });
      }};
  kernel.make_menu = [=](const BenchRequest& request, const Place& place) {
    return chosen(request, [&]<class C>(const auto&... /*more*/) {
      const StoredPart whole(request.size, sites.halves());
      return stored_menu(sites.grid(place.device, request, C::real_bytes, whole),
                         Pattern<typename C::Call>::traits, C::use(), place);
    });
  };
  kernel.over_ranks = true;
  return kernel;
}

/// An operator on stored fields, of one rank or of several. `Tensor` is what a site of the result
/// holds, `Number` how its numbers are stored.
template <class Kernel, class Tensor, class Number>
class StoredOverRanks : public Case, private comm::Step {
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
    if (ranks_ == nullptr) return {queue_, call_, held<StoredSchedule>(s), name_};
    if (s.text != "auto") schedule_ = held<StoredSchedule>(s);
    step_.emplace(*ranks_, queue_, part_, call_, std::vector{exchanged_psi(call_.kernel)},
                  schedule_, name_);
    return program_of_ranks();
  }
  /// Over ranks what is read of others is NaN until it comes.
  void poison() override {
    fill_bytes(queue_, out_.view().elements.data, poison_byte, out_.bytes());
    if (ranks_ != nullptr) fill_psi(true);
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
  [[nodiscard]] comm::Step* ranks() override { return step_ ? this : nullptr; }
  [[nodiscard]] Extents share() const override {
    return greatest_share(part_.whole(), part_.ranks());
  }

protected:
  using Host = lattice::Over<Tensor, double>;
  using Field = lattice::StoredField<Tensor, Number>;
  static constexpr unsigned char poison_byte = 0xff;

  StoredOverRanks(std::string name, const BenchRequest& request, const SiteGrid& grid,
                  const StoredUse& use, const StoredPart& part)
      : world_(request.size), name_(std::move(name)), size_(request.size),
        precision_(request.precision), queue_(request.device), part_(part), grid_(grid), use_(use),
        psi_(queue_.device(), opposite(grid_), "psi"), out_(queue_.device(), grid_, "out"),
        ranks_(request.world.ranks) {}

  [[nodiscard]] std::vector<SiteGrid> grids() const {
    if (grid_.half == 0) return {grid_};
    return {grid_, opposite(grid_)};
  }
  /// psi at a place of the whole lattice.
  [[nodiscard]] virtual Host value(const int (&x)[4], int s) const = 0;
  /// All that this rank keeps of it; or `poisoned`, NaN where it is another's.
  void fill_psi(bool poisoned = false) {
    psi_.fill(queue_, [&](const int(&own)[4], int s) {
      int x[4];
      part_.to_whole(own, x);
      Host psi = value(x, s);
      for (int c = 0; c < lattice::components_of<Tensor> && poisoned && !part_.owns(own); ++c)
        component(psi, c) = {std::numeric_limits<double>::quiet_NaN(), 0};
      return psi;
    });
  }
  /// Keeps the bits of the result, for the record.
  void note_bits() {
    if (ranks_ != nullptr) bits_ = bits();
  }

  RandomWorld world_;
  std::string name_;
  Extents size_;
  std::string precision_;
  Queue queue_;
  StoredPart part_; ///< all of the lattice, or what a rank has of it
  SiteGrid grid_;
  StoredUse use_;
  Field psi_, out_;
  Call call_;

private:
  [[nodiscard]] std::string site() const {
    std::string text = Kernel::form;
    if (grid_.half != 0) text += ", even sites";
    if (grid_.inner > 1) text += ", " + std::to_string(grid_.inner) + " values a site";
    return text;
  }
  void run() override { step_->run(); }
  void run_exchange() override { step_->run_exchange(); }
  void run_compute() override { step_->run_compute(); }
  [[nodiscard]] bool exchanges() const override { return step_->exchanges(); }
  /// Work is that of a launch on the whole lattice.
  [[nodiscard]] Record record() const override {
    using P = Pattern<StoredCall<Kernel>>;
    const Device& device = queue_.device();
    auto call = call_;
    call.grid = site_grid(device, size_, grid_.half == 0 ? Sites::all : Sites::even, real_bytes,
                          grid_.inner);
    const StoredSchedule s = schedule_.value_or(P::default_schedule(device, call));
    Record record = P(const_cast<Queue&>(queue_), call, s).record(device, s, name_);
    record.ranks = ranks_->ranks();
    record.details.push_back({"rank_grid", 0, to_text(part_.ranks())});
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
    out_.visit(queue_, [&](const int(&own)[4], int s, const Host& got) {
      if (!part_.owns(own)) return;
      int x[4];
      part_.to_whole(own, x);
      const auto site =
          static_cast<std::uint64_t>(world_.site(x)) * 128 + static_cast<std::uint64_t>(s);
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

} // namespace ridge::gauge
