#include <ridge/model/host.hpp>
#include <ridge/model/layout.hpp>

#include <algorithm>

namespace ridge::model {

void lay_blocks(Facts& f, const Blocks& blocks) {
  StencilAccess access; // of which only how blocks take room is asked
  access.threads = blocks.threads;
  access.bounds = std::max(blocks.bounds, blocks.threads);
  access.registers = blocks.registers;
  access.shared_bytes = blocks.shared_bytes;
  f.blocks = blocks.count;
  f.block_threads = blocks.threads;
  f.resident = resident_blocks(access, f.device);
  f.registers = blocks.registers;
  f.spilled_registers = spilled_registers(access, f.device);
}

void lay_threads(Facts& f, Index parts, int threads, Index row) {
  const double cores = std::max(1.0, f.device.units);
  f.resident = threads > 0 ? std::min<double>(threads, cores) : cores;
  // Parts go to the threads there are; cores without a thread are idle.
  const double rounds =
      static_cast<double>(ceil_div(std::max<Index>(parts, 1), static_cast<Index>(f.resident)));
  f.blocks = static_cast<double>(parts) / rounds;
  f.resident = cores;
  f.core_bytes_per_second = core_bytes_per_second(f.device);
  const HostVectors vectors = host_vectors();
  const Index lanes = std::max<Index>(1, vectors.used_bytes / f.element_bytes);
  const double full = static_cast<double>(row) /
                      static_cast<double>(ceil_div(std::max<Index>(row, 1), lanes) * lanes);
  f.vector_share = full * vectors.used_bytes / vectors.widest_bytes;
}

} // namespace ridge::model
