// Several sweeps in one pass on GPUs: from a schedule to tiles, jobs and a compiled march.
#pragma once

#include <ridge/core/choose.hpp>
#include <ridge/core/error.hpp>
#include <ridge/device/memory.hpp>
#include <ridge/stencil/gpu/pass_march.hpp>
#include <ridge/stencil/march_limits.hpp>
#include <ridge/stencil/pass_executor.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace ridge::stencil {

namespace gpu::inline RIDGE_TARGET_NAME {

#if !defined(RIDGE_TARGET_HIP)
/// Planes of tiles that hold points no sweep computes take so many times longer than others.
inline constexpr double edge_cost = 1.2;

template <GpuPassVariant P, class K, class T>
Bound bind_pass(Queue& queue, const Pass<K, T>& pass) {
  using Body = PassMarch<K, T, P>;
  const DeviceFacts& facts = queue.device().facts();
  const int width = facts.warp_width;
  const int shared = Body::shared_bytes(width);
  if (shared > facts.shared_per_block.value) {
    throw UsageError("rows=" + std::to_string(P.rows) + " warps=" + std::to_string(P.warps) +
                     " needs " + to_text(Bytes{shared}) +
                     " of shared memory, and a block can have " + to_text(facts.shared_per_block));
  }
  LaunchShape shape{{1, 1, 1}, {P.warps * width, 1, 1}, shared};
  shape.grid.x = resident_blocks<Body>(queue, shape);
  if (shape.grid.x < 1) throw Failure("no block of this schedule fits a multiprocessor");

  const View<const T>& in = pass.in[0];
  const PassTiles tiles{
      width * Body::vector, Body::tile_y, P.sweeps, 1, sector_bytes / static_cast<int>(sizeof(T)),
      Body::vector,         edge_cost};
  const PassPlan plan = plan_pass(tiles, in.extents, shape.grid.x);

  struct Planned {
    Memory jobs, first;
  };
  const auto on_device = [&](auto& memory, const auto& list) {
    using Element = typename std::remove_cvref_t<decltype(list)>::value_type;
    const auto count = static_cast<Index>(list.size());
    memory = Memory(queue.device(), Bytes{count * static_cast<Index>(sizeof(Element))},
                    "the jobs of a pass");
    copy_bytes_to_device(queue, memory.data(), list.data(), memory.size());
    return Span<const Element>(static_cast<const Element*>(memory.data()), count);
  };
  auto planned = std::make_unique<Planned>();
  const Body body{pass.kernel,
                  in,
                  {in.data, in.plane * (in.extents.z - 1) + in.row * in.extents.y},
                  pass.out[0],
                  on_device(planned->jobs, plan.jobs),
                  on_device(planned->first, plan.first),
                  plan.lead_x,
                  plan.lead_y,
                  plan.step_x,
                  plan.step_y};
  queue.wait(); // the lists are the host's until here
  return Bound([planned = std::move(planned), ready = Ready<Body>(queue, shape, body)]() mutable {
    ready();
  });
}

/// Throws UsageError for faces whose shell changes from sweep to sweep.
template <class K, class T>
void require_fixed_faces(const Pass<K, T>& pass) {
  const Index3 n = pass.shell.field.extents;
  const Index size[3] = {n.x, n.y, n.z};
  for (int axis = 0; axis < 3; ++axis) {
    if (pass.shell.axes[axis].points == size[axis]) continue;
    throw UsageError("sweeps=" + std::to_string(pass.sweeps) +
                     ": several sweeps in one pass on a GPU need faces that are untouched or "
                     "dirichlet, and those of " +
                     "xyz"[axis] + " are not; sweeps=1 takes any");
  }
}

/// Throws UsageError where rows cannot be copied 16 bytes at a time.
template <class K, class T>
void require_packs(const Pass<K, T>& pass) {
  const auto fits = [](const auto& view) {
    constexpr auto size = static_cast<Index>(sizeof(T));
    return reinterpret_cast<std::uintptr_t>(view.data) % 16 == 0 && view.row * size % 16 == 0 &&
           view.plane * size % 16 == 0;
  };
  if (fits(pass.in[0]) && fits(pass.out[0])) return;
  throw UsageError("several sweeps in one pass on a GPU need rows that begin at multiples of 16 "
                   "bytes, as those of ridge::stencil::Sweeps do");
}
#endif

template <class K, class T>
Bound bind_pass_of(Queue& queue, const Pass<K, T>& pass, const GpuPassSchedule& s) {
#if defined(RIDGE_TARGET_HIP)
  (void)queue, (void)pass, (void)s;
  throw UsageError("several sweeps in one pass need the asynchronous copies of NVIDIA GPUs from "
                   "Hopper on; sweeps=1 runs here");
#else
  if constexpr (!has_gpu_pass<K>()) {
    (void)queue, (void)pass, (void)s;
    throw UsageError("several sweeps in one pass on a GPU are for kernels of one input that read "
                     "one point away along the axes, z among them; sweeps=1 takes any");
  } else {
    if (!can_march(queue.device())) {
      throw UsageError("several sweeps in one pass need compute capability 9.0, and " +
                       to_text(queue.device().id()) + " is " + queue.device().facts().architecture +
                       "; sweeps=1 runs here");
    }
    if (const std::string problem = GpuPassSchedule::problem(s); !problem.empty())
      throw UsageError(problem);
    require_fixed_faces(pass);
    require_packs(pass);
    Bound bound;
    // Where results are stored makes no difference on the emulated GPU.
    constexpr bool emulated = std::is_same_v<Here, target::Simt>;
    const Store store = emulated ? Store::plain : s.store;
    choose_from<GpuPassList>(GpuPassVariant{s.sweeps, s.rows, s.warps, store}, [&](auto i) {
      bound = bind_pass<GpuPassList::values[decltype(i)::value]>(queue, pass);
    });
    return bound;
  }
#endif
}

} // namespace gpu::inline RIDGE_TARGET_NAME

template <class K, class T, class Target>
Bound PassExecutor<K, T, Target>::bind(Queue& queue, const Pass<K, T>& pass,
                                       const GpuPassSchedule& s) {
  static_assert(std::is_same_v<Target, Here>, "instantiate executors for ridge::Here");
  return gpu::bind_pass_of(queue, pass, s);
}

template <class K, class T, class Target>
const Offer PassExecutor<K, T, Target>::offered =
    launch::offer<PassExecutor, Pass<K, T>>(kind_of<Target>, this_source);

} // namespace ridge::stencil
