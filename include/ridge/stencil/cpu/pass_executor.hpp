// Several sweeps in one pass on the cpu: blocks and their rings for every thread.
#pragma once

#include <ridge/device/memory.hpp>
#include <ridge/stencil/cpu/pass.hpp>
#include <ridge/stencil/pass_executor.hpp>

#include <memory>
#include <vector>

namespace ridge::stencil {

namespace cpu {

/// How a pass is cut into blocks.
struct PassBlocks {
  PassBlocks(Range all_rows, Range all_planes, Index rows, Index planes)
      : all_rows_(all_rows), all_planes_(all_planes),
        rows_(ceil_div(all_rows.end - all_rows.begin, rows)),
        planes_(ceil_div(all_planes.end - all_planes.begin, planes)) {}

  [[nodiscard]] Index count() const { return rows_ * planes_; }
  /// Neighbours in rows follow each other.
  [[nodiscard]] Range rows(Index block) const { return part(all_rows_, block % rows_, rows_); }
  [[nodiscard]] Range planes(Index block) const {
    return part(all_planes_, block / rows_, planes_);
  }
  [[nodiscard]] Index most_rows() const { return ceil_div(all_rows_.end - all_rows_.begin, rows_); }

private:
  static Range part(const Range& all, Index i, Index parts) {
    const Index n = all.end - all.begin;
    return {all.begin + n * i / parts, all.begin + n * (i + 1) / parts};
  }
  Range all_rows_, all_planes_;
  Index rows_, planes_;
};

template <class K, class T>
Bound bind_pass(Queue& queue, const Pass<K, T>& pass, const CpuPassSchedule& s) {
  constexpr Offset r = radius_of<K>();
  const Index3 n = pass.shell.field.extents;
  const bool along_y = n.z == 1;
  const int threads = s.threads > 0 ? s.threads : ridge::cpu::default_threads();
  const Range in_y{r.y, n.y - r.y};
  const Range in_z{r.z, n.z - r.z};
  const PassBlocks blocks(along_y ? in_z : in_y, along_y ? in_y : in_z, std::max(1, s.rows),
                          std::max(1, s.planes));
  const Index elements = PassBlock<K, T>(pass, along_y, s.store).elements(blocks.most_rows());
  std::vector<Memory> rings;
  for (int t = 0; t < threads; ++t)
    rings.emplace_back(queue.device(), Bytes{elements * static_cast<Index>(sizeof(T))},
                       "planes of the sweeps in between");
  struct Blocked {
    Pass<K, T> pass;
    bool along_y;
    CpuPassSchedule s;
    int threads;
    PassBlocks blocks;
    std::vector<Memory> rings;
    std::vector<PassBlock<K, T>> workers = {};
  };
  auto held =
      std::make_unique<Blocked>(Blocked{pass, along_y, s, threads, blocks, std::move(rings)});
  for (int t = 0; t < threads; ++t)
    held->workers.emplace_back(held->pass, along_y, s.store);
  return Bound([held = std::move(held)] {
    ridge::cpu::run(held->threads, [&](int thread, int all) {
      const auto t = static_cast<std::size_t>(thread);
      for (Index b = thread; b < held->blocks.count() && ridge::cpu::goes_on(); b += all)
        held->workers[t].run(held->blocks.rows(b), held->blocks.planes(b),
                             static_cast<T*>(held->rings[t].data()));
      if (held->s.store == Store::nontemporal) store_fence();
    });
  });
}

} // namespace cpu

template <class K, class T>
Bound PassExecutor<K, T, target::Cpu>::bind(Queue& queue, const Pass<K, T>& pass,
                                            const CpuPassSchedule& s) {
  return cpu::bind_pass(queue, pass, s);
}

template <class K, class T>
const PassOffers PassExecutor<K, T, target::Cpu>::offered{
    launch::offer<PassExecutor, Pass<K, T>>(DeviceKind::cpu, this_source),
    {DeviceKind::cpu, typeid(PassesAhead<K, T>),
     +[](const GpuPassVariant& /*variant*/) { return true; }}};

} // namespace ridge::stencil
