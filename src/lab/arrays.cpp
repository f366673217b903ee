// Arrays of other languages against each other, before a pattern sees them: in the names and the
// order of axes that their user knows.
#include <ridge/device/backend.hpp>
#include <ridge/lab/arrays.hpp>
#include <ridge/lab/bench.hpp>
#include <ridge/lab/lattice_kernel.hpp>
#include <ridge/launch/operands.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace ridge::lab {

namespace {

/// Of an array whose rows are compared one by one.
constexpr Index most_rows = 64;

bool same_shape(const Array& a, const Array& b) {
  for (int d = 0; d < max_array_rank; ++d) {
    const auto at = static_cast<std::size_t>(d);
    if ((d < a.rank ? a.extents[at] : 1) != (d < b.rank ? b.extents[at] : 1)) return false;
  }
  return true;
}

/// From the first to the last number of `rank` dimensions from `begin` on.
launch::Operand operand_of(const Array& a, const char* begin, int rank, bool written) {
  Index last = 0;
  for (int d = 0; d < rank; ++d) {
    const auto at = static_cast<std::size_t>(d);
    last += (a.extents[at] - 1) * a.strides[at];
  }
  return {begin, (last + 1) * a.element_bytes, a.element_bytes, written, false};
}

} // namespace

std::string shape_text(const Index* extents, int rank, ShapeOrder order) {
  std::string text = "(";
  for (int i = 0; i < rank; ++i) {
    const int d = order == ShapeOrder::x_first ? i : rank - 1 - i;
    text += std::to_string(extents[d]) + (i + 1 < rank ? ", " : rank == 1 ? ",)" : ")");
  }
  if (rank == 1 && order == ShapeOrder::x_first) text.erase(text.size() - 2, 1); // no comma
  return text;
}

std::string shape_text(const Array& a, ShapeOrder order) {
  return shape_text(a.extents.data(), a.rank, order);
}

void check_least(const Arguments& arguments, Index3 least, const char* kernel_is) {
  const Array& a = arguments.arrays.back();
  const Index needed[3] = {least.x, least.y, least.z};
  bool fits = true;
  for (int d = 0; d < 3; ++d)
    fits = fits && (d < a.rank ? a.extents[static_cast<std::size_t>(d)] : 1) >= needed[d];
  if (fits) return;
  int rank = 3; // as many as the arrays have, or as the kernel reads along
  while (rank > a.rank && needed[rank - 1] == 1)
    --rank;
  throw UsageError(arguments.kernel + ": arrays of shape " + shape_text(a, arguments.order) +
                   " leave nothing to compute; this " + kernel_is + " needs at least " +
                   shape_text(needed, rank, arguments.order));
}

void check_folded(const Arguments& arguments, int axes) {
  for (const Array& a : arguments.arrays) {
    if (a.rank <= 3) continue;
    const std::string has = fmt::format("{}: arrays of {} dimensions", arguments.kernel, a.rank);
    if (axes > 2) {
      throw UsageError(has + "; this kernel reads along the third, so 1 to 3 are possible");
    }
    for (int d = 3; d < a.rank; ++d) {
      const auto at = static_cast<std::size_t>(d);
      if (a.strides[at] == a.strides[at - 1] * a.extents[at - 1]) continue;
      throw UsageError(has + " with gaps beyond the third; those must follow each other");
    }
  }
}

void check_count(const Arguments& arguments, std::size_t right) {
  const std::size_t given = arguments.arrays.size();
  if (given == right) return;
  throw UsageError(
      fmt::format("{} takes {} arrays, outputs included, not {}", arguments.kernel, right, given));
}

void check_components(const Arguments& arguments, const Array& a, int right, const char* what) {
  const Index found = a.rank > 1 ? a.extents[1] : 1;
  if (found == right) return;
  const char* const shape =
      arguments.order == ShapeOrder::x_first ? "(bodies, {})" : "({}, bodies)";
  const bool several = std::string_view(what).ends_with('s'); // bodies, as opposed to x
  throw UsageError(fmt::format("{}: {} {} {} components; an array of shape {} is right",
                               arguments.kernel, what, several ? "have" : "has", found,
                               fmt::format(fmt::runtime(shape), right)));
}

void check_shapes(const std::string& kernel, const std::vector<std::string>& names,
                  std::span<const Array> arrays, int most, bool one_shape, ShapeOrder order) {
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const Array& a = arrays[i];
    if (a.rank > most) {
      throw UsageError(fmt::format("{}: {} has {} dimensions; 1 to {} are possible", kernel,
                                   names[i], a.rank, most));
    }
    if (one_shape && !same_shape(a, arrays.back())) {
      throw UsageError(fmt::format("{}: {} has the shape {} and {} {}; all arrays must have one",
                                   kernel, names[i], shape_text(a, order), names[arrays.size() - 1],
                                   shape_text(arrays.back(), order)));
    }
  }
}

void check_memory(const std::string& kernel, const std::vector<std::string>& names,
                  std::span<const Array> arrays, Written written, bool by_rows) {
  std::vector<launch::Operand> operands;
  std::vector<std::size_t> owners;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const Array& a = arrays[i];
    const auto* const begin = static_cast<const char*>(a.data);
    const bool is_written = i >= written.begin && i < written.end;
    const bool rows = by_rows && a.rank == 2 && a.extents[1] <= most_rows;
    for (Index row = 0; row < (rows ? a.extents[1] : 1); ++row) {
      const char* const at = rows ? begin + row * a.strides[1] * a.element_bytes : begin;
      operands.push_back(operand_of(a, at, rows ? 1 : a.rank, is_written));
      owners.push_back(i);
    }
  }
  try {
    launch::check_operands(operands, [&](std::size_t i) { return names[owners[i]]; });
  } catch (const UsageError& e) {
    throw UsageError(kernel + ": " + e.what());
  }
}

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
