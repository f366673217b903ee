// The launches of a staged reduction.
#pragma once

#include <ridge/device/backend.hpp>
#include <ridge/lattice/gpu/flat_launch.hpp>
#include <ridge/lattice/gpu/staged.hpp>

#include <vector>

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

/// The output of a staged reduction, at the beginning of the queue's scratch memory, with room
/// for partial results behind it.
struct Stage {
  static constexpr Index room = Index{64} << 20;
  char* memory;
  Bytes size;

  Stage(Queue& queue, Index bytes) : memory(nullptr), size{ceil_div(bytes, 256) * 256} {
    memory = static_cast<char*>(queue.scratch(size + Bytes{room}));
  }
};

/// A bundle of components that was written: reduces it, and puts the results where they belong.
template <class R, class T>
struct BundleLaunches {
  using Flat = FlatReduce<T, R, false, typename R::template Accumulator<double>, 1>;
  Ready<StageBundle<T>> stage;
  FlatLaunches<Flat> reduce;
};

/// Reductions by component, a bundle at a time.
template <class R, class T>
class BundlesStaged {
public:
  BundlesStaged(Queue& queue, const ReduceCall<R, T>& call, const GpuSchedule& s)
      : queue_(&queue), call_(call), count_(bundle_of(call.shape.components)) {
    const Geometry& g = call.geometry;
    const Vectors v{g.nsimd, call.shape.parts(), call.shape.components, g.groups};
    const Index reals = g.sites() * count_ * v.parts;
    const Index results = Index{call.slices()} * count_ * v.parts;
    const Stage stage(queue, (reals + 32) * static_cast<Index>(sizeof(T)) + results * 8);
    result_ = {reinterpret_cast<double*>(stage.memory + stage.size.value) - results, results};
    const Span<T> bundle(reinterpret_cast<T*>(stage.memory), reals);
    ReduceCall<R, T> rest = call;
    rest.x = Span<const T>(bundle);
    rest.shape.components = count_;
    rest.result = result_;
    using A = typename R::template Accumulator<double>;
    const bool across = s.components == Components::threads;
    const LaunchShape shape = staged_shape(s, g, across ? g.groups * count_ : g.groups);
    for (int base = 0; base < v.components; base += count_) {
      bundles_.push_back(
          {Ready<StageBundle<T>>(queue, shape,
                                 StageBundle<T>{call.x, bundle, v, base, count_, across}),
           flat_launches<R, false, A, 1>(queue, rest, s, stage.size)});
    }
  }

  void operator()() {
    int base = 0;
    const Index bytes = Index{count_} * call_.shape.parts() * 8;
    for (auto& bundle : bundles_) {
      bundle.stage();
      bundle.reduce();
      for (Index slice = 0; slice < call_.slices(); ++slice) {
        queue_->device().backend().copy(
            queue_->native(),
            call_.result.data + (slice * call_.shape.components + base) * call_.shape.parts(),
            result_.data + slice * count_ * call_.shape.parts(), static_cast<std::size_t>(bytes),
            CopyDirection::on_device);
      }
      base += count_;
    }
  }

private:
  Queue* queue_;
  ReduceCall<R, T> call_;
  int count_;
  Span<double> result_;
  std::vector<BundleLaunches<R, T>> bundles_;
};

/// Reduces what another reduction has left of each site.
template <class R>
struct Rest : Sum {
  template <class V>
  using Accumulator = typename R::template Accumulator<V>;
};

template <class R, class T>
Bound bind_number_staged(Queue& queue, const ReduceCall<R, T>& call, const GpuSchedule& s) {
  if (s.components != Components::serial) {
    throw UsageError("reduce=staged of one number goes with components=serial");
  }
  const Geometry& g = call.geometry;
  const Vectors v{g.nsimd, call.shape.parts(), call.shape.components, g.groups};
  const Stage stage(queue, g.sites() * call.parts() * 8);
  const Span<double> numbers(reinterpret_cast<double*>(stage.memory), g.sites() * call.parts());
  using Last = std::conditional_t<adds_up<R>, Sum, Rest<R>>;
  ReduceCall<Last, double> rest;
  rest.shape = {1, call.parts() == 2, 8};
  rest.geometry = g;
  rest.x = Span<const double>(numbers);
  rest.dimension = call.dimension;
  rest.result = call.result;
  using A = typename R::template Accumulator<double>;
  return Bound([sites = Ready<StageNumber<T, R>>(
                    queue, staged_shape(s, g, g.groups),
                    StageNumber<T, R>{{call.x, call.y, call.z, call.reduction}, numbers, v}),
                last = flat_launches<Last, false, A, 1>(queue, rest, s, stage.size)]() mutable {
    sites();
    last();
  });
}

template <class R, class T>
Bound bind_staged(Queue& queue, const ReduceCall<R, T>& call, const GpuSchedule& s) {
  if (call.reproducible) {
    throw UsageError("a reproducible reduction goes with reduce=fused: it rounds no site's result");
  }
  if constexpr (R::by_component) {
    return Bound(BundlesStaged<R, T>(queue, call, s));
  } else {
    return bind_number_staged(queue, call, s);
  }
}

} // namespace ridge::lattice::gpu::inline RIDGE_TARGET_NAME
