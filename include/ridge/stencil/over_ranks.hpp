// A stencil over ranks: a program that exchanges what its footprint says by itself.
//
//   ridge::comm::Communicator& world = ridge::comm::world();
//   const auto reach = ridge::stencil::reach_of<Heat>();
//   const ridge::comm::Grid grid(points, ridge::comm::choose_ranks(world.ranks(), points, reach),
//                                reach);
//   ridge::comm::RankField<double> a(queue.device(), grid, world.rank()), b(...);
//   ridge::stencil::RankProgram<Heat, double> step(world, queue, grid, {heat, {&a}, &b});
//   step.run();
#pragma once

#include <ridge/comm/field.hpp>
#include <ridge/device/graph.hpp>
#include <ridge/stencil/launch.hpp>
#include <ridge/stencil/rank_part.hpp>

#include <array>
#include <memory>
#include <optional>
#include <vector>

namespace ridge::stencil {

/// One application over ranks: fields of one grid, whose reach is at least the kernel's.
template <class K, class T>
struct RankCall {
  K kernel;
  std::array<const comm::RankField<T>*, inputs_of<K>> in;
  const comm::RankField<T>* out;
};

/// The record of a launch over ranks, untimed: of the whole field.
[[nodiscard]] Record rank_record(const Device& device, const Traits& traits, const comm::Grid& grid,
                                 const comm::Exchange& exchange, comm::Communicator& communicator,
                                 const std::string& schedule, std::string_view kernel);

/// A program over ranks with the type of its kernel put away.
class AnyRankProgram {
public:
  AnyRankProgram() = default;
  AnyRankProgram(const AnyRankProgram&) = delete;
  AnyRankProgram& operator=(const AnyRankProgram&) = delete;
  virtual ~AnyRankProgram() = default;
  /// Gives one launch to the queue; its exchange alone, and what it computes alone.
  virtual void run() = 0;
  virtual void run_exchange() = 0;
  virtual void run_compute() = 0;
  /// What runs on all ranks together; not timed.
  [[nodiscard]] virtual Record record() const = 0;
};

/// Exchanges the halos of the inputs and computes what needs them, beside what needs none. The
/// points that change, and their bits, are those of one rank; along periodic axes all points
/// change. Collective, like run().
template <class K, class T>
class RankProgram final : public AnyRankProgram {
public:
  /// `schedule` is for the points that need no halo; the others take the default. Queue, fields and
  /// communicator must outlive it. Throws as Program and Exchange do.
  RankProgram(comm::Communicator& communicator, Queue& queue, const comm::Grid& grid,
              const RankCall<K, T>& call, std::optional<Schedule> schedule = {},
              std::string_view kernel = "user")
      : communicator_(communicator), queue_(queue), grid_(grid), kernel_(kernel),
        exchange_(communicator, queue, grid, padded(call)) {
    const comm::Division division = comm::divide(grid, communicator.rank());
    if (!division.inner.empty()) inner_.push_back(bind(queue, call, division.inner, schedule));
    for (const comm::Box& box : division.outer)
      outer_.push_back(bind(exchange_.queue(), call, box, {}));
  }

  /// Gives one launch to the queue. Where the messages need no host the exchange and the launches
  /// are recorded in a graph the second time, and are one launch from then on.
  void run() override {
    all_.run(queue_, exchange_.can_be_recorded(), [this] {
      exchange_.fork_first();
      exchange_.send_beside([this] { run_all(inner_); }, [this] { exchange_.send(); });
      exchange_.receive();
      run_all(outer_);
      exchange_.join();
    });
  }
  /// The parts of it, to be timed: they leave the halos, or the points, as run() does.
  void run_exchange() override {
    halos_.run(queue_, exchange_.can_be_recorded(), [this] {
      exchange_.begin();
      exchange_.finish();
    });
  }
  void run_compute() override {
    points_.run(queue_, exchange_.can_be_recorded(), [this] {
      exchange_.fork_first();
      exchange_.send_beside([this] { run_all(inner_); }, [this] { run_all(outer_); });
      exchange_.join();
    });
  }

  [[nodiscard]] const comm::Exchange& exchange() const { return exchange_; }
  /// What runs on all ranks together; not timed.
  [[nodiscard]] Record record() const override {
    const std::string mine = inner_.empty() ? std::string() : inner_[0].record().schedule;
    return rank_record(queue_.device(), traits_of<K, T>(), grid_, exchange_, communicator_, mine,
                       kernel_);
  }

private:
  static void run_all(const std::vector<Program>& programs) {
    for (const Program& program : programs)
      program.run();
  }
  static std::vector<comm::PaddedField> padded(const RankCall<K, T>& call) {
    const auto footprints = traits_of<K, T>().footprints;
    std::vector<comm::PaddedField> fields;
    for (std::size_t i = 0; i < call.in.size(); ++i)
      fields.push_back(call.in[i]->padded(reach_of({footprints[i]})));
    return fields;
  }

  /// A box, in coordinates of the whole field, and what lies around it.
  template <class U>
  static View<U> near(const comm::RankField<T>& field, const comm::Box& box) {
    const Index3 h = field.held().begin;
    const Index3 b = box.begin;
    const Index3 e = box.end;
    return View<U>(around(field.view(),
                          {{b.x - h.x, b.y - h.y, b.z - h.z}, {e.x - h.x, e.y - h.y, e.z - h.z}},
                          radius_of<K>()));
  }

  Program bind(Queue& queue, const RankCall<K, T>& call, const comm::Box& box,
               const std::optional<Schedule>& schedule) const {
    Call<K, T> part{call.kernel, {}, near<T>(*call.out, box)};
    for (std::size_t i = 0; i < call.in.size(); ++i)
      part.in[i] = near<const T>(*call.in[i], box);
    return schedule ? Program(queue, part, *schedule, kernel_) : Program(queue, part, kernel_);
  }

  comm::Communicator& communicator_;
  Queue& queue_;
  comm::Grid grid_;
  std::string kernel_;
  comm::Exchange exchange_;
  std::vector<Program> inner_, outer_; // at most one inner
  Repeated all_, halos_, points_;
};

} // namespace ridge::stencil
