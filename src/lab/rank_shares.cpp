#include <ridge/core/error.hpp>
#include <ridge/lab/case.hpp>
#include <ridge/lab/rank_shares.hpp>
#include <ridge/lattice/rank_lattice.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <vector>

namespace ridge::lab {

namespace {

/// The ranks along each dimension of a size: `text` as "1x1x1x2", or those that Ridge takes.
Extents grid_of(const comm::Communicator& ranks, const std::string& text, const Extents& size,
                const std::string& kernel) {
  if (text.empty()) return lattice::choose_ranks(ranks.ranks(), size, 0);
  const Extents grid = parse_extents(text, "--ranks");
  if (grid.count() != ranks.ranks() || grid.rank() > size.rank()) {
    throw UsageError(
        fmt::format("--ranks {}: {} of size {} on {} ranks takes as many numbers as it "
                    "has dimensions, whose product is {}",
                    text, kernel, to_text(size), ranks.ranks(), ranks.ranks()));
  }
  return grid;
}

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

class ShareCase final : public RankCase {
public:
  ShareCase(const std::string& kernel, const MakeCase& make_case, const BenchRequest& request,
            comm::Communicator& ranks, const std::string& grid)
      : size_(request.size), ranks_(ranks), grid_(grid_of(ranks, grid, size_, kernel)),
        schedule_(request.schedule), roof_(request.device, true, request.roof) {
    BenchRequest mine = request;
    mine.size = share_of(size_, grid_, ranks.rank());
    case_ = make_case(mine, roof_);
    mine_ = case_->results();
    all_.resize(mine_.size() * static_cast<std::size_t>(ranks.ranks()));
  }

  [[nodiscard]] Queue& queue() override { return case_->queue(); }
  void bind() override { program_.emplace(case_->bind(case_->schedules(schedule_).front())); }
  void run() override {
    run_compute();
    run_exchange();
  }
  /// One message of each rank, from the host: the results so far.
  void run_exchange() override {
    if (!exchanges()) return;
    ranks_.all_gather(mine_.data(), mine_.size() * sizeof(double), all_.data());
    total_.assign(mine_.size(), 0);
    for (std::size_t i = 0; i < all_.size(); ++i)
      total_[i % mine_.size()] += all_[i];
  }
  void run_compute() override {
    program_->run();
    if (exchanges()) mine_ = case_->results();
  }
  [[nodiscard]] bool exchanges() const override { return !mine_.empty(); }
  [[nodiscard]] std::string roof_name() const override { return case_->limit().name; }

  [[nodiscard]] Check check() override {
    case_->poison();
    total_.clear();
    run();
    queue().wait();
    Check mine = case_->check();
    if (mine.ok && exchanges()) mine = check_total(mine);
    return worst_of(ranks_, mine);
  }
  [[nodiscard]] Record record() override {
    Record record = program_->record();
    record.size = size_;
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
    record.details.push_back({"carrier", 0, exchanges() ? "host" : "none"});
    record.details.push_back(
        {"exchange_bytes", static_cast<double>(all_.size() * sizeof(double)), {}});
    return record;
  }
  [[nodiscard]] Extents share() const override {
    Index most[max_rank] = {};
    for (int d = 0; d < size_.rank(); ++d)
      most[d] = ceil_div(size_[d], grid_[d]);
    return {most, size_.rank()};
  }

private:
  /// That what came from this rank is what it sent, and that all ranks have the sum of all.
  [[nodiscard]] Check check_total(Check mine) {
    const std::size_t bytes = mine_.size() * sizeof(double);
    const std::size_t at = mine_.size() * static_cast<std::size_t>(ranks_.rank());
    std::vector<double> right(mine_.size(), 0);
    for (int rank = 0; rank < ranks_.ranks(); ++rank) {
      const std::vector<double> theirs = from(rank);
      for (std::size_t i = 0; i < right.size(); ++i)
        right[i] += theirs[i];
    }
    if (std::memcmp(all_.data() + at, mine_.data(), bytes) != 0 ||
        std::memcmp(total_.data(), right.data(), bytes) != 0) {
      mine.ok = false;
      mine.message = "the sum over ranks is not that of their results";
    }
    return mine;
  }
  /// The results of a rank, one number after the other.
  [[nodiscard]] std::vector<double> from(int rank) {
    std::vector<double> theirs = mine_;
    for (double& number : theirs)
      number = ranks_.from(rank, number);
    return theirs;
  }

  Extents size_;
  comm::Communicator& ranks_;
  Extents grid_;
  std::string schedule_;
  RoofSource roof_;
  std::unique_ptr<Case> case_;
  std::optional<Program> program_;
  std::vector<double> mine_, all_, total_; ///< of what is reduced
};

} // namespace

std::unique_ptr<RankCase> share_case(const std::string& kernel, const MakeCase& make_case,
                                     const BenchRequest& request, comm::Communicator& ranks,
                                     const std::string& grid) {
  return std::make_unique<ShareCase>(kernel, make_case, request, ranks, grid);
}

} // namespace ridge::lab
