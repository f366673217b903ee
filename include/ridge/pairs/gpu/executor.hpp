// The pairs pattern on GPUs: from a schedule to a compiled variant and its launches.
#pragma once

#include <ridge/core/choose.hpp>
#include <ridge/core/error.hpp>
#include <ridge/device/launch.hpp>
#include <ridge/pairs/executor.hpp>
#include <ridge/pairs/gpu/direct.hpp>
#include <ridge/pairs/gpu/planning.hpp>
#include <ridge/pairs/gpu/symmetric.hpp>

#include <type_traits>
#include <utility>

namespace ridge::pairs {

namespace gpu::inline RIDGE_TARGET_NAME {

template <class T>
Span<T> scratch_of(Queue& queue, Index count) {
  return {static_cast<T*>(queue.scratch(Bytes{count * static_cast<Index>(sizeof(T))})), count};
}

template <DirectVariant D, class I, class P>
Bound bind_direct(Queue& queue, const Call<I, P>& call, const GpuSchedule& s) {
  using Kernel = Direct<I, P, D>;
  const DirectLaunch launch =
      plan_direct(queue, Kernel::direct_facts(), call.targets[0].size, call.sources[0].size, s);
  using Summed = typename P::Summed;
  const Kernel kernel{{call,
                       launch.plan,
                       {reinterpret_cast<Summed*>(launch.partial.data),
                        launch.partial.size / static_cast<Index>(sizeof(Summed))}}};
  return Bound(Ready<Kernel>(queue, launch.shape, kernel));
}

template <SymmetricVariant V, class I, class P>
Bound bind_symmetric(Queue& queue, const Call<I, P>& call, const GpuSchedule& s) {
  using Kernel = Mutual<I, P, V>;
  const Index bodies = call.sources[0].size;
  const Index row = Index{s.block} * V.tile;
  const Index rows = ceil_div(bodies, row);
  if (rows > 60000) {
    throw UsageError("form=symmetric takes up to 60000 rows of block times tile bodies; give more "
                     "threads, a larger tile or form=direct");
  }
  const Rows all{bodies, static_cast<int>(rows)};
  const int warp = queue.device().facts().warp_width;
  const LaunchShape shape{
      {all.items(), 1, 1}, {s.block, 1, 1}, Kernel::shared_bytes(s.block, warp)};
  check_shape(queue.device(), shape);
  const auto counters = counters_of(queue, Kernel::counters_needed(all, s.block));
  const auto others = scratch_of<typename P::Summed>(queue, bodies * I::sums);
  const LaunchShape each_body{{static_cast<int>(ceil_div(bodies, Index{256})), 1, 1}, {256, 1, 1}};
  return Bound(
      [meet = Ready<Kernel>(queue, shape, Kernel{call, all, counters, others}),
       join = Ready<JoinSums<I, P>>(queue, each_body, {call.sums, others, all, row})]() mutable {
        meet();
        join();
      });
}

/// Picks the compiled direct kernel of a schedule.
template <class I, class P>
Bound bind_direct_of(Queue& queue, const Call<I, P>& call, const GpuSchedule& s) {
  using List = DirectList<I, P>;
  Bound bound;
  choose_from<List>(DirectVariant{s.stage, s.tile, s.unroll, s.ways}, [&](auto i) {
    constexpr DirectVariant chosen = List::values[i];
    bound = bind_direct<chosen>(queue, call, s);
  });
  return bound;
}

/// The same of the symmetric form.
template <class I, class P>
Bound bind_symmetric_of(Queue& queue, const Call<I, P>& call, const GpuSchedule& s) {
  if constexpr (has_mutual<I>) {
    if (!call.skip_self || call.targets[0].data != call.sources[0].data)
      throw UsageError("form=symmetric is for bodies among themselves");
    using List = SymmetricList<I, P>;
    Bound bound;
    choose_from<List>(SymmetricVariant{s.tile, s.unroll}, [&](auto i) {
      constexpr SymmetricVariant chosen = List::values[i];
      bound = bind_symmetric<chosen>(queue, call, s);
    });
    return bound;
  } else {
    throw UsageError("this interaction has no symmetric form");
  }
}

} // namespace gpu::inline RIDGE_TARGET_NAME

template <class I, class P, class Target>
Bound Executor<I, P, Target>::bind(Queue& queue, const Call<I, P>& call, const GpuSchedule& s) {
  static_assert(std::is_same_v<Target, Here>, "instantiate executors for ridge::Here");
  return s.form == Form::symmetric ? gpu::bind_symmetric_of(queue, call, s)
                                   : gpu::bind_direct_of(queue, call, s);
}

template <class I, class P, class Target>
const Offer Executor<I, P, Target>::offered = launch::offer<Executor, Call<I, P>>(kind_of<Target>,
                                                                                  this_source);

} // namespace ridge::pairs
