#include <ridge/device/backend.hpp>
#include <ridge/lattice/on_arrays.hpp>

#include "../core/refuse.hpp"

#include <cstdint>

namespace ridge::lattice {

std::vector<std::string> field_names(std::size_t read, std::size_t written) {
  std::vector<std::string> names{"x"};
  if (read > 1) names.emplace_back("y");
  if (written > 0) names.emplace_back("z");
  return names;
}

AlignedArrays::AlignedArrays(Queue& queue, const Arguments& arguments, std::size_t inputs)
    : queue_(queue) {
  for (std::size_t i = 0; i < arguments.arrays.size(); ++i) {
    const GivenArray& a = arguments.arrays[i];
    at_.push_back(a.data);
    if (reinterpret_cast<std::uintptr_t>(a.data) % field_alignment == 0) continue;
    Index count = a.element_bytes;
    for (int d = 0; d < a.rank; ++d)
      count *= a.extents[static_cast<std::size_t>(d)];
    copies_.push_back({std::make_shared<Memory>(queue.device(), Bytes{count}, "an aligned copy"),
                       a.data, i >= inputs});
    at_.back() = copies_.back().aligned->data();
  }
}

Program AlignedArrays::around(Program program) const {
  if (copies_.empty()) return program;
  const auto inner = std::make_shared<const Program>(std::move(program));
  const auto move = [queue = &queue_](void* to, const void* from, Bytes bytes) {
    queue->device().backend().copy(queue->native(), to, from, static_cast<std::size_t>(bytes.value),
                                   CopyDirection::on_device);
  };
  Bound with_copies([inner, move, copies = copies_] {
    for (const Copy& c : copies)
      if (!c.written) move(c.aligned->data(), c.given, c.aligned->size());
    inner->run();
    for (const Copy& c : copies)
      if (c.written) move(c.given, c.aligned->data(), c.aligned->size());
  });
  double bytes = 0;
  for (const Copy& c : copies_)
    bytes += static_cast<double>(c.aligned->size().value);
  return {queue_, std::move(with_copies), [inner, bytes] {
            Record record = inner->record();
            record.details.push_back({"copied_bytes", bytes, {}});
            return record;
          }};
}

Geometry plain_geometry(const Arguments& arguments, bool slices) {
  const GivenArray& a = arguments.arrays.front();
  Index count = 1;
  for (int d = 0; d < a.rank; ++d) {
    const auto at = static_cast<std::size_t>(d);
    refuse_if(a.extents[at] > 1 && a.strides[at] != count,
              "{}: arrays with gaps between their rows; reductions and maps take numbers one after "
              "the other",
              arguments.kernel);
    count *= a.extents[at];
  }
  const Index of_last = slices ? a.extents[static_cast<std::size_t>(a.rank - 1)] : 1;
  const Index in_slice = count / of_last;
  const int lanes = Lattice::default_width / a.element_bytes;
  refuse_if(in_slice % lanes != 0 || in_slice / lanes > 0x7fffffff,
            "{}: {} of {} numbers; a multiple of {} is right, whole vectors", arguments.kernel,
            slices ? "slices" : "arrays", in_slice, lanes);
  Geometry g;
  g.rank = slices ? 2 : 1;
  g.nsimd = lanes;
  g.local[0] = static_cast<int>(in_slice / lanes);
  g.lanes[0] = lanes;
  g.group_stride[0] = 1;
  g.lane_stride[0] = 1;
  if (slices) {
    g.local[1] = static_cast<int>(of_last);
    g.group_stride[1] = g.local[0];
    g.lane_stride[1] = lanes;
  }
  g.groups = count / lanes;
  return g;
}

} // namespace ridge::lattice
