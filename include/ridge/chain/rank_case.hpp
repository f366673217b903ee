// Cases over ranks of chains, built in or in files of the user's.
#pragma once

#include <ridge/chain/bench.hpp>
#include <ridge/chain/over_ranks.hpp>
#include <ridge/comm/field.hpp>
#include <ridge/core/made.hpp>
#include <ridge/core/random.hpp>
#include <ridge/pattern/over_ranks.hpp>
#include <ridge/pattern/rank_shares.hpp>

#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ridge::chain {

/// The part of this rank of the request's world. Throws UsageError as RankRange does.
[[nodiscard]] RankRange rank_range(const RankDivision& division, const BenchRequest& request);

/// Random numbers in a rank's part of an array, those of the whole range's items: NaN outside of
/// `set`.
template <class T>
class RankNumbers {
public:
  /// `held` is where the array's memory lies, `whole` the points of the whole array.
  RankNumbers(std::uint64_t seed, const comm::Box& held, Index3 whole)
      : seed_(seed), held_(held), whole_(whole) {}

  [[nodiscard]] std::vector<T> make(const comm::Box& set) const;
  /// Where `found` is another number than the whole array has; empty where it is not.
  [[nodiscard]] std::string difference(const std::vector<T>& found) const;

private:
  std::uint64_t seed_;
  comm::Box held_;
  Index3 whole_;
};

/// This rank's part of the arrays of a chain of inputs, temporaries and one output, the last, for
/// OverRanks.
template <class C, class T>
class RankArrays {
public:
  using Call = Request<Placed<C>, T>;
  using Schedule = chain::Schedule;

  RankArrays(const std::string& /*name*/, const C& chain, const BenchRequest& request)
      : own_queue(request.device), dimensions(request.size.rank()), ranks_(*request.world.ranks),
        chain_(chain), range_(rank_range(division_of<C, T>(chain), request)) {
    [&]<int... A>(std::integer_sequence<int, A...>) {
      (make(std::integral_constant<int, A>{}), ...);
    }
    (std::make_integer_sequence<int, count>{});
    fill();
  }

  [[nodiscard]] Call call() const { return placed_request(range_, chain_, views_); }
  [[nodiscard]] static Reference<Call> reference() { return {}; }
  [[nodiscard]] const comm::Grid& grid() const { return range_.grid(); }
  [[nodiscard]] static bool computes() { return true; }
  [[nodiscard]] static bool takes_schedules() { return true; }
  [[nodiscard]] std::unique_ptr<comm::Step> step(const std::optional<Schedule>& schedule,
                                                 const std::string& name) {
    return made_as<RankProgram<C, T>, comm::Step>(ranks_, own_queue, range_, chain_, views_,
                                                  schedule, name);
  }
  /// Fills what this rank owns of inputs, and all that it holds of profiles.
  void fill() {
    for (int i = 0; i < count; ++i) {
      if (!is_input(i)) continue;
      const auto number = static_cast<std::size_t>(i);
      const auto values = numbers(i).make(C::arrays[number].profile ? range_.held_points(i)
                                                                    : range_.owned_points(i));
      const View<T>& view = views_.all()[number];
      copy_to_device(own_queue, view.data, values.data(), view.span());
      own_queue.wait();
    }
  }
  /// Compares what came from other ranks with what they hold.
  [[nodiscard]] Check came() {
    for (int i = 0; i < count; ++i) {
      if (!is_input(i)) continue;
      const auto number = static_cast<std::size_t>(i);
      const std::string where = numbers(i).difference(packed(own_queue, views_.all()[number]));
      if (!where.empty()) {
        return {false, 1, "reference",
                std::string("'") + C::arrays[number].name +
                    "' holds another number than its rank at " + where};
      }
    }
    return {true, 0, "reference", ""};
  }

  Queue own_queue;
  int dimensions; ///< of the size

private:
  static constexpr int count = arrays_of<C>;
  static bool is_input(int i) { return C::arrays[static_cast<std::size_t>(i)].role == Role::input; }
  [[nodiscard]] RankNumbers<T> numbers(int i) const {
    const Array& array = C::arrays[static_cast<std::size_t>(i)];
    const Index3 n = range_.grid().points();
    return {static_cast<std::uint64_t>(i + 1),
            range_.held_points(i),
            {array.profile ? 1 : n.x + array.extra.x, n.y + array.extra.y, n.z + array.extra.z}};
  }
  template <int A>
  void make(std::integral_constant<int, A> /*slot*/) {
    constexpr Array array = C::arrays[A];
    if constexpr (array.role != Role::temporary) {
      const Index3 n = range_.held_points(A).extents();
      fields_[A] = Field<T>(own_queue.device(), {n.x, n.y, n.z}, array.name);
      views_.set(Slot<A>{}, fields_[A].view());
    }
  }

  comm::Communicator& ranks_;
  C chain_;
  RankRange range_;
  Views<Placed<C>, T> views_;
  std::array<Field<T>, count> fields_;
};

/// The ranks of a chain with outer dimensions: along these alone, as the world's grid says. Throws
/// UsageError for a grid that divides others.
[[nodiscard]] World outer_ranks(const std::string& name, int inner, const BenchRequest& request);

/// Lets a chain's entry run over ranks: each has a part of the range, or some instances of a chain
/// with outer dimensions.
template <class C>
void add_rank_case(BenchKernel& made, const C& chain) {
  if constexpr (has_instances<C>) {
    made.add_ranks(
        [name = made.name, one = made.make_case](const BenchRequest& request, RoofSource& roofs) {
          require_chain(name, chain_dimensions<C>, request.size, request.precision);
          BenchRequest outer = request;
          outer.world = outer_ranks(name, static_cast<int>(C::dimensions.size()), request);
          return share_case(name, one, outer, roofs);
        });
  } else {
    made.add_ranks([name = made.name, chain](const BenchRequest& request, RoofSource&) {
      require_chain(name, static_cast<int>(C::dimensions.size()), request.size, request.precision);
      return in_precision(
          request.precision, name, [&]<class T>(T /*number*/) -> std::unique_ptr<Case> {
            using Held = RankArrays<C, T>;
            return made_as<OverRanks<typename Held::Call, Held>, Case>(name, chain, request);
          });
    });
  }
}
} // namespace ridge::chain
