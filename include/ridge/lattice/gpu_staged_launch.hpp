// The launches of a staged reduction.
#pragma once

#include <ridge/device/backend.hpp>
#include <ridge/lattice/gpu_reduce_launch.hpp>
#include <ridge/lattice/gpu_staged.hpp>

namespace ridge::lattice::gpu::inline RIDGE_TARGET_NAME {

/// Components of a bundle: as many as divide the tensor, 12 at most.
inline int bundle_of(int components) {
  int most = 1;
  for (int n = 2; n <= 12; ++n) {
    if (components % n == 0) most = n;
  }
  return most;
}

inline LaunchShape staged_shape(const GpuSchedule& s, const Geometry& g, Index items) {
  const int threads = block_threads(s, g, 1024);
  const Index blocks = ceil_div(items, s.groups);
  if (blocks > INT_MAX) {
    throw UsageError("groups=" + std::to_string(s.groups) +
                     " makes too many blocks for a field of this size");
  }
  return {{static_cast<int>(blocks), 1, 1}, {threads, 1, 1}, 0};
}

/// What a staged reduction has written, at the beginning of the queue's scratch memory, with room
/// for partial results behind it.
struct Stage {
  static constexpr Index room = Index{64} << 20;
  char* memory;
  Bytes size;

  Stage(Queue& queue, Index bytes) : memory(nullptr), size{ceil_div(bytes, 256) * 256} {
    memory = static_cast<char*>(queue.scratch(size + Bytes{room}));
  }
};

template <class T>
void sum_staged(Queue& queue, const ReduceCall<T>& call, const GpuSchedule& s) {
  const Geometry& g = call.geometry;
  const Vectors v{g.nsimd, call.shape.parts(), call.shape.components, g.groups};
  const int count = bundle_of(v.components);
  const Index reals = g.sites() * count * v.parts;
  const Index results = Index{call.slices()} * count * v.parts;
  const Stage stage(queue, (reals + 32) * static_cast<Index>(sizeof(T)) + results * 8);
  const Span<double> result(reinterpret_cast<double*>(stage.memory + stage.size.value) - results,
                            results);
  const Span<T> bundle(reinterpret_cast<T*>(stage.memory), reals);
  const bool across = s.components == Components::threads;
  for (int base = 0; base < v.components; base += count) {
    launch_body(queue, staged_shape(s, g, across ? g.groups * count : g.groups),
                StageBundle<T>{call.x, bundle, v, base, count, across});
    ReduceCall<T> rest = call;
    rest.x = Span<const T>(bundle);
    rest.shape.components = count;
    rest.result = result;
    reduce_flat<T, Reduction::sum, false, PlainSum<double>, 1>(queue, rest, s, stage.size);
    const Index bytes = Index{count} * v.parts * 8;
    for (Index slice = 0; slice < call.slices(); ++slice) {
      queue.device().backend().copy(queue.native(),
                                    call.result.data + (slice * v.components + base) * v.parts,
                                    result.data + slice * count * v.parts,
                                    static_cast<std::size_t>(bytes), CopyDirection::on_device);
    }
  }
}

template <class T, Reduction What>
void number_staged(Queue& queue, const ReduceCall<T>& call, const GpuSchedule& s) {
  if (s.components != Components::serial) {
    throw UsageError("reduce=staged of one number goes with components=serial");
  }
  const Geometry& g = call.geometry;
  const Vectors v{g.nsimd, call.shape.parts(), call.shape.components, g.groups};
  const Stage stage(queue, g.sites() * call.parts() * 8);
  const Span<double> numbers(reinterpret_cast<double*>(stage.memory), g.sites() * call.parts());
  launch_body(queue, staged_shape(s, g, g.groups),
              StageNumber<T, What>{{call.x, call.y, call.z, call.a}, numbers, v});
  ReduceCall<double> rest;
  rest.what = What == Reduction::max ? Reduction::max : Reduction::sum;
  rest.shape = {1, call.parts() == 2, 8};
  rest.geometry = g;
  rest.x = Span<const double>(numbers);
  rest.dimension = call.dimension;
  rest.result = call.result;
  if constexpr (What == Reduction::max) {
    reduce_flat<double, Reduction::max, false, Greatest<double>, 4>(queue, rest, s, stage.size);
  } else {
    reduce_flat<double, Reduction::sum, false, PlainSum<double>, 1>(queue, rest, s, stage.size);
  }
}

} // namespace ridge::lattice::gpu::inline RIDGE_TARGET_NAME
