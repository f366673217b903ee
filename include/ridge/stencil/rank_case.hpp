// Stencils over ranks on random fields: the numbers of the case on one rank.
#pragma once

#include <ridge/core/error.hpp>
#include <ridge/core/halves.hpp>
#include <ridge/core/random.hpp>
#include <ridge/device/cpu/parallel.hpp>
#include <ridge/stencil/case.hpp>
#include <ridge/stencil/over_ranks.hpp>

#include <bit>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ridge::stencil {

/// Random fields over ranks.
struct RankRequest {
  Device device;
  Extents size;
  comm::Communicator& ranks;
  std::string grid;  ///< "2x1x3"; empty: the one with least exchange
  unsigned wide = 0; ///< inputs that are halves of numbers, as those of Stored<K, wide>
};

/// The grid that is asked for. Throws UsageError as comm::parse_ranks and comm::Grid do.
[[nodiscard]] inline comm::Grid rank_grid(const RankRequest& asked, const Traits& traits) {
  const comm::Reach reach = reach_of(traits.footprints);
  const Index3 points = asked.size.xyz();
  const int ranks = asked.ranks.ranks();
  return {points,
          asked.grid.empty() ? comm::choose_ranks(ranks, points, reach)
                             : comm::parse_ranks(asked.grid, ranks),
          reach};
}

/// This rank's part of a stencil's fields, and a queue for them. Those of Stored<K, wide> hold
/// halves of numbers where it says so.
template <class T>
struct [[gnu::visibility("hidden")]] RankFields {
  RankFields(const std::string& name, const Traits& traits, const RankRequest& request);

  [[nodiscard]] std::vector<View<const T>> inputs() const {
    std::vector<View<const T>> all;
    for (const auto& field : in)
      all.emplace_back(field.view());
    return all;
  }
  /// The number of input i at a point of the whole field.
  [[nodiscard]] T number(std::size_t i, Index x, Index y, Index z) const;
  /// Sets the points of an input that this rank owns; poisons the others.
  void fill(std::size_t i);
  /// Compares the halo that input i's footprint reads with the numbers of the ranks that own it.
  [[nodiscard]] Check check_halo(std::size_t i, const std::vector<Offset>& footprint);

  comm::Communicator& ranks;
  Queue queue;
  comm::Grid grid;
  unsigned wide;
  std::size_t numbers; ///< inputs that are no low halves
  std::vector<comm::RankField<T>> in;
  comm::RankField<T> out;
};

template <class T>
RankFields<T>::RankFields(const std::string& name, const Traits& traits, const RankRequest& request)
    : ranks(request.ranks), queue(request.device), grid(rank_grid(request, traits)),
      wide(request.wide), numbers(static_cast<std::size_t>(traits.inputs() - std::popcount(wide))),
      out(request.device, grid, ranks.rank(), "the output of " + name) {
  if (interior_points(traits, request.size.xyz()) == 0) {
    const Offset& r = traits.radius;
    throw UsageError("--size " + to_text(request.size) + ": " + name + " needs at least " +
                     to_text(Extents{2 * r.x + 1, 2 * r.y + 1, 2 * r.z + 1}) + " points");
  }
  for (int i = 0; i < traits.inputs(); ++i) {
    in.emplace_back(request.device, grid, ranks.rank(),
                    "input " + std::to_string(i) + " of " + name);
    fill(in.size() - 1);
  }
}

template <class T>
T RankFields<T>::number(std::size_t i, Index x, Index y, Index z) const {
  const Index3 n = grid.points();
  const auto is_wide = [this](std::size_t input) { return (wide >> input & 1U) != 0; };
  const auto value = [&](std::size_t input) {
    return static_cast<NumberOf<T>>(random_value(input + 1, x + n.x * (y + n.y * z)));
  };
  if constexpr (is_stored<T>) {
    if (i < numbers && is_wide(i)) return half_of<T>(value(i), true);
    if (i >= numbers) { // low halves follow in turn
      std::size_t of = 0;
      for (std::size_t left = i - numbers; !is_wide(of) || left > 0; ++of)
        left -= is_wide(of) ? 1 : 0;
      return half_of<T>(value(of), false);
    }
  }
  return element_of<T>(value(i));
}

template <class T>
void RankFields<T>::fill(std::size_t i) {
  const comm::Box& box = in[i].owned();
  const comm::Box& held = in[i].held();
  const Index3 n = held.extents();
  Memory memory; // of the host, where the device's cannot be written to
  View<T> to = in[i].view();
  const T poison = element_of<T>(std::numeric_limits<NumberOf<T>>::quiet_NaN());
  const bool direct = queue.device().host_accessible();
  if (!direct) {
    memory = Memory(queue.device(), Bytes{held.count() * static_cast<Index>(sizeof(T))},
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
  if (!direct) in[i].copy_from_host(queue, to.data);
  queue.wait();
}

template <class T>
Check RankFields<T>::check_halo(std::size_t i, const std::vector<Offset>& footprint) {
  const comm::Box& held = in[i].held();
  const Index3 n = held.extents();
  std::vector<T> values(static_cast<std::size_t>(held.count()));
  in[i].copy_to_host(queue, values.data());
  queue.wait();
  const auto reach = reach_of({footprint});
  for (const comm::Route& route : comm::halo_plan(grid, ranks.rank(), reach).receives) {
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

/// A kernel over ranks, and the parts of this one.
template <class T>
class [[gnu::visibility("hidden")]] RankCase final : private RankFields<T>,
                                                     public CallCase<AnyCall<T>> {
public:
  using Fields = RankFields<T>;
  using OnFields = CallCase<AnyCall<T>>;

  RankCase(const std::string& name, std::shared_ptr<const CheckedKernel<T>> kernel,
           const RankRequest& request)
      : Fields(name, kernel->traits(), request),
        OnFields(name, Fields::queue, {kernel, Fields::inputs(), Fields::out.view()}, request.wide),
        dimensions_(request.size.rank()) {}

  [[nodiscard]] Program bind(const AskedSchedule& s) override {
    const bool inner = !comm::divide(Fields::grid, Fields::ranks.rank()).inner.empty();
    std::optional<Schedule> schedule;
    if (s.text != "auto" && inner) schedule = this->template held<Schedule>(s);
    std::vector<const comm::RankField<T>*> addresses;
    for (const auto& field : Fields::in)
      addresses.push_back(&field);
    program_.emplace(Fields::ranks, Fields::queue, Fields::grid,
                     AnyRankCall<T>{this->call_.kernel, addresses, &(Fields::out)}, schedule,
                     this->name_);
    return this->program_of_ranks();
  }
  void poison() override {
    for (std::size_t i = 0; i < Fields::in.size(); ++i)
      Fields::fill(i);
    OnFields::poison();
  }
  [[nodiscard]] Check check() override {
    Fields::queue.wait();
    const Traits& traits = this->call_.kernel->traits();
    Check mine{true, 0, "reference", ""};
    for (std::size_t i = 0; i < Fields::in.size() && mine.ok; ++i)
      mine = Fields::check_halo(i, traits.footprints[i]);
    const bool computes = interior_points(traits, this->call_.out.extents) > 0;
    return mine.ok && computes ? OnFields::check() : mine;
  }
  [[nodiscard]] comm::Step* ranks() override {
    return &*program_;
  }
  [[nodiscard]] Extents share() const override {
    return comm::greatest_share(Fields::grid, dimensions_);
  }

private:
  int dimensions_;
  std::optional<AnyRankProgram<T>> program_;
};

} // namespace ridge::stencil
