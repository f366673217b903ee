#include "bodies.hpp"

#include <ridge/core/error.hpp>
#include <ridge/pairs/lists/on_arrays.hpp>
#include <ridge/pairs/tree.hpp>

#include "call.hpp"
#include "interrupt.hpp"
#include "options.hpp"
#include "others_may_run.hpp"
#include "queues.hpp"

#include <nanobind/stl/array.h>

namespace nb = nanobind;
using namespace nb::literals;

namespace ridge::python {

namespace {

using namespace ridge::pairs;

/// With the queue of a call's arrays, in turn with other threads. Throws UsageError while a graph
/// is recorded.
template <class Work>
auto in_turn(const Call& call, const std::string& name, const Work& work) {
  const OthersMayRun others_may_run;
  const Unforkable unforkable;
  Turn& turn = queue_of(call.arrays.device, call.arrays.stream);
  const std::lock_guard lock(turn.guard);
  if (recording_on(turn))
    throw UsageError(name + " waits for the device, which no graph holds; call it outside of it");
  return work(turn.queue);
}

template <class T>
nb::bytearray uninitialised(std::size_t count) {
  PyObject* const made =
      PyByteArray_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(count * sizeof(T)));
  if (made == nullptr) throw nb::python_error();
  return nb::steal<nb::bytearray>(made);
}

template <class T>
std::vector<NearPair> pairs_of(Queue& queue, const Array& x, const ListOptions& options) {
  const Positions<T> at{row_of<const T>(x, 0), row_of<const T>(x, 1), row_of<const T>(x, 2)};
  return Lists<T>(queue, at, options).pairs(check_interrupt);
}

nb::tuple neighbours(nb::tuple arrays, double cutoff, const std::array<double, 3>& box,
                     nb::object device) {
  const std::string name = "neighbours";
  const std::vector<std::string> names{"x"};
  const std::vector<std::string> no_numbers;
  const Signature signature{name, names, no_numbers, 2, 1, 1};
  const Call call = look_at_call(signature, std::move(arrays), nb::make_tuple(), std::move(device));
  const Array& x = call.arrays.all[0];
  std::vector<NearPair> found;
  in_turn(call, name, [&](Queue& queue) {
    check_components({name, call.arrays.all, {}}, x, 3, "x");
    check_memory(name, names, call.arrays.all, {1, 1}, true);
    const std::array numbers{cutoff, 0.0, box[0], box[1], box[2]};
    const auto options = list_options_of(numbers);
    found = x.element_bytes == 4 ? pairs_of<float>(queue, x, options)
                                 : pairs_of<double>(queue, x, options);
    const Bytes needed{static_cast<Index>(found.size() * 3 * sizeof(Index))}; // as Python has them
    if (const Bytes free = Device("cpu").free_memory(); needed.value > free.value) {
      throw Failure(name + ": " + std::to_string(found.size()) + " pairs need " + to_text(needed) +
                    " more of the host's memory, of which " + to_text(free) + " are free");
    }
  });
  nb::bytearray ends = uninitialised<Index>(2 * found.size());
  nb::bytearray distances = uninitialised<double>(found.size());
  auto* end = static_cast<Index*>(ends.data());
  auto* to = static_cast<double*>(distances.data());
  {
    constexpr std::size_t piece = 1 << 20;
    const OthersMayRun others_may_run;
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (i % piece == 0) check_interrupt();
      *end++ = found[i].first;
      *end++ = found[i].second;
      *to++ = found[i].distance;
    }
  }
  return nb::make_tuple(std::move(ends), std::move(distances));
}

template <class P>
void sum_by_tree(Queue& queue, const Array& bodies, const Array& out, const TreeOptions& options,
                 int order, double error) {
  std::array<Span<const typename P::Stored>, 4> from;
  std::array<Span<typename P::Summed>, 4> to;
  for (int c = 0; c < 4; ++c) {
    from[static_cast<std::size_t>(c)] = row_of<const typename P::Stored>(bodies, c);
    to[static_cast<std::size_t>(c)] = row_of<typename P::Summed>(out, c);
  }
  Tree<P> tree(queue, from, options);
  if (error > 0) {
    (void)tree.reach(error, order, to, 1000);
  } else {
    tree.update();
    tree.sum(to);
  }
  queue.wait(); // whose memory the tree has
}

void gravity(nb::tuple arrays, double theta, double softening, int order, double error,
             nb::object device) {
  const std::string name = "gravity";
  const std::vector<std::string> names{"bodies", "out"};
  const std::vector<std::string> no_numbers;
  const Signature signature{name, names, no_numbers, 2, 1, 2};
  const Call call = look_at_call(signature, std::move(arrays), nb::make_tuple(), std::move(device));
  const auto& all = call.arrays.all;
  in_turn(call, name, [&](Queue& queue) {
    const lab::Arguments arguments{name, all, {}};
    check_components(arguments, all[0], 4, "bodies");
    check_components(arguments, all[1], 4, "out");
    check_memory(name, names, all, {1, 2}, true);
    TreeOptions options{theta, order == 0 && error > 0 ? 2 : order, softening, {}};
    options.schedule =
        default_tree_schedule(queue.device(), all[0].element_bytes == 4 ? Fp32::name : Fp64::name);
    if (all[0].element_bytes == 4) {
      sum_by_tree<Fp32>(queue, all[0], all[1], options, order, error);
    } else {
      sum_by_tree<Fp64>(queue, all[0], all[1], options, order, error);
    }
  });
}

} // namespace

void add_bodies(nb::module_& m) {
  m.def("neighbours", &neighbours, "arrays"_a, "cutoff"_a, "box"_a, "device"_a.none());
  m.def("gravity", &gravity, "arrays"_a, "theta"_a, "softening"_a, "order"_a, "error"_a,
        "device"_a.none());
}

} // namespace ridge::python
