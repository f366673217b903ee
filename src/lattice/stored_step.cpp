// Kernels on stored fields over ranks.
#include <ridge/lattice/stored/rank_step.hpp>

namespace ridge::lattice {

StoredSchedule detail::fitted(const Device& device, StoredSchedule schedule, const SiteGrid& window,
                              const StoredTraits& traits) {
  auto* const gpu = std::get_if<StoredGpuSchedule>(&schedule);
  if (gpu == nullptr) return schedule;
  bool fits = true;
  for (int d = 0; d < grid_dimensions; ++d)
    fits = fits && gpu->tile.n[d] <= window.extent[d];
  if (fits) return schedule;
  const StoredSchedule usual = stored_default(device, window, traits);
  gpu->tile = std::get<StoredGpuSchedule>(usual).tile;
  gpu->slab = {{0, 0, 0, 0}};
  return schedule;
}

void StoredStep::launch() const {
  if (!exchange_) {
    for (const Program& program : own_)
      program.run();
    return;
  }
  exchange_->fork();
  exchange_->send();
  for (const Program& program : own_)
    program.run();
  exchange_->receive();
  for (const Program& program : faces_)
    program.run();
  exchange_->join();
}

void StoredStep::run_exchange() {
  if (!exchange_) return;
  exchange_alone_.run(queue_, can_be_recorded(), [this] {
    exchange_->fork();
    exchange_->send();
    exchange_->receive();
    exchange_->join();
  });
}

void StoredStep::run_compute() {
  compute_alone_.run(queue_, can_be_recorded(), [this] {
    if (exchange_) exchange_->fork();
    for (const Program& program : own_)
      program.run();
    for (const Program& program : faces_)
      program.run();
    if (exchange_) exchange_->join();
  });
}

comm::Carrier StoredStep::carrier() const {
  return exchange_ ? exchange_->carrier() : comm::Carrier::host;
}

Record StoredStep::record() const {
  Record all = (own_.empty() ? faces_ : own_).front().record();
  const auto add = [&](const Program& program) {
    const Work more = program.record().work;
    all.work.read.value += more.read.value;
    all.work.written.value += more.written.value;
    all.work.flops += more.flops;
    all.work.items += more.items;
  };
  for (std::size_t i = own_.empty() ? 1 : 0; i < faces_.size(); ++i)
    add(faces_[i]);
  return all;
}

} // namespace ridge::lattice
