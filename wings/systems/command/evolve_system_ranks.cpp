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
  if (block.step != system_->step() || z < block.begin || z >= block.end) {
    block.step = system_->step();
    gather(array, z, block,
           [&](const chain::SystemBox& box, void* part) { system_->read(array, box, part); });
  }
  if (ranks_.rank() > 0) return;
  const auto bytes = static_cast<std::size_t>(n.x * n.y * bytes_);
  std::memcpy(to, block.planes.data() + static_cast<std::size_t>(z - block.begin) * bytes, bytes);
}

void SystemCommand::for_each_plane(const chain::SystemGradient& of, int array,
                                   const std::function<void(Index z, const void*)>& f) const {
  const Index3 n = points_of(array);
  const auto read = [&](const chain::SystemBox& box, void* part) { of.read(array, box, part); };
  const auto bytes = static_cast<std::size_t>(n.x * n.y * bytes_);
  Gathered block;
  block.planes.resize(bytes);
  for (Index z = 0; z < n.z; ++z) {
    if (!setup_.part) {
      read({{0, 0, z}, {n.x, n.y, 1}}, block.planes.data());
      f(z, block.planes.data());
      continue;
    }
    if (z >= block.end) gather(array, z, block, read);
    if (ranks_.rank() == 0)
      f(z, block.planes.data() + static_cast<std::size_t>(z - block.begin) * bytes);
  }
}

void SystemCommand::add_ranks(Record& record) const {
  if (!setup_.part) return;
  const Index n[] = {extents_.x, extents_.y, extents_.z};
  record.size = Extents(n, record.size.rank());
  record.work = chain::work_of(kernel_.description(bytes_), extents_);
  record.ranks = ranks_.ranks();
  record.details.push_back({"rank_grid", 0, comm::to_text(setup_.part->grid.ranks())});
}

void SystemCommand::gather(int array, Index z, Gathered& block, const ReadBox& read) const {
  constexpr Index most = Index{4} << 20; // bytes of a block of planes: few messages, little memory
  const Index3 n = points_of(array);
  block.begin = z;
  block.end = std::min(n.z, z + std::max<Index>(1, most / (n.x * n.y * bytes_)));
  const comm::Box planes{{0, 0, z}, {n.x, n.y, block.end}};
  const comm::Box own = comm::overlap(own_, planes);
  std::vector<std::byte> mine(static_cast<std::size_t>(own.count() * bytes_));
  if (!own.empty()) read({{0, 0, own.begin.z - own_.begin.z}, own.extents()}, mine.data());
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
  const chain::Traces found = chain::traces_of_all(*system_, setup_);
  for (std::size_t r = 0; r < all.size(); ++r)
    all[r].insert(all[r].end(), found[r].begin(), found[r].end());
  return all;
}

void SystemCommand::write_all_traces() {
  if (!has_traces()) return;
  const auto all = all_traces();
  const Forces forces = all_forces();
  if (output_) write_traces(plan_, traces_file_, all, receivers_, forces, setup_.dt, bytes_);
}

} // namespace ridge::app
