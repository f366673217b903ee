// Cases of the stencil pattern over ranks.
#pragma once

#include <ridge/core/random.hpp>
#include <ridge/device/cpu/parallel.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/lab/rank_case.hpp>
#include <ridge/lab/stencil_case.hpp>
#include <ridge/stencil/over_ranks.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ridge::lab {

/// The grid that `text` names, or the one with least exchange where it is empty. Throws UsageError
/// as comm::parse_ranks and comm::Grid do.
[[nodiscard]] comm::Grid rank_grid(const comm::Communicator& ranks, const std::string& text,
                                   const stencil::Traits& traits, Index3 points);

/// A kernel on random fields over ranks: the numbers of the case on one rank.
template <class K, class T>
class RankStencilCase final : public RankCase {
public:
  RankStencilCase(std::string name, const K& kernel, const BenchRequest& request,
                  comm::Communicator& ranks, const std::string& grid)
      : name_(std::move(name)), ranks_(ranks), queue_(request.device), size_(request.size),
        traits_(stencil::traits_of<K, T>()),
        grid_(rank_grid(ranks, grid, traits_, request.size.xyz())),
        out_(request.device, grid_, ranks.rank(), "the output of " + name_), call_{kernel,
                                                                                   {},
                                                                                   &out_},
        schedule_(request.schedule) {
    if (stencil::interior_points(traits_, size_.xyz()) == 0) {
      const stencil::Offset& r = traits_.radius;
      throw UsageError("--size " + to_text(size_) + ": " + name_ + " needs at least " +
                       to_text(Extents{2 * r.x + 1, 2 * r.y + 1, 2 * r.z + 1}) + " points");
    }
    for (int i = 0; i < traits_.inputs(); ++i)
      in_.emplace_back(request.device, grid_, ranks.rank(),
                       "input " + std::to_string(i) + " of " + name_);
    for (std::size_t i = 0; i < in_.size(); ++i) {
      call_.in[i] = &in_[i];
      fill(i, in_[i].owned());
    }
  }

  [[nodiscard]] Queue& queue() override { return queue_; }
  void bind() override {
    const comm::Division mine = comm::divide(grid_, ranks_.rank());
    std::optional<stencil::Schedule> schedule;
    if (schedule_ != "auto" && !mine.inner.empty()) {
      schedule = stencil::parse_schedule(schedule_, queue_.device(), traits_, out_.held().extents())
                     .schedule;
    }
    program_.emplace(ranks_, queue_, grid_, call_, schedule, name_);
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
    Index3 most{};
    for (int rank = 0; rank < grid_.count(); ++rank) {
      const Index3 n = grid_.owned(rank).extents();
      most = {std::max(most.x, n.x), std::max(most.y, n.y), std::max(most.z, n.z)};
    }
    const Index sizes[] = {most.x, most.y, most.z};
    return Extents(sizes, size_.rank());
  }

  [[nodiscard]] Check check() override {
    for (std::size_t i = 0; i < in_.size(); ++i)
      fill(i, in_[i].owned());
    fill_bytes(queue_, out_.view().data, poison, bytes(out_));
    program_->run();
    queue_.wait();
    Check mine{true, 0, "reference", ""};
    for (std::size_t i = 0; i < in_.size() && mine.ok; ++i)
      mine = check_halo(i);
    const Index3 n = out_.held().extents();
    if (mine.ok && stencil::interior_points(traits_, n) > 0) {
      stencil::Call<K, T> here{call_.kernel, {}, out_.view()};
      for (std::size_t i = 0; i < in_.size(); ++i)
        here.in[i] = View<const T>(in_[i].view());
      mine = check_stencil(queue_, here, poison, stencil_tolerance<T>);
    }
    return worst_of(ranks_, mine);
  }

private:
  static constexpr unsigned char poison = 0xff;
  static Bytes bytes(const comm::RankField<T>& field) {
    return {field.held().count() * static_cast<Index>(sizeof(T))};
  }
  /// The number of input i at a point of the whole field.
  [[nodiscard]] T number(std::size_t i, Index x, Index y, Index z) const {
    const Index3 n = size_.xyz();
    return static_cast<T>(random_value(i + 1, x + n.x * (y + n.y * z)));
  }

  /// Sets an input's points of a box; poisons the others.
  void fill(std::size_t i, const comm::Box& box) {
    const comm::Box& held = in_[i].held();
    const Index3 n = held.extents();
    Memory memory; // of the host, where the device's cannot be written to
    T* to = in_[i].view().data;
    const bool direct = queue_.device().host_accessible();
    if (!direct) {
      memory =
          Memory(queue_.device(), bytes(in_[i]), "numbers to fill a field", Memory::Place::staging);
      to = static_cast<T*>(memory.data());
    }
    cpu::run(cpu::default_threads(), [&](int thread, int threads) {
      const auto rows = cpu::share_of(n.y * n.z, thread, threads);
      for (Index row = rows.begin; row < rows.end; ++row) {
        const Index y = held.begin.y + row % n.y;
        const Index z = held.begin.z + row / n.y;
        const bool here = y >= box.begin.y && y < box.end.y && z >= box.begin.z && z < box.end.z;
        for (Index x = 0; x < n.x; ++x) {
          const Index at = held.begin.x + x;
          to[row * n.x + x] = here && at >= box.begin.x && at < box.end.x
                                  ? number(i, at, y, z)
                                  : std::numeric_limits<T>::quiet_NaN();
        }
      }
    });
    if (!direct) copy_to_device(queue_, in_[i].view().data, to, held.count());
    queue_.wait();
  }

  /// Whether the halo that input i's footprint reads holds the numbers of the ranks that own it.
  [[nodiscard]] Check check_halo(std::size_t i) {
    const comm::Box& held = in_[i].held();
    const Index3 n = held.extents();
    std::vector<T> values(static_cast<std::size_t>(held.count()));
    copy_to_host(queue_, values.data(), in_[i].view().data, held.count());
    queue_.wait();
    const auto reach = stencil::reach_of({traits_.footprints[i]});
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

  std::string name_;
  comm::Communicator& ranks_;
  Queue queue_;
  Extents size_;
  stencil::Traits traits_;
  comm::Grid grid_;
  std::vector<comm::RankField<T>> in_;
  comm::RankField<T> out_;
  stencil::RankCall<K, T> call_;
  std::string schedule_;
  std::optional<stencil::RankProgram<K, T>> program_;
};

/// The case of a kernel in the precision that is asked for: fp64 or fp32.
template <class K>
[[nodiscard]] std::unique_ptr<RankCase>
rank_stencil_case(const std::string& name, const K& kernel, const BenchRequest& request,
                  comm::Communicator& ranks, const std::string& grid) {
  if (request.precision == "fp64")
    return std::make_unique<RankStencilCase<K, double>>(name, kernel, request, ranks, grid);
  if (request.precision == "fp32")
    return std::make_unique<RankStencilCase<K, float>>(name, kernel, request, ranks, grid);
  refuse_precision(request.precision, name, "fp32 and fp64");
}

} // namespace ridge::lab
