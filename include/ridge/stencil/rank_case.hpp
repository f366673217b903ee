// Stencils over ranks on random fields: the numbers of the case on one rank.
#pragma once

#include <ridge/core/error.hpp>
#include <ridge/core/halves.hpp>
#include <ridge/core/random.hpp>
#include <ridge/device/cpu/parallel.hpp>
#include <ridge/pattern/bench_kernel.hpp>
#include <ridge/pattern/over_ranks.hpp>
#include <ridge/stencil/case.hpp>
#include <ridge/stencil/over_ranks.hpp>

#include <bit>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ridge::stencil {

/// The grid that is asked for. Throws UsageError as comm::parse_ranks and comm::Grid do.
[[nodiscard]] inline comm::Grid rank_grid(const BenchRequest& asked, const Traits& traits) {
  const comm::Reach reach = reach_of(traits.footprints);
  const Index3 points = asked.size.xyz();
  const int ranks = asked.world.ranks->ranks();
  return {points,
          asked.world.grid.empty() ? comm::choose_ranks(ranks, points, reach)
                                   : comm::parse_ranks(asked.world.grid, ranks),
          reach};
}

/// This rank's part of a stencil's fields, for OverRanks. Those of Stored<K, wide> hold halves of
/// numbers where the request says so.
template <class T>
class [[gnu::visibility("hidden")]] RankFields {
public:
  using Schedule = stencil::Schedule;

  RankFields(const std::string& name, const std::shared_ptr<const CheckedKernel<T>>& kernel,
             const BenchRequest& request);

  [[nodiscard]] AnyCall<T> call() const {
    AnyCall<T> made{kernel_, {}, out_.view()};
    for (const auto& field : in_)
      made.in.emplace_back(field.view());
    return made;
  }
  [[nodiscard]] Reference<AnyCall<T>> reference() const { return {wide_}; }
  [[nodiscard]] const comm::Grid& grid() const { return grid_; }
  [[nodiscard]] bool computes() const {
    return interior_points(kernel_->traits(), out_.view().extents) > 0;
  }
  [[nodiscard]] bool takes_schedules() const {
    return !comm::divide(grid_, ranks_.rank()).inner.empty();
  }
  [[nodiscard]] std::unique_ptr<comm::Step> step(const std::optional<Schedule>& schedule,
                                                 const std::string& name) {
    std::vector<const comm::RankField<T>*> addresses;
    for (const auto& field : in_)
      addresses.push_back(&field);
    return std::make_unique<AnyRankProgram<T>>(
        ranks_, own_queue, grid_, AnyRankCall<T>{kernel_, addresses, &out_}, schedule, name);
  }
  /// Sets the points of inputs that this rank owns; poisons the others.
  void fill() {
    for (std::size_t i = 0; i < in_.size(); ++i)
      fill(i);
  }
  /// Compares halos that footprints read with the numbers of the ranks that own them.
  [[nodiscard]] Check came() {
    Check mine{true, 0, "reference", ""};
    for (std::size_t i = 0; i < in_.size() && mine.ok; ++i)
      mine = check_halo(i, kernel_->traits().footprints[i]);
    return mine;
  }

  Queue own_queue;
  int dimensions; ///< of the size

private:
  /// The number of input i at a point of the whole field.
  [[nodiscard]] T number(std::size_t i, Index x, Index y, Index z) const;
  void fill(std::size_t i);
  [[nodiscard]] Check check_halo(std::size_t i, const std::vector<Offset>& footprint);

  std::shared_ptr<const CheckedKernel<T>> kernel_;
  comm::Communicator& ranks_;
  comm::Grid grid_;
  unsigned wide_;
  std::size_t numbers_; ///< inputs that are no low halves
  std::vector<comm::RankField<T>> in_;
  comm::RankField<T> out_;
};

template <class T>
RankFields<T>::RankFields(const std::string& name,
                          const std::shared_ptr<const CheckedKernel<T>>& kernel,
                          const BenchRequest& request)
    : own_queue(request.device), dimensions(request.size.rank()), kernel_(kernel),
      ranks_(*request.world.ranks), grid_(rank_grid(request, kernel->traits())),
      wide_(request.wide),
      numbers_(static_cast<std::size_t>(kernel->traits().inputs() - std::popcount(wide_))),
      out_(request.device, grid_, ranks_.rank(), "the output of " + name) {
  const Traits& traits = kernel->traits();
  if (interior_points(traits, request.size.xyz()) == 0) {
    const Offset& r = traits.radius;
    throw UsageError("--size " + to_text(request.size) + ": " + name + " needs at least " +
                     to_text(Extents{2 * r.x + 1, 2 * r.y + 1, 2 * r.z + 1}) + " points");
  }
  for (int i = 0; i < traits.inputs(); ++i) {
    in_.emplace_back(request.device, grid_, ranks_.rank(),
                     "input " + std::to_string(i) + " of " + name);
    fill(in_.size() - 1);
  }
}

template <class T>
T RankFields<T>::number(std::size_t i, Index x, Index y, Index z) const {
  const Index3 n = grid_.points();
  const auto is_wide = [this](std::size_t input) { return (wide_ >> input & 1U) != 0; };
  const auto value = [&](std::size_t input) {
    return static_cast<NumberOf<T>>(random_value(input + 1, x + n.x * (y + n.y * z)));
  };
  if constexpr (is_stored<T>) {
    if (i < numbers_ && is_wide(i)) return half_of<T>(value(i), true);
    if (i >= numbers_) { // low halves follow in turn
      std::size_t of = 0;
      for (std::size_t left = i - numbers_; !is_wide(of) || left > 0; ++of)
        left -= is_wide(of) ? 1 : 0;
      return half_of<T>(value(of), false);
    }
  }
  return element_of<T>(value(i));
}

template <class T>
void RankFields<T>::fill(std::size_t i) {
  const comm::Box& box = in_[i].owned();
  const comm::Box& held = in_[i].held();
  const Index3 n = held.extents();
  Memory memory; // of the host, where the device's cannot be written to
  View<T> to = in_[i].view();
  const T poison = element_of<T>(std::numeric_limits<NumberOf<T>>::quiet_NaN());
  const bool direct = own_queue.device().host_accessible();
  if (!direct) {
    memory = Memory(own_queue.device(), Bytes{held.count() * static_cast<Index>(sizeof(T))},
                    "numbers to fill a field", Memory::Place::staging);
    to = View<T>(static_cast<T*>(memory.data()), n);
  }
  cpu::run(cpu::default_threads(), [&](int thread, int threads) {
    const auto rows = cpu::share_of(n.y * n.z, thread, threads);
    for (Index row = rows.begin; row < rows.end; ++row) {
      const Index y = held.begin.y + row % n.y;
      const Index z = held.begin.z + row / n.y;
      const bool here = y >= box.begin.y && y < box.end.y && z >= box.begin.z && z < box.end.z;
      for (Index x = 0; x < n.x; ++x) {
        const Index at = held.begin.x + x;
        to.data[to.at(x, row % n.y, row / n.y)] =
            here && at >= box.begin.x && at < box.end.x ? number(i, at, y, z) : poison;
      }
    }
  });
  if (!direct) in_[i].copy_from_host(own_queue, to.data);
  own_queue.wait();
}

template <class T>
Check RankFields<T>::check_halo(std::size_t i, const std::vector<Offset>& footprint) {
  const comm::Box& held = in_[i].held();
  const Index3 n = held.extents();
  std::vector<T> values(static_cast<std::size_t>(held.count()));
  in_[i].copy_to_host(own_queue, values.data());
  own_queue.wait();
  const auto reach = reach_of({footprint});
  for (const comm::Route& route : comm::halo_plan(grid_, ranks_.rank(), reach).receives) {
    const comm::Box& box = route.box;
    for (Index z = box.begin.z; z < box.end.z; ++z) {
      for (Index y = box.begin.y; y < box.end.y; ++y) {
        for (Index x = box.begin.x; x < box.end.x; ++x) {
          const Index at =
              (x - held.begin.x) + n.x * ((y - held.begin.y) + n.y * (z - held.begin.z));
          if (values[static_cast<std::size_t>(at)] == number(i, x, y, z)) continue;
          return {false, 1, "reference",
                  "the halo of input " + std::to_string(i) + " holds another number than rank " +
                      std::to_string(route.peer) + " at " + std::to_string(x) + ", " +
                      std::to_string(y) + ", " + std::to_string(z)};
        }
      }
    }
  }
  return {true, 0, "reference", ""};
}

/// The case of a kernel over ranks.
template <class T>
using RankCase = OverRanks<AnyCall<T>, RankFields<T>>;

} // namespace ridge::stencil
