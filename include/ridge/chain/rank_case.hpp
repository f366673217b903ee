// Cases over ranks of chains, built in or in files of the user's.
#pragma once

#include <ridge/chain/bench.hpp>
#include <ridge/chain/over_ranks.hpp>
#include <ridge/comm/field.hpp>
#include <ridge/core/random.hpp>
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
  /// The value of a point of the whole array, which goes round.
  [[nodiscard]] T at(Index x, Index y, Index z) const {
    const auto in = [](Index i, Index n) { return (i % n + n) % n; };
    return static_cast<T>(random_value(
        seed_, in(x, whole_.x) + whole_.x * (in(y, whole_.y) + whole_.y * in(z, whole_.z))));
  }

  std::uint64_t seed_;
  comm::Box held_;
  Index3 whole_;
};

/// This rank's part of a chain's arrays, and a queue for them.
template <class C, class T>
class RankArrays {
protected:
  RankArrays(const C& chain, const BenchRequest& request)
      : ranks_(*request.world.ranks), own_queue_(request.device),
        range_(rank_range(division_of<C, T>(chain), request)) {
    [&]<int... A>(std::integer_sequence<int, A...>) {
      (make(std::integral_constant<int, A>{}), ...);
    }(std::make_integer_sequence<int, count>{});
    fill_inputs();
  }

  static constexpr int count = arrays_of<C>;
  static bool is_input(int i) { return C::arrays[static_cast<std::size_t>(i)].role == Role::input; }
  [[nodiscard]] RankNumbers<T> numbers(int i) const {
    const Array& array = C::arrays[static_cast<std::size_t>(i)];
    const Index3 n = range_.grid().points();
    return {static_cast<std::uint64_t>(i + 1),
            range_.held_points(i),
            {array.profile ? 1 : n.x + array.extra.x, n.y + array.extra.y, n.z + array.extra.z}};
  }
  /// Fills what this rank owns of inputs, and all that it holds of profiles.
  void fill_inputs() {
    for (int i = 0; i < count; ++i) {
      if (!is_input(i)) continue;
      const auto number = static_cast<std::size_t>(i);
      const auto values = numbers(i).make(C::arrays[number].profile ? range_.held_points(i)
                                                                    : range_.owned_points(i));
      const View<T>& view = views_.all()[number];
      copy_to_device(own_queue_, view.data, values.data(), view.span());
      own_queue_.wait();
    }
  }
  /// Compares what came from other ranks with what they hold.
  [[nodiscard]] Check check_inputs() {
    for (int i = 0; i < count; ++i) {
      if (!is_input(i)) continue;
      const auto number = static_cast<std::size_t>(i);
      const std::string where = numbers(i).difference(packed(own_queue_, views_.all()[number]));
      if (!where.empty()) {
        return {false, 1, "reference",
                std::string("'") + C::arrays[number].name +
                    "' holds another number than its rank at " + where};
      }
    }
    return {true, 0, "reference", ""};
  }

  comm::Communicator& ranks_;
  Queue own_queue_;
  RankRange range_;
  Views<Placed<C>, T> views_;

private:
  template <int A>
  void make(std::integral_constant<int, A> /*slot*/) {
    constexpr Array array = C::arrays[A];
    if constexpr (array.role != Role::temporary) {
      const Index3 n = range_.held_points(A).extents();
      fields_[A] = Field<T>(own_queue_.device(), {n.x, n.y, n.z}, array.name);
      views_.set(Slot<A>{}, fields_[A].view());
    }
  }

  std::array<Field<T>, count> fields_;
};

/// A chain of inputs, temporaries and one output, its last array.
template <class C, class T>
class RankChainCase final : RankArrays<C, T>, public CallCase<Request<Placed<C>, T>> {
public:
  using Arrays = RankArrays<C, T>;
  using One = CallCase<Request<Placed<C>, T>>;

  RankChainCase(const std::string& name, const C& chain, const BenchRequest& request)
      : Arrays(chain, request),
        One(name, Arrays::own_queue_, placed_request(Arrays::range_, chain, Arrays::views_)),
        chain_(chain), dimensions_(request.size.rank()) {}

  [[nodiscard]] Program bind(const AskedSchedule& s) override {
    std::optional<Schedule> schedule;
    if (s.text != "auto") schedule = this->template held<Schedule>(s);
    program_.emplace(Arrays::ranks_, Arrays::own_queue_, Arrays::range_, chain_, Arrays::views_,
                     schedule, this->name_);
    return this->program_of_ranks();
  }
  void poison() override {
    Arrays::fill_inputs();
    One::poison();
  }
  [[nodiscard]] Check check() override {
    Arrays::own_queue_.wait();
    const Check came = Arrays::check_inputs();
    return came.ok ? One::check() : came;
  }
  [[nodiscard]] comm::Step* ranks() override { return &*program_; }
  [[nodiscard]] Extents share() const override {
    return greatest_share(Arrays::range_.grid(), dimensions_);
  }

private:
  C chain_;
  int dimensions_;
  std::optional<RankProgram<C, T>> program_;
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
      return in_precision(request.precision, name,
                          [&]<class T>(T /*number*/) -> std::unique_ptr<Case> {
                            return std::make_unique<RankChainCase<C, T>>(name, chain, request);
                          });
    });
  }
}
} // namespace ridge::chain
