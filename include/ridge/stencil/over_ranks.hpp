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
#include <ridge/comm/step.hpp>
#include <ridge/core/stored.hpp>
#include <ridge/device/graph.hpp>
#include <ridge/stencil/any_kernel.hpp>
#include <ridge/stencil/rank_part.hpp>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ridge::stencil {

/// One application over ranks: fields of one grid, whose reach is at least the kernel's.
template <class K, class T>
struct RankCall {
  K kernel;
  std::array<const comm::RankField<T>*, inputs_of<K>> in;
  const comm::RankField<T>* out;
};

/// The record of a launch over ranks, untimed: of the whole field. Its numbers are not named yet.
[[nodiscard]] Record rank_record(const Device& device, const Traits& traits, const comm::Grid& grid,
                                 const comm::Exchange& exchange, comm::Communicator& communicator,
                                 const std::string& schedule, std::string_view kernel);

/// A kernel whose type is put away, and its fields.
template <class T>
struct AnyRankCall {
  std::shared_ptr<const AnyKernel<T>> kernel;
  std::vector<const comm::RankField<T>*> in;
  const comm::RankField<T>* out;
};

/// Exchanges the halos of the inputs and computes what needs them, beside what needs none. The
/// points that change, and their bits, are those of one rank; along periodic axes all points
/// change. Collective, like run().
template <class T>
class AnyRankProgram : public comm::Step {
public:
  /// `schedule` is for the points that need no halo; the others take the default. Queue, fields and
  /// communicator must outlive it. Throws as Program and Exchange do.
  AnyRankProgram(comm::Communicator& communicator, Queue& queue, const comm::Grid& grid,
                 const AnyRankCall<T>& call, const std::optional<Schedule>& schedule,
                 std::string_view kernel);

  /// Where the messages need no host the exchange and the launches are recorded in a graph the
  /// second time, and are one launch from then on.
  void run() final;
  void run_exchange() final;
  void run_compute() final;

  [[nodiscard]] const comm::Exchange& exchange() const { return exchange_; }
  [[nodiscard]] Record record() const final;

private:
  comm::Communicator& communicator_;
  Queue& queue_;
  comm::Grid grid_;
  Traits traits_;
  std::string kernel_;
  comm::Exchange exchange_;
  std::vector<Program> inner_, outer_; // at most one inner
  Repeated all_, halos_, points_;
};

extern template class AnyRankProgram<float>;
extern template class AnyRankProgram<double>;
extern template class AnyRankProgram<Fp16>;
extern template class AnyRankProgram<Bf16>;

template <class K, class T>
class RankProgram final : public AnyRankProgram<T> {
public:
  RankProgram(comm::Communicator& communicator, Queue& queue, const comm::Grid& grid,
              const RankCall<K, T>& call, const std::optional<Schedule>& schedule = {},
              std::string_view kernel = "user")
      : AnyRankProgram<T>(communicator, queue, grid,
                          {checked<T>(call.kernel), {call.in.begin(), call.in.end()}, call.out},
                          schedule, kernel) {}
};

} // namespace ridge::stencil
