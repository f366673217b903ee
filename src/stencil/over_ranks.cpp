#include <ridge/stencil/over_ranks.hpp>

#include <algorithm>

namespace ridge::stencil {

Record rank_record(const Device& device, const Traits& traits, const comm::Grid& grid,
                   const comm::Exchange& exchange, comm::Communicator& communicator,
                   const std::string& schedule, std::string_view kernel) {
  Record record = record_of(device, traits, grid.points(),
                            default_schedule(device, traits, grid.points()), kernel);
  if (!schedule.empty()) record.schedule = schedule;
  record.ranks = communicator.ranks();
  Index most = 0;
  for (int rank = 0; rank < communicator.ranks(); ++rank) {
    const Index fields = traits.inputs() + 1;
    most = std::max(most, grid.held(rank).count() * traits.element_bytes * fields);
  }
  // Ranks of a cpu share its cache, GPUs have one each.
  const Index together = device.is_gpu() ? most : most * communicator.local_ranks();
  record.in_cache = together <= device.facts().last_level_cache.value;
  record.details.push_back({"rank_grid", 0, comm::to_text(grid.ranks())});
  record.details.push_back({"carrier", 0, comm::to_text(exchange.carrier())});
  record.details.push_back(
      {"exchange_bytes", communicator.sum(static_cast<double>(exchange.sent().value)), {}});
  return record;
}

namespace {

void run_all(const std::vector<Program>& programs) {
  for (const Program& program : programs)
    program.run();
}

template <class T>
std::vector<comm::PaddedField> padded(const AnyRankCall<T>& call) {
  std::vector<comm::PaddedField> fields;
  for (std::size_t i = 0; i < call.in.size(); ++i) {
    const std::vector<std::vector<Offset>> footprint{call.kernel->traits().footprints[i]};
    fields.push_back(call.in[i]->padded(stencil::reach_of(footprint)));
  }
  return fields;
}

/// A box, in coordinates of the whole field, and what lies around it.
template <class T>
View<T> near(const comm::RankField<T>& field, const comm::Box& box, Offset radius) {
  const Index3 h = field.held().begin;
  const Index3 b = box.begin;
  const Index3 e = box.end;
  return around(field.view(),
                {{b.x - h.x, b.y - h.y, b.z - h.z}, {e.x - h.x, e.y - h.y, e.z - h.z}}, radius);
}

template <class T>
Program bind_box(Queue& queue, const AnyRankCall<T>& call, const comm::Box& box,
             const Schedule* schedule, const std::string& name) {
  const Offset radius = call.kernel->traits().radius;
  std::vector<View<const T>> in;
  for (const auto* const field : call.in)
    in.emplace_back(near(*field, box, radius));
  return call.kernel->bind(queue, in, near(*call.out, box, radius), schedule, name);
}

} // namespace

template <class T>
AnyRankProgram<T>::AnyRankProgram(comm::Communicator& communicator, Queue& queue,
                                  const comm::Grid& grid, const AnyRankCall<T>& call,
                                  const std::optional<Schedule>& schedule, std::string_view kernel)
    : communicator_(communicator), queue_(queue), grid_(grid), traits_(call.kernel->traits()),
      kernel_(kernel), exchange_(communicator, queue, grid, padded(call)) {
  const comm::Division division = comm::divide(grid, communicator.rank());
  if (!division.inner.empty())
    inner_.push_back(bind_box(queue, call, division.inner, schedule ? &*schedule : nullptr, kernel_));
  for (const comm::Box& box : division.outer)
    outer_.push_back(bind_box(exchange_.queue(), call, box, nullptr, kernel_));
}

template <class T>
void AnyRankProgram<T>::run() {
  all_.run(queue_, exchange_.can_be_recorded(), [this] {
    exchange_.fork_first();
    exchange_.send_beside([this] { run_all(inner_); }, [this] { exchange_.send(); });
    exchange_.receive();
    run_all(outer_);
    exchange_.join();
  });
}

template <class T>
void AnyRankProgram<T>::run_exchange() {
  halos_.run(queue_, exchange_.can_be_recorded(), [this] { exchange_.run(); });
}

template <class T>
void AnyRankProgram<T>::run_compute() {
  points_.run(queue_, exchange_.can_be_recorded(), [this] {
    exchange_.fork_first();
    exchange_.send_beside([this] { run_all(inner_); }, [this] { run_all(outer_); });
    exchange_.join();
  });
}

template <class T>
Record AnyRankProgram<T>::record() const {
  const std::string mine = inner_.empty() ? std::string() : inner_[0].record().schedule;
  return record_in<T>(
      rank_record(queue_.device(), traits_, grid_, exchange_, communicator_, mine, kernel_));
}

template class AnyRankProgram<float>;
template class AnyRankProgram<double>;
template class AnyRankProgram<Fp16>;
template class AnyRankProgram<Bf16>;

} // namespace ridge::stencil
