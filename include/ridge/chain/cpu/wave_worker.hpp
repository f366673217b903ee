// A wave's rows on a thread of the cpu.
#pragma once

#include <ridge/chain/cpu/wave.hpp>
#include <ridge/chain/cpu/worker.hpp>

#include <algorithm>
#include <vector>

namespace ridge::chain::cpu::inline RIDGE_TARGET_NAME {

/// A thread's planes, in blocks of rows.
template <class C, class T>
class WaveWorker {
public:
  using M = Memory<C, T, checks_reach>;
  using Of = std::vector<Functions<C, M>>;

  WaveWorker(const Call<C, T>& call, const std::vector<WaveLag>& wave, Index rows,
             const Of& functions, const M& memory, int thread, int threads)
      : call_(call), plan_(*call.plan), wave_(wave), functions_(functions), memory_(memory),
        share_(ridge::cpu::share_of(plan_.extents.z, thread, threads)) {
    const Index n = plan_.extents.y;
    rows_ = call.rows_done && call.rows_done->whole_planes ? n : std::min(rows, n);
    blocks_ = std::max<Index>(1, n / rows_); // the last one is longer
  }

  /// Planes that need nothing of other threads, nor of what lies beyond the ends of z.
  void run_wave() {
    const Index last = wave_.back().z;
    for (Index block = 0; block < blocks_; ++block) {
      for (Index t = share_.begin; t < share_.end + last; ++t) {
        if (t % planes_of_piece == 0 && !ridge::cpu::goes_on()) return;
        for (std::size_t g = 0; g < wave_.size(); ++g) {
          const ridge::cpu::Range mine = inner(g);
          const Index z = t - wave_[g].z;
          if (z >= mine.begin && z < mine.end) run_rows(g, block, wave_[g].y, z);
        }
      }
    }
  }
  /// The planes of a group that are left.
  void run_rest(std::size_t g) {
    const ridge::cpu::Range done = inner(g);
    for (Index block = 0; block < blocks_; ++block) {
      for (Index z = share_.begin; z < done.begin; ++z)
        run_rows(g, block, 0, z);
      for (Index z = done.end; z < share_.end; ++z)
        run_rows(g, block, 0, z);
    }
  }

private:
  static constexpr Index planes_of_piece = 8;

  [[nodiscard]] ridge::cpu::Range inner(std::size_t g) const {
    if (g == 0) return share_;
    const Index inside = call_.rows_done ? call_.rows_done->inside : 0;
    const Index low = wave_[g].low + (share_.begin == 0 ? inside : 0);
    const Index high = wave_[g].high + (share_.end == plan_.extents.z ? inside : 0);
    const Index begin = std::min(share_.end, share_.begin + low);
    return {begin, std::max(begin, share_.end - high)};
  }
  void run_rows(std::size_t g, Index block, Index lag, Index z) {
    const Index3& n = plan_.extents;
    const Index begin = block == 0 ? 0 : block * rows_ - lag;
    const Index end = block + 1 == blocks_ ? n.y : (block + 1) * rows_ - lag;
    const Box box{{0, begin, z}, {n.x, end, z + 1}};
    functions_[g].of[0](call_.chain, memory_, box, box);
    if (call_.rows_done) call_.rows_done->call(plan_.groups[g].first, z, begin, end);
  }

  const Call<C, T>& call_;
  const Plan& plan_;
  const std::vector<WaveLag>& wave_;
  const Of& functions_;
  const M& memory_;
  ridge::cpu::Range share_;
  Index rows_ = 1, blocks_ = 1;
};

} // namespace ridge::chain::cpu::inline RIDGE_TARGET_NAME
