// Several sweeps in one pass on GPUs: from a schedule to tiles, jobs and a compiled march.
#pragma once

#include <ridge/core/choose.hpp>
#include <ridge/core/error.hpp>
#include <ridge/device/memory.hpp>
#include <ridge/device/recording.hpp>
#include <ridge/device/tile_map.hpp>
#include <ridge/stencil/gpu/pass_march.hpp>
#include <ridge/stencil/march_limits.hpp>
#include <ridge/stencil/pass_executor.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ridge::stencil {

namespace gpu::inline RIDGE_TARGET_NAME {

#if !defined(RIDGE_TARGET_HIP)
template <GpuPassVariant P, class K, class T>
Bound bind_pass(Queue& queue, const Pass<K, T>& pass) {
  using Body = PassMarch<K, T, P>;
  using Shape = typename Body::Shape;
  const DeviceFacts& facts = queue.device().facts();
  const int width = facts.warp_width;
  const bool in_tiles = queue.device().kind() == DeviceKind::cuda && can_march(queue.device());
  const int shared = Shape::shared_bytes(width, in_tiles);
  if (shared > facts.shared_per_block.value) {
    throw UsageError("rows=" + std::to_string(P.rows) + " warps=" + std::to_string(P.warps) +
                     " needs " + to_text(Bytes{shared}) +
                     " of shared memory, and a block can have " + to_text(facts.shared_per_block));
  }
  if (Shape::tile_y <= 2 * Shape::halo) {
    throw UsageError("tiles of " + std::to_string(Shape::tile_y) +
                     " rows have no results after sweeps that take " + std::to_string(Shape::halo) +
                     " rows on each side; rows times warps is " +
                     std::to_string(2 * Shape::halo + 1) + " or more");
  }
  LaunchShape shape{{1, 1, 1}, {P.warps * width, 1, 1}, shared};
  shape.grid.x = resident_blocks<Body>(queue, shape);
  if (shape.grid.x < 1) throw Failure("no block of this schedule fits a multiprocessor");

  const View<const T>& in = pass.in[0];
  const PassTiles tiles{width * Shape::vector,
                        Shape::tile_y,
                        Shape::halo,
                        Shape::radius,
                        sector_bytes / static_cast<int>(sizeof(T)),
                        Shape::piece,
                        pass.periodic[0],
                        pass.periodic[1]};
  const auto& [low, high] = pass.neighbours;
  const std::vector<PassJob> jobs =
      plan_pass(tiles, in.extents, shape.grid.x, {low.theirs, high.theirs});

  struct Planned {
    Memory jobs, taken;
  };
  const auto on_device = [&](auto& memory, const auto& list) {
    using Element = typename std::remove_cvref_t<decltype(list)>::value_type;
    const auto count = static_cast<Index>(list.size());
    memory = Memory(queue.device(), Bytes{count * static_cast<Index>(sizeof(Element))},
                    "the jobs of a pass");
    set_now(queue.device(), memory.data(), list.data(), memory.size());
    return Span<Element>(static_cast<Element*>(memory.data()), count);
  };
  auto planned = std::make_unique<Planned>();
  const auto rows_of = [](const View<const T>& field) {
    return Span<const T>(field.data,
                         field.plane * (field.extents.z - 1) + field.row * field.extents.y);
  };
  Body body{{pass.kernel,
             in,
             rows_of(in),
             pass.out[0],
             Span<const PassJob>(on_device(planned->jobs, jobs)),
             on_device(planned->taken, std::vector<int>{0, 0}),
             {},
             {},
             {},
             {}}};
  const auto need = [](const PassNeighbours::Side& side, Index begin) {
    typename PassCall<K, T, P>::Needed needed;
    needed.begin = static_cast<int>(begin);
    needed.end = static_cast<int>(begin + side.needed);
    needed.further = side.further[0];
    if constexpr (Shape::levels > 1) needed.older_further = side.further[1];
    return needed;
  };
  body.call.needed[0] = need(low, low.theirs);
  body.call.needed[1] = need(high, in.extents.z - high.theirs - high.needed);
  if constexpr (Shape::levels > 1)
    body.call.older = {rows_of(pass.in[1]), pass.out[1].elements(), {}};
  if constexpr (P.moving)
    body.call.faces = PassFaces<NumberOf<T>, Shape::radius>::of(pass.shell, pass.periodic);
#if defined(RIDGE_TARGET_CUDA)
  if constexpr (Shape::takes_tiles) {
    if (in_tiles) {
      const auto map_of = [&](const View<const T>& field) {
        const TiledField tiles{field.data,
                               field.extents,
                               field.row,
                               field.plane,
                               static_cast<int>(sizeof(T)),
                               width * Shape::vector,
                               Shape::tile_y};
        return PassMap{tile_map(queue.device(), tiles)};
      };
      body.call.map = map_of(in);
      if constexpr (Shape::levels > 1) body.call.older.map = map_of(pass.in[1]);
    }
  }
#endif
  return Bound([planned = std::move(planned), ready = Ready<Body>(queue, shape, body)]() mutable {
    ready();
  });
}

/// Throws UsageError where rows cannot be copied 16 bytes at a time, or fields differ in strides.
template <class K, class T>
void require_packs(const Pass<K, T>& pass) {
  const auto fits = [](const auto& view) {
    constexpr auto size = static_cast<Index>(sizeof(T));
    return reinterpret_cast<std::uintptr_t>(view.data) % 16 == 0 && view.row * size % 16 == 0 &&
           view.plane * size % 16 == 0;
  };
  const View<const T>& first = pass.in[0];
  bool fit = true;
  const auto check = [&](const auto& view) {
    fit = fit && fits(view) && view.row == first.row && view.plane == first.plane;
  };
  for (const auto& in : pass.in)
    check(in);
  for (const auto& out : pass.out)
    check(out);
  constexpr Index most = Index{1} << 31;
  if (fit && first.plane >= most)
    throw UsageError("several sweeps in one pass on a GPU take planes of fewer than 2^31 points");
  if (fit) return;
  throw UsageError("several sweeps in one pass on a GPU need rows that begin at multiples of 16 "
                   "bytes, in all fields alike, as those of ridge::stencil::Sweeps do");
}
#endif

template <class K, class T>
Bound bind_pass_of(Queue& queue, const Pass<K, T>& pass, const GpuPassSchedule& s) {
#if defined(RIDGE_TARGET_HIP)
  (void)queue, (void)pass, (void)s;
  throw UsageError("several sweeps in one pass need the asynchronous copies of NVIDIA GPUs from "
                   "Ampere on; sweeps=1 runs here");
#else
  constexpr int most = most_gpu_pass_sweeps<K, T>();
  if constexpr (most == 0) {
    (void)queue, (void)pass, (void)s;
    throw UsageError(
        "several sweeps in one pass on a GPU are for kernels that read one field on all "
        "three axes, one point away or, in fp64, two, or one point away and the level "
        "before at the point itself; sweeps=1 takes any");
  } else {
    if (s.sweeps > most) {
      throw UsageError("sweeps=" + std::to_string(s.sweeps) +
                       ": kernels that read two points away take sweeps=" + std::to_string(most) +
                       " in one pass on a GPU");
    }
    if (!can_copy_asynchronously(queue.device())) {
      throw UsageError("several sweeps in one pass need compute capability 8.0, and " +
                       to_text(queue.device().id()) + " is " + queue.device().facts().architecture +
                       "; sweeps=1 runs here");
    }
    if (const std::string problem = GpuPassSchedule::problem(s); !problem.empty())
      throw UsageError(problem);
    require_packs(pass);
    Bound bound;
    const GpuPassVariant wanted =
        variant_of(s, has_moving_faces(pass), std::is_same_v<Here, target::Simt>);
    choose_from<GpuPassList<K, T>>(wanted, [&](auto i) {
      constexpr GpuPassVariant variant = GpuPassList<K, T>::values[decltype(i)::value];
      if constexpr (variant.sweeps <= most) bound = bind_pass<variant>(queue, pass);
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
const PassOffers PassExecutor<K, T, Target>::offered{
    launch::offer<PassExecutor, Pass<K, T>>(kind_of<Target>, this_source),
    {kind_of<Target>, typeid(PassesAhead<K, T>), +[](const GpuPassVariant& variant) {
       return variant.sweeps <= most_gpu_pass_sweeps<K, T>() &&
              choose_from<GpuPassList<K, T>>(variant, [](auto) {});
     }}};

} // namespace ridge::stencil
