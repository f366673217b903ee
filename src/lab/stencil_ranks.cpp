// Stencils over ranks on random fields: the numbers of the case on one rank.
#include <ridge/core/error.hpp>
#include <ridge/core/random.hpp>
#include <ridge/device/cpu/parallel.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/lab/rank_case.hpp>
#include <ridge/lab/stencil_case.hpp>
#include <ridge/stencil/over_ranks.hpp>

#include <algorithm>
#include <limits>
#include <optional>

namespace ridge::lab {

namespace {

/// The grid that `text` names, or the one with least exchange where it is empty. Throws UsageError
/// as comm::parse_ranks and comm::Grid do.
comm::Grid rank_grid(const comm::Communicator& ranks, const std::string& text,
                     const stencil::Traits& traits, Index3 points) {
  const comm::Reach reach = stencil::reach_of(traits.footprints);
  const Index3 shape = text.empty() ? comm::choose_ranks(ranks.ranks(), points, reach)
                                    : comm::parse_ranks(text, ranks.ranks());
  return {points, shape, reach};
}

template <class T>
class RankStencilCase final : public RankCase {
public:
  using Kernel = std::shared_ptr<const stencil::CheckedKernel<T>>;

  RankStencilCase(std::string name, Kernel kernel, const BenchRequest& request,
                  comm::Communicator& ranks, const std::string& grid);

  [[nodiscard]] Queue& queue() override { return queue_; }
  void bind() override {
    program_.emplace(ranks_, queue_, grid_, stencil::AnyRankCall<T>{kernel_, addresses(), &out_},
                     schedule(), name_);
  }
  void run() override { program_->run(); }
  void run_exchange() override { program_->run_exchange(); }
  void run_compute() override { program_->run_compute(); }
  [[nodiscard]] Record record() override;
  [[nodiscard]] Extents share() const override;
  [[nodiscard]] Check check() override;

private:
  static constexpr unsigned char poison = 0xff;
  [[nodiscard]] std::vector<const comm::RankField<T>*> addresses() const {
    std::vector<const comm::RankField<T>*> all;
    for (const auto& field : in_)
      all.push_back(&field);
    return all;
  }
  [[nodiscard]] std::optional<stencil::Schedule> schedule() const;
  static Bytes bytes(const comm::RankField<T>& field) {
    return {field.view().span() * static_cast<Index>(sizeof(T))};
  }
  /// The number of input i at a point of the whole field.
  [[nodiscard]] T number(std::size_t i, Index x, Index y, Index z) const;
  /// Sets an input's points of a box; poisons the others.
  void fill(std::size_t i, const comm::Box& box);
  /// Whether the halo that input i's footprint reads holds the numbers of the ranks that own it.
  [[nodiscard]] Check check_halo(std::size_t i);
  /// Compares what this rank computed of its fields with the reference.
  [[nodiscard]] Check check_results();

  std::string name_;
  comm::Communicator& ranks_;
  Queue queue_;
  Extents size_;
  Kernel kernel_;
  stencil::Traits traits_;
  comm::Grid grid_;
  std::vector<comm::RankField<T>> in_;
  comm::RankField<T> out_;
  std::string schedule_;
  std::optional<stencil::AnyRankProgram<T>> program_;
};

template <class T>
RankStencilCase<T>::RankStencilCase(std::string name, Kernel kernel, const BenchRequest& request,
                                    comm::Communicator& ranks, const std::string& grid)
    : name_(std::move(name)), ranks_(ranks), queue_(request.device), size_(request.size),
      kernel_(std::move(kernel)), traits_(kernel_->traits()),
      grid_(rank_grid(ranks, grid, traits_, request.size.xyz())),
      out_(request.device, grid_, ranks.rank(), "the output of " + name_),
      schedule_(request.schedule) {
  if (stencil::interior_points(traits_, size_.xyz()) == 0) {
    const stencil::Offset& r = traits_.radius;
    throw UsageError("--size " + to_text(size_) + ": " + name_ + " needs at least " +
                     to_text(Extents{2 * r.x + 1, 2 * r.y + 1, 2 * r.z + 1}) + " points");
  }
  for (int i = 0; i < traits_.inputs(); ++i)
    in_.emplace_back(request.device, grid_, ranks.rank(),
                     "input " + std::to_string(i) + " of " + name_);
  for (std::size_t i = 0; i < in_.size(); ++i)
    fill(i, in_[i].owned());
}

template <class T>
std::optional<stencil::Schedule> RankStencilCase<T>::schedule() const {
  const comm::Division mine = comm::divide(grid_, ranks_.rank());
  if (schedule_ == "auto" || mine.inner.empty()) return std::nullopt;
  return stencil::parse_schedule(schedule_, queue_.device(), traits_, out_.held().extents())
      .schedule;
}

template <class T>
Record RankStencilCase<T>::record() {
  Record record = program_->record();
  record.size = size_;
  return record;
}

template <class T>
Extents RankStencilCase<T>::share() const {
  Index3 most{};
  for (int rank = 0; rank < grid_.count(); ++rank) {
    const Index3 n = grid_.owned(rank).extents();
    most = {std::max(most.x, n.x), std::max(most.y, n.y), std::max(most.z, n.z)};
  }
  const Index sizes[] = {most.x, most.y, most.z};
  return Extents(sizes, size_.rank());
}

template <class T>
Check RankStencilCase<T>::check() {
  for (std::size_t i = 0; i < in_.size(); ++i)
    fill(i, in_[i].owned());
  fill_bytes(queue_, out_.view().data, poison, bytes(out_));
  program_->run();
  queue_.wait();
  Check mine{true, 0, "reference", ""};
  for (std::size_t i = 0; i < in_.size() && mine.ok; ++i)
    mine = check_halo(i);
  if (mine.ok && stencil::interior_points(traits_, out_.held().extents()) > 0)
    mine = check_results();
  return worst_of(ranks_, mine);
}

template <class T>
T RankStencilCase<T>::number(std::size_t i, Index x, Index y, Index z) const {
  const Index3 n = size_.xyz();
  return static_cast<T>(random_value(i + 1, x + n.x * (y + n.y * z)));
}

template <class T>
void RankStencilCase<T>::fill(std::size_t i, const comm::Box& box) {
  const comm::Box& held = in_[i].held();
  const Index3 n = held.extents();
  Memory memory; // of the host, where the device's cannot be written to
  View<T> to = in_[i].view();
  const bool direct = queue_.device().host_accessible();
  if (!direct) {
    memory = Memory(queue_.device(), Bytes{held.count() * static_cast<Index>(sizeof(T))},
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
        to.data[to.at(x, row % n.y, row / n.y)] = here && at >= box.begin.x && at < box.end.x
                                                      ? number(i, at, y, z)
                                                      : std::numeric_limits<T>::quiet_NaN();
      }
    }
  });
  if (!direct) in_[i].copy_from_host(queue_, to.data);
  queue_.wait();
}

template <class T>
Check RankStencilCase<T>::check_halo(std::size_t i) {
  const comm::Box& held = in_[i].held();
  const Index3 n = held.extents();
  std::vector<T> values(static_cast<std::size_t>(held.count()));
  in_[i].copy_to_host(queue_, values.data());
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

template <class T>
Check RankStencilCase<T>::check_results() {
  std::vector<View<const T>> in;
  for (const auto& field : in_)
    in.emplace_back(field.view());
  return check_stencil<T>(queue_, *kernel_, in, out_.view(), poison, bounded_unit<T>);
}

} // namespace

std::unique_ptr<RankCase> rank_stencil_case(const std::string& name, const StencilKernel& kernel,
                                            const BenchRequest& request, comm::Communicator& ranks,
                                            const std::string& grid) {
  if (request.precision == "fp64")
    return std::make_unique<RankStencilCase<double>>(name, kernel.fp64, request, ranks, grid);
  if (request.precision == "fp32")
    return std::make_unique<RankStencilCase<float>>(name, kernel.fp32, request, ranks, grid);
  refuse_precision(request.precision, name, "fp32 and fp64");
}

} // namespace ridge::lab
