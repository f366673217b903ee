// What ranks have of a system's range, and how it comes to the first one, which writes files.
#include <ridge/comm/gather.hpp>
#include <ridge/core/error.hpp>

#include "evolve_system_command.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace ridge::app {

void SystemCommand::divide() {
  own_ = {{0, 0, 0}, extents_};
  std::optional<Index3> asked;
  if (!o_.ranks.empty()) asked = comm::parse_ranks(o_.ranks, ranks_.ranks());
  if (ranks_.ranks() == 1) return;
  setup_.part = chain::SystemPart{
      &ranks_, chain::system_grid(kernel_, setup_.walls, extents_, ranks_.ranks(), asked)};
  own_ = setup_.part->owned();
  gathered_.resize(static_cast<std::size_t>(arrays()));
  setup_.extents = own_.extents();
}

Index3 SystemCommand::points_of(int array) const {
  const chain::Offset extra = chain_.arrays[static_cast<std::size_t>(array)].extra;
  return {extents_.x + extra.x, extents_.y + extra.y, extents_.z + extra.z};
}
comm::Box SystemCommand::own_points(int array) const {
  return setup_.part ? own_ : comm::Box{{0, 0, 0}, points_of(array)};
}

void SystemCommand::put(int array, Index z, const std::vector<double>& plane) {
  const comm::Box own = own_points(array);
  const Index row = points_of(array).x;
  const Index3 n = own.extents();
  const chain::SystemBox box{{0, 0, z - own.begin.z}, {n.x, n.y, 1}};
  const auto with = [&]<class T>(std::vector<T> part) {
    for (Index y = 0; y < n.y; ++y) {
      for (Index x = 0; x < n.x; ++x) {
        part.push_back(static_cast<T>(
            plane[static_cast<std::size_t>(own.begin.x + x + row * (own.begin.y + y))]));
      }
    }
    system_->write(array, box, part.data());
  };
  bytes_ == 8 ? with(std::vector<double>()) : with(std::vector<float>());
}

void SystemCommand::count_odd(const std::vector<double>& plane, Index row) {
  const Index columns = setup_.part ? own_.end.x : row;
  const Index rows = setup_.part ? own_.end.y : static_cast<Index>(plane.size()) / row;
  for (Index y = own_.begin.y; y < rows; ++y) {
    for (Index x = own_.begin.x; x < columns; ++x)
      odd_ += std::isfinite(plane[static_cast<std::size_t>(x + row * y)]) ? 0 : 1;
  }
}

void SystemCommand::bring(int array, Index z, void* to) {
  const Index3 n = points_of(array);
  if (!setup_.part) {
    system_->read(array, {{0, 0, z}, {n.x, n.y, 1}}, to);
    return;
  }
  Gathered& block = gathered_[static_cast<std::size_t>(array)];
  if (block.step != system_->step() || z < block.begin || z >= block.end) gather(array, z, block);
  if (ranks_.rank() > 0) return;
  const auto bytes = static_cast<std::size_t>(n.x * n.y * bytes_);
  std::memcpy(to, block.planes.data() + static_cast<std::size_t>(z - block.begin) * bytes, bytes);
}

void SystemCommand::gather(int array, Index z, Gathered& block) {
  constexpr Index most = Index{4} << 20; // bytes of a block of planes: few messages, little memory
  const Index3 n = points_of(array);
  block.step = system_->step();
  block.begin = z;
  block.end = std::min(n.z, z + std::max<Index>(1, most / (n.x * n.y * bytes_)));
  const comm::Box planes{{0, 0, z}, {n.x, n.y, block.end}};
  const comm::Box own = comm::overlap(own_, planes);
  std::vector<std::byte> mine(static_cast<std::size_t>(own.count() * bytes_));
  if (!own.empty())
    system_->read(array, {{0, 0, own.begin.z - own_.begin.z}, own.extents()}, mine.data());
  comm::gather_box(ranks_, setup_.part->grid, planes, mine.data(), bytes_, block.planes);
}

std::vector<double> SystemCommand::get(int array, Index z) {
  const Index3 n = points_of(array);
  std::vector<double> plane(static_cast<std::size_t>(n.x * n.y));
  if (bytes_ == 8) {
    bring(array, z, plane.data());
    return plane;
  }
  std::vector<float> narrow(plane.size());
  bring(array, z, narrow.data());
  std::copy(narrow.begin(), narrow.end(), plane.begin());
  return plane;
}

std::vector<std::vector<double>> SystemCommand::all_traces() const {
  std::vector<std::vector<double>> all = traces_before_;
  all.resize(setup_.receivers.size());
  if (all.empty()) return all;
  const std::size_t steps = system_->traces().front().size();
  std::vector<double> mine;
  for (const auto& trace : system_->traces())
    mine.insert(mine.end(), trace.begin(), trace.end());
  std::vector<double> of_ranks(mine.size() * static_cast<std::size_t>(ranks_.ranks()));
  ranks_.all_gather(mine.data(), mine.size() * sizeof(double), of_ranks.data());
  for (std::size_t r = 0; r < all.size(); ++r) {
    const auto owner = static_cast<std::size_t>(system_->owner_of_receiver(r));
    const auto begin =
        of_ranks.begin() + static_cast<std::ptrdiff_t>(owner * mine.size() + r * steps);
    all[r].insert(all[r].end(), begin, begin + static_cast<std::ptrdiff_t>(steps));
  }
  return all;
}

void SystemCommand::write_all_traces() {
  if (!has_traces()) return;
  const auto all = all_traces();
  const Forces forces = all_forces();
  if (output_) write_traces(plan_, traces_file_, all, receivers_, forces, setup_.dt, bytes_);
}

} // namespace ridge::app
