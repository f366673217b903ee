#include <ridge/chain/schedule.hpp>
#include <ridge/chain/system/on_arrays.hpp>
#include <ridge/core/error.hpp>
#include <ridge/device/backend.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace ridge::chain {

namespace {

/// Of the numbers that a system of these arrays computes with.
int number_bytes(const OwnedArrays& arrays) {
  return std::max(arrays.element_bytes, 4);
}

std::string schedule_text(Queue& queue, const SystemKernel& kernel, const OwnedArrays& arrays,
                          const std::string& asked) {
  return to_text(parse_schedule(asked, queue.device(), kernel.description(number_bytes(arrays)),
                                arrays.views.front().extents)
                     .schedule);
}

SystemSetup setup_of(const SystemKernel& kernel, const OwnedArrays& arrays,
                     const SystemOptions& options, const std::string& schedule) {
  SystemSetup setup;
  setup.element_bytes = number_bytes(arrays);
  setup.extents = arrays.views.front().extents;
  setup.spacing = options.spacing;
  setup.walls = parse_walls(options.walls, arrays.names);
  // Those of next values are their arrays'.
  setup.walls.resize(kernel.description(number_bytes(arrays)).arrays.size());
  setup.schedule = schedule;
  setup.by_step = options.by_step;
  return setup;
}

} // namespace

void require_axes(const std::string& walls, int dimensions) {
  for (std::size_t begin = 0; begin < walls.size();) {
    const std::size_t end = std::min(walls.find(',', begin), walls.size());
    const std::string entry = walls.substr(begin, end - begin);
    begin = end + 1;
    const std::string face = entry.substr(0, entry.find('='));
    const char axis = face[face.find('.') + 1]; // from 0 on where there is no dot
    const auto at = static_cast<int>(std::string_view("xyz").find(axis));
    if (at < dimensions) continue;
    throw UsageError(fmt::format("--boundary {}: the arrays have no axis {}, only {}", entry, axis,
                                 dimensions == 1 ? "x" : "x and y"));
  }
}

SystemOnArrays::SystemOnArrays(Queue& queue, const SystemKernel& kernel, OwnedArrays arrays,
                               const SystemOptions& options)
    : queue_(queue), arrays_(std::move(arrays)),
      schedule_(schedule_text(queue, kernel, arrays_, options.schedule)),
      system_(queue, kernel, setup_of(kernel, arrays_, options, schedule_)) {}

void SystemOnArrays::begin() {
  for (std::size_t a = 0; a < arrays_.views.size(); ++a)
    copy(a, true);
  system_.started();
}

void SystemOnArrays::give_back(std::size_t states) {
  for (std::size_t a = 0; a < states; ++a)
    copy(a, false);
  queue_.wait();
}

Record SystemOnArrays::record() const {
  Record record = system_.record();
  record.schedule = schedule_;
  return record;
}

void SystemOnArrays::copy(std::size_t array, bool to_system) {
  const View<std::byte>& view = arrays_.views[array];
  if ((arrays_.wide >> array & 1U) != 0) return write_numbers(static_cast<int>(array), view);
  const ArrayAt at = system_.at(static_cast<int>(array));
  const auto bytes = [&](Index elements) {
    return static_cast<std::size_t>(elements * arrays_.element_bytes);
  };
  for (Index z = 0; z < view.extents.z; ++z) {
    std::byte* const outside = view.data + bytes(z * view.plane);
    std::byte* const inside = static_cast<std::byte*>(at.data) + bytes(z * at.plane);
    queue_.device().backend().copy_rows(
        queue_.native(), to_system ? inside : outside, bytes(to_system ? at.row : view.row),
        to_system ? outside : inside, bytes(to_system ? view.row : at.row), bytes(view.extents.x),
        static_cast<std::size_t>(view.extents.y), CopyDirection::on_device);
  }
}

void SystemOnArrays::write_numbers(int array, const View<std::byte>& view) {
  const Index3 n = view.extents;
  std::vector<float> plane(static_cast<std::size_t>(n.x * n.y));
  const auto bytes = [](Index numbers) { return Bytes{numbers * Index{sizeof(float)}}; };
  for (Index z = 0; z < n.z; ++z) {
    copy_rows_to_host(queue_, plane.data(), view.data + bytes(z * view.plane).value,
                      bytes(view.row), bytes(n.x), n.y);
    queue_.wait();
    system_.write(array, {{0, 0, z}, {n.x, n.y, 1}}, plane.data());
  }
}

} // namespace ridge::chain
