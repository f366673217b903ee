// Cases over ranks of chains, built in or in files of the user's.
#pragma once

#include <ridge/chain/over_ranks.hpp>
#include <ridge/comm/field.hpp>
#include <ridge/core/random.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/lab/chain_check.hpp>
#include <ridge/lab/chain_kernel.hpp>
#include <ridge/lab/rank_case.hpp>
#include <ridge/lab/rank_shares.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ridge::lab {

/// The part of this rank: `grid` as comm::parse_ranks takes it, or empty. Throws UsageError as
/// chain::RankRange does.
[[nodiscard]] chain::RankRange rank_range(const chain::RankDivision& division,
                                          const BenchRequest& request,
                                          const comm::Communicator& ranks, const std::string& grid);
/// The schedule that is asked for; nothing for `auto`.
[[nodiscard]] std::optional<chain::Schedule>
rank_schedule(const BenchRequest& request, const chain::Description& chain, Index3 extents);

/// Random numbers in a rank's part of an array, those of the whole range's items: NaN outside of
/// `set`.
template <class T>
class RankNumbers {
public:
  /// `held` is where the array's memory lies, `whole` the points of the whole array.
  RankNumbers(std::uint64_t seed, const comm::Box& held, Index3 whole)
      : seed_(seed), held_(held), whole_(whole) {}

  [[nodiscard]] std::vector<T> make(const comm::Box& set) const {
    std::vector<T> all;
    each([&](Index x, Index y, Index z) {
      const bool here = x >= set.begin.x && x < set.end.x && y >= set.begin.y && y < set.end.y &&
                        z >= set.begin.z && z < set.end.z;
      all.push_back(here ? at(x, y, z) : std::numeric_limits<T>::quiet_NaN());
    });
    return all;
  }
  /// Where `found` is another number than the whole array has; empty where it is not.
  [[nodiscard]] std::string difference(const std::vector<T>& found) const {
    std::string where;
    std::size_t i = 0;
    each([&](Index x, Index y, Index z) {
      if (!(found[i++] == at(x, y, z)) && where.empty())
        where = std::to_string(x) + ", " + std::to_string(y) + ", " + std::to_string(z);
    });
    return where;
  }

private:
  template <class F>
  void each(const F& f) const {
    for (Index z = held_.begin.z; z < held_.end.z; ++z)
      for (Index y = held_.begin.y; y < held_.end.y; ++y)
        for (Index x = held_.begin.x; x < held_.end.x; ++x)
          f(x, y, z);
  }
  /// Of a point of the whole array, which goes round.
  [[nodiscard]] T at(Index x, Index y, Index z) const {
    const auto in = [](Index i, Index n) { return (i % n + n) % n; };
    return static_cast<T>(random_value(
        seed_, in(x, whole_.x) + whole_.x * (in(y, whole_.y) + whole_.y * in(z, whole_.z))));
  }

  std::uint64_t seed_;
  comm::Box held_;
  Index3 whole_;
};

/// A chain of inputs, temporaries and one output, its last array.
template <class C, class T>
class RankChainCase final : public RankCase {
public:
  RankChainCase(std::string name, const C& chain, const BenchRequest& request,
                comm::Communicator& ranks, const std::string& grid)
      : name_(std::move(name)), ranks_(ranks), queue_(request.device), size_(request.size),
        chain_(chain), description_(chain::describe<C, T>()),
        range_(rank_range(chain::division_of<C, T>(chain), request, ranks, grid)),
        schedule_(rank_schedule(request, description_, range_.held().extents())) {
    [&]<int... A>(std::integer_sequence<int, A...>) {
      (make(std::integral_constant<int, A>{}), ...);
    }
    (std::make_integer_sequence<int, count>{});
  }

  [[nodiscard]] Queue& queue() override { return queue_; }
  void bind() override {
    fill_inputs();
    program_.emplace(ranks_, queue_, range_, chain_, views_, schedule_, name_);
  }
  void run() override { program_->run(); }
  void run_exchange() override { program_->run_exchange(); }
  void run_compute() override { program_->run_compute(); }
  [[nodiscard]] Record record() override {
    Record record = program_->record();
    record.size = size_;
    return record;
  }
  [[nodiscard]] Extents share() const override {
    Index most[3] = {1, 1, 1};
    for (int rank = 0; rank < ranks_.ranks(); ++rank) {
      const Index3 n = range_.grid().owned(rank).extents();
      for (int d = 0; d < 3; ++d)
        most[d] = std::max(most[d], comm::along(n, d));
    }
    return {most, size_.rank()};
  }
  /// What came from other ranks is what they hold, and the results of what this rank holds are
  /// those of the reference.
  [[nodiscard]] Check check() override {
    fill_inputs();
    const View<T>& out = views_.all().back();
    fill_bytes(queue_, out.data, chain_poison, {out.span() * static_cast<Index>(sizeof(T))});
    program_->run();
    queue_.wait();
    Check mine{true, 0, "reference", ""};
    for (int i = 0; i < count && mine.ok; ++i) {
      if (!is_input(i)) continue;
      const auto number = static_cast<std::size_t>(i);
      const std::string where = numbers(i).difference(packed(queue_, views_.all()[number]));
      if (where.empty()) continue;
      mine = {false, 1, "reference",
              std::string("'") + C::arrays[number].name +
                  "' holds another number than its rank at " + where};
    }
    if (mine.ok) mine = check_chain(queue_, chain::placed_request(range_, chain_, views_));
    return worst_of(ranks_, mine);
  }

private:
  static constexpr int count = chain::arrays_of<C>;
  static bool is_input(int i) {
    return C::arrays[static_cast<std::size_t>(i)].role == chain::Role::input;
  }

  template <int A>
  void make(std::integral_constant<int, A> /*slot*/) {
    constexpr chain::Array array = C::arrays[A];
    if constexpr (array.role != chain::Role::temporary) {
      const Index3 n = range_.held_points(A).extents();
      fields_[A] = Field<T>(queue_.device(), {n.x, n.y, n.z}, array.name);
      views_.set(chain::Slot<A>{}, fields_[A].view());
    }
  }
  [[nodiscard]] RankNumbers<T> numbers(int i) const {
    const chain::Array& array = C::arrays[static_cast<std::size_t>(i)];
    const Index3 n = range_.grid().points();
    return {static_cast<std::uint64_t>(i + 1),
            range_.held_points(i),
            {array.profile ? 1 : n.x + array.extra.x, n.y + array.extra.y, n.z + array.extra.z}};
  }
  /// Of inputs what this rank owns, and all that it holds of profiles.
  void fill_inputs() {
    for (int i = 0; i < count; ++i) {
      if (!is_input(i)) continue;
      const auto number = static_cast<std::size_t>(i);
      const auto values = numbers(i).make(C::arrays[number].profile ? range_.held_points(i)
                                                                    : range_.owned_points(i));
      const View<T>& view = views_.all()[number];
      copy_to_device(queue_, view.data, values.data(), view.span());
      queue_.wait();
    }
  }

  std::string name_;
  comm::Communicator& ranks_;
  Queue queue_;
  Extents size_;
  C chain_;
  chain::Description description_;
  chain::RankRange range_;
  std::optional<chain::Schedule> schedule_;
  std::array<Field<T>, count> fields_;
  chain::Views<chain::Placed<C>, T> views_;
  std::optional<chain::RankProgram<C, T>> program_;
};

/// The ranks of a chain with outer dimensions: along these alone. `grid` as comm::parse_ranks takes
/// it, or empty. Throws UsageError for a grid that divides others.
[[nodiscard]] std::string outer_grid(const std::string& name, int inner, const Extents& size,
                                     const std::string& grid, int ranks);

/// Each rank has a part of the range.
template <class C>
void add_divided_case(BenchKernel& made, const C& chain) {
  made.make_rank_case = [name = made.name,
                         chain](const BenchRequest& request, comm::Communicator& ranks,
                                const std::string& grid) -> std::unique_ptr<RankCase> {
    require_chain(name, static_cast<int>(C::dimensions.size()), request.size, request.precision);
    if (request.precision == "fp32")
      return std::make_unique<RankChainCase<C, float>>(name, chain, request, ranks, grid);
    return std::make_unique<RankChainCase<C, double>>(name, chain, request, ranks, grid);
  };
}

/// Lets a chain's entry run over ranks. Of one with outer dimensions each rank has some instances.
template <class C>
void add_rank_case(BenchKernel& made, const C& chain) {
  if constexpr (has_instances<C>) {
    made.make_rank_case = [name = made.name, one = made.make_case](
                              const BenchRequest& request, comm::Communicator& ranks,
                              const std::string& grid) -> std::unique_ptr<RankCase> {
      require_chain(name, chain_dimensions<C>, request.size, request.precision);
      constexpr auto inner = static_cast<int>(C::dimensions.size());
      return share_case(name, one, request, ranks,
                        outer_grid(name, inner, request.size, grid, ranks.ranks()));
    };
  } else {
    add_divided_case(made, chain);
  }
}
} // namespace ridge::lab
