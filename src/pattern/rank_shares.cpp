#include <ridge/comm/gather.hpp>
#include <ridge/comm/step.hpp>
#include <ridge/core/error.hpp>
#include <ridge/pattern/rank_shares.hpp>

#include <fmt/format.h>

#include <cstring>
#include <optional>
#include <vector>

namespace ridge {

Extents shares_grid(const World& world, const Extents& size, const std::string& kernel) {
  const comm::Communicator& ranks = *world.ranks;
  const std::string& text = world.grid;
  if (text.empty()) return comm::choose_grid(ranks.ranks(), size, 1);
  const Extents grid = parse_extents(text, "--ranks");
  if (grid.count() != ranks.ranks() || grid.rank() > size.rank()) {
    throw UsageError(
        fmt::format("--ranks {}: {} of size {} on {} ranks takes as many numbers as it "
                    "has dimensions, whose product is {}",
                    text, kernel, to_text(size), ranks.ranks(), ranks.ranks()));
  }
  for (int d = 0; d < grid.rank(); ++d) {
    if (grid[d] <= size[d]) continue;
    throw UsageError(fmt::format("--ranks {}: {} along dimension {} of {} are too few for {} "
                                 "ranks: each must own at least 1, so at most {} are right there",
                                 text, size[d], d, to_text(size), grid[d], size[d]));
  }
  return grid;
}

namespace {

/// What a rank has of a size that is divided so.
Extents share_of(const Extents& size, const Extents& grid, int rank) {
  Index own[max_rank] = {};
  for (int d = 0; d < size.rank(); ++d) {
    const Index place = rank % grid[d];
    rank /= static_cast<int>(grid[d]);
    own[d] = size[d] * (place + 1) / grid[d] - size[d] * place / grid[d];
  }
  return {own, size.rank()};
}

class ShareCase final : public Case, private comm::Step {
public:
  ShareCase(const std::string& kernel, const MakeCase& make_case, const BenchRequest& request,
            RoofSource& roofs, bool slices)
      : size_(request.size), ranks_(*request.world.ranks),
        grid_(shares_grid(request.world, size_, kernel)), slices_(slices) {
    BenchRequest mine = request;
    mine.size = share_of(size_, grid_, ranks_.rank());
    mine.world = {};
    case_ = make_case(mine, roofs);
    count_ = case_->results().size();
    of_slice_ = slices ? count_ / static_cast<std::size_t>(mine.size[last()]) : count_;
    message_ = slices ? of_slice_ * static_cast<std::size_t>(share()[last()]) : count_;
    mine_.resize(message_);
    all_.resize(message_ * static_cast<std::size_t>(ranks_.ranks()));
    // Of slices, ranks may have more and fewer: the host sends those.
    const Span<const double> there = case_->results_on_device();
    if (exchanges() && !slices && there.size == static_cast<Index>(count_)) {
      gather_ =
          std::make_unique<comm::Gather>(ranks_, case_->queue(), there.data,
                                         Bytes{there.size * static_cast<Index>(sizeof(double))});
    }
  }

  [[nodiscard]] Queue& queue() override { return case_->queue(); }
  [[nodiscard]] Subject subject() const override { return case_->subject(); }
  [[nodiscard]] std::unique_ptr<Menu> menu_at(const Place& place) const override {
    return case_->menu_at(place);
  }
  [[nodiscard]] Program bind(const AskedSchedule& s) override {
    program_.emplace(case_->bind(case_->menu().asked(s.text).front()));
    return program_of_ranks();
  }
  void poison() override {
    case_->poison();
    total_.clear();
  }
  [[nodiscard]] Check check() override {
    if (gather_ && gather_->needs_no_host()) read();
    queue().wait();
    const Check mine = case_->check();
    return mine.ok && exchanges() ? check_total(mine) : mine;
  }
  [[nodiscard]] Limit limit() const override { return case_->limit(); }
  [[nodiscard]] comm::Step* ranks() override { return this; }
  [[nodiscard]] Extents share() const override { return greatest_share(size_, grid_); }

private:
  void run() override {
    run_compute();
    run_exchange();
  }
  /// One message of each rank: the results so far. Where messages need no host, every rank's device
  /// has those of all, as on one rank, and nobody waits.
  void run_exchange() override {
    if (!exchanges()) return;
    if (gather_) {
      gather_->launch();
      if (!gather_->needs_no_host()) read();
      return;
    }
    ranks_.all_gather(mine_.data(), mine_.size() * sizeof(double), all_.data());
    total_ = sum_of(all_);
  }
  void run_compute() override {
    program_->run();
    if (!exchanges() || gather_) return;
    mine_ = case_->results();
    mine_.resize(message_); // of slices, ranks may own some more and some fewer
  }
  [[nodiscard]] bool exchanges() const override { return !mine_.empty(); }
  [[nodiscard]] Record record() const override {
    Record record = program_->record();
    record.ranks = ranks_.ranks();
    const auto over_ranks = [&](auto& number) {
      number = static_cast<std::remove_reference_t<decltype(number)>>(
          ranks_.sum(static_cast<double>(number)));
    };
    over_ranks(record.work.read.value);
    over_ranks(record.work.written.value);
    over_ranks(record.work.flops);
    over_ranks(record.work.items);
    record.details.push_back({"rank_grid", 0, to_text(grid_)});
    const char* const carrier = gather_ ? comm::to_text(gather_->carrier()) : "host";
    record.details.push_back({"carrier", 0, exchanges() ? carrier : "none"});
    record.details.push_back(
        {"exchange_bytes", static_cast<double>(all_.size() * sizeof(double)), {}});
    return record;
  }

  /// What all ranks sent, and its sum.
  void read() {
    gather_->get(all_.data());
    total_ = sum_of(all_);
  }
  /// That what came from this rank is what it sent, and that all ranks have the sum of all.
  [[nodiscard]] Check check_total(Check mine) {
    std::vector<double> theirs;
    for (int rank = 0; rank < ranks_.ranks(); ++rank) {
      const std::vector<double> one = from(rank);
      theirs.insert(theirs.end(), one.begin(), one.end());
    }
    const std::vector<double> right = sum_of(theirs);
    if (std::memcmp(all_.data(), theirs.data(), theirs.size() * sizeof(double)) != 0 ||
        total_.size() != right.size() ||
        std::memcmp(total_.data(), right.data(), right.size() * sizeof(double)) != 0) {
      mine.ok = false;
      mine.message = "the sum over ranks is not that of their results";
    }
    return mine;
  }
  [[nodiscard]] int last() const { return size_.rank() - 1; }
  /// Of the ranks' results, one rank's after the other's, those of the whole size.
  [[nodiscard]] std::vector<double> sum_of(const std::vector<double>& all) const {
    const auto slices = static_cast<std::size_t>(slices_ ? size_[last()] : 1);
    std::vector<double> total(slices * of_slice_, 0);
    for (int rank = 0; rank < ranks_.ranks(); ++rank) {
      const Extents own = share_of(size_, grid_, rank);
      const std::size_t count =
          slices_ ? static_cast<std::size_t>(own[last()]) * of_slice_ : count_;
      const std::size_t from = static_cast<std::size_t>(rank) * message_;
      const std::size_t to = slices_ ? first_slice(rank) * of_slice_ : 0;
      for (std::size_t i = 0; i < count; ++i)
        total[to + i] += all[from + i];
    }
    return total;
  }
  /// The first slice of the last dimension that a rank owns.
  [[nodiscard]] std::size_t first_slice(int rank) const {
    const Index ranks_along = grid_[last()];
    const Index place = rank / (grid_.count() / ranks_along) % ranks_along;
    return static_cast<std::size_t>(size_[last()] * place / ranks_along);
  }
  /// The results of a rank, one number after the other.
  [[nodiscard]] std::vector<double> from(int rank) {
    std::vector<double> theirs = gather_ ? case_->results() : mine_;
    for (double& number : theirs)
      number = ranks_.from(rank, number);
    return theirs;
  }

  Extents size_;
  comm::Communicator& ranks_;
  Extents grid_;
  bool slices_;
  /// Results of this rank and of a slice, and numbers of a message.
  std::size_t count_ = 0, of_slice_ = 0, message_ = 0;
  std::unique_ptr<Case> case_;
  std::unique_ptr<comm::Gather> gather_; ///< none where the host sends what it has read
  std::optional<Program> program_;
  std::vector<double> mine_, all_, total_; ///< of what is reduced
};

} // namespace

std::unique_ptr<Case> share_case(const std::string& kernel, const MakeCase& make_case,
                                 const BenchRequest& request, RoofSource& roofs, bool slices) {
  return std::make_unique<ShareCase>(kernel, make_case, request, roofs, slices);
}

} // namespace ridge
