// Arrays of other languages for a kernel of the lab.
#include <ridge/device/backend.hpp>
#include <ridge/lab/bench.hpp>
#include <ridge/lab/lattice_kernel.hpp>

#include <fmt/format.h>

#include <cstdint>

namespace ridge::lab {

std::unique_ptr<Case> case_on_arrays(const BenchKernel& kernel, Queue& queue, RoofSource& roof,
                                     const Arguments& arguments) {
  const OnArrays& on = kernel.on_arrays;
  if (!on.make) {
    throw UsageError(fmt::format("{} takes no arrays of other languages: it is of the pattern {}",
                                 kernel.name, kernel.pattern));
  }
  if (arguments.arrays.empty()) check_count(arguments, on.names.size());
  std::vector<std::string> names = on.names;
  std::size_t inputs = on.inputs;
  if (on.by_rows && arguments.arrays.size() == names.size() + 1) {
    names.insert(names.begin(), "targets");
    ++inputs;
  }
  if (arguments.arrays.size() != names.size()) check_count(arguments, names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (arguments.arrays[i].element_bytes == arguments.arrays[0].element_bytes) continue;
    throw UsageError(fmt::format("{}: {} and {} are of different precisions; all must be of one",
                                 kernel.name, names[0], names[i]));
  }
  check_shapes(arguments.kernel, names, arguments.arrays, on.by_rows ? 2 : max_array_rank,
               on.one_shape, arguments.order);
  check_memory(arguments.kernel, names, arguments.arrays, {inputs, names.size()}, on.by_rows);
  return on.make(queue, roof, arguments);
}

std::vector<std::string> field_names(std::size_t read, std::size_t written) {
  std::vector<std::string> names{"x"};
  if (read > 1) names.emplace_back("y");
  if (written > 0) names.emplace_back("z");
  return names;
}

AlignedArrays::AlignedArrays(Queue& queue, const Arguments& arguments, std::size_t inputs)
    : queue_(queue) {
  for (std::size_t i = 0; i < arguments.arrays.size(); ++i) {
    const Array& a = arguments.arrays[i];
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

lattice::Geometry plain_geometry(const Arguments& arguments, bool slices) {
  const Array& a = arguments.arrays.front();
  Index count = 1;
  for (int d = 0; d < a.rank; ++d) {
    const auto at = static_cast<std::size_t>(d);
    if (a.extents[at] > 1 && a.strides[at] != count) {
      throw UsageError(fmt::format("{}: arrays with gaps between their rows; reductions and maps "
                                   "take numbers one after the other",
                                   arguments.kernel));
    }
    count *= a.extents[at];
  }
  const Index of_last = slices ? a.extents[static_cast<std::size_t>(a.rank - 1)] : 1;
  const Index in_slice = count / of_last;
  const int lanes = lattice::Lattice::default_width / a.element_bytes;
  if (in_slice % lanes != 0 || in_slice / lanes > 0x7fffffff) {
    throw UsageError(fmt::format("{}: {} of {} numbers; a multiple of {} is right, whole vectors",
                                 arguments.kernel, slices ? "slices" : "arrays", in_slice, lanes));
  }
  lattice::Geometry g;
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

} // namespace ridge::lab
