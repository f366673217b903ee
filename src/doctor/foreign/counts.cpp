// The names that profilers give what they count.
#include <ridge/doctor/foreign/kernel.hpp>

#include <algorithm>

namespace ridge::doctor {

namespace {

using L = LaunchCounts;

/// Names of ncu. Shares are in percent there, and read as 0 to 1.
const std::vector<CountName>& ncu_names() {
  static const std::vector<CountName> all{
      {"launch__grid_size", &L::blocks},
      {"launch__block_size", &L::block_threads},
      {"launch__registers_per_thread", &L::registers},
      {"launch__shared_mem_per_block_static", &L::shared_bytes, 1, true},
      {"launch__shared_mem_per_block_dynamic", &L::shared_bytes, 1, true},
      {"launch__occupancy_limit_registers", &L::blocks_by_registers},
      {"launch__occupancy_limit_shared_mem", &L::blocks_by_shared},
      {"launch__occupancy_limit_blocks", &L::blocks_by_slots},
      {"launch__occupancy_limit_warps", &L::blocks_by_warps},
      {"device__attribute_multiprocessor_count", &L::units},
      {"device__attribute_clock_rate", &L::best_clock_hz, 1e3},
      {"smsp__cycles_elapsed.max.per_second", &L::clock_hz},
      {"sm__warps_active.avg.pct_of_peak_sustained_active", &L::warps},
      {"sm__cycles_active.avg", &L::active_cycles},
      {"sm__cycles_active.max", &L::active_cycles_max},
      {"sm__cycles_elapsed.max", &L::elapsed_cycles},
      {"dram__bytes_read.sum", &L::bytes_read},
      {"dram__bytes_write.sum", &L::bytes_written},
      {"dram__throughput.avg.pct_of_peak_sustained_elapsed", &L::memory_busy},
      {"lts__throughput.avg.pct_of_peak_sustained_elapsed", &L::cache_busy},
      {"l1tex__throughput.avg.pct_of_peak_sustained_active", &L::unit_cache_busy},
      {"device__attribute_l2_cache_size", &L::cache_bytes},
      {"lts__t_sectors.sum", &L::cache_sectors},
      {"lts__t_sectors_lookup_hit.sum", &L::cache_hits},
      {"lts__t_sectors_srcunit_tex.sum", &L::asked_sectors},
      {"lts__t_sectors_srcunit_tex_aperture_sysmem.sum", &L::host_sectors},
      {"lts__t_sectors_srcunit_tex_aperture_peer.sum", &L::peer_sectors},
      {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", &L::load_sectors},
      {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", &L::load_requests},
      {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", &L::store_sectors},
      {"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", &L::store_requests},
      {"smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct", &L::load_used},
      {"smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct", &L::store_used},
      {"l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum", &L::atomic_sectors, 1, true},
      {"l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum", &L::atomic_sectors, 1, true},
      {"l1tex__t_requests_pipe_lsu_mem_global_op_red.sum", &L::atomic_requests, 1, true},
      {"l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum", &L::atomic_requests, 1, true},
      {"lts__d_atomic_input_cycles_active.max.pct_of_peak_sustained_elapsed", &L::atomic_busy},
      {"l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", &L::local_sectors, 1, true},
      {"l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", &L::local_sectors, 1, true},
      {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", &L::shared_passes},
      {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", &L::shared_conflicts},
      {"l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed", &L::shared_busy},
      {"smsp__inst_executed.sum", &L::instructions},
      {"smsp__thread_inst_executed.sum", &L::thread_instructions},
      {"smsp__issue_active.avg.pct_of_peak_sustained_active", &L::issue_busy},
      {"smsp__warps_eligible.avg.per_cycle_active", &L::eligible_warps},
      {"smsp__thread_inst_executed_per_inst_executed.ratio", &L::lanes, 1.0 / 32},
      {"sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_active", &L::fp64_busy},
      {"sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active", &L::fp32_busy},
      {"sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_active", &L::integer_busy},
      {"sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active", &L::special_busy},
      {"sm__inst_executed_pipe_tensor.avg.pct_of_peak_sustained_active", &L::tensor_busy},
      {"smsp__sass_thread_inst_executed_op_fp64_pred_on.sum", &L::fp64_operations},
      {"smsp__sass_thread_inst_executed_op_fp32_pred_on.sum", &L::fp32_operations},
      {"smsp__sass_thread_inst_executed_op_dfma_pred_on.sum", &L::fp64_fused},
      {"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", &L::fp32_fused},
      {"smsp__sass_thread_inst_executed_op_conversion_pred_on.sum", &L::conversions},
      {"smsp__average_warp_latency_per_inst_issued.ratio", &L::wait_all},
      {"smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio", &L::wait_memory},
      {"smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio",
       &L::wait_shared},
      {"smsp__average_warps_issue_stalled_wait_per_issue_active.ratio", &L::wait_result},
      {"smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio", &L::wait_barrier},
      {"smsp__average_warps_issue_stalled_membar_per_issue_active.ratio", &L::wait_fence},
      {"smsp__average_warps_issue_stalled_lg_throttle_per_issue_active.ratio",
       &L::wait_memory_queue},
      {"smsp__average_warps_issue_stalled_mio_throttle_per_issue_active.ratio",
       &L::wait_shared_queue},
      {"smsp__average_warps_issue_stalled_math_pipe_throttle_per_issue_active.ratio",
       &L::wait_pipe},
      {"smsp__average_warps_issue_stalled_branch_resolving_per_issue_active.ratio",
       &L::wait_branch},
      {"smsp__average_warps_issue_stalled_no_instruction_per_issue_active.ratio", &L::wait_code},
  };
  return all;
}

/// Names of AMD's profilers: derived counters, and columns of their tables.
const std::vector<CountName>& amd_names() {
  constexpr double kib = 1024, percent = 0.01;
  static const std::vector<CountName> all{
      {"FETCH_SIZE", &L::bytes_read, kib},
      {"WRITE_SIZE", &L::bytes_written, kib},
      {"L2CacheHit", &L::cache_hit_rate, percent},
      {"VALUBusy", &L::issue_busy, percent},
      {"VALUUtilization", &L::lanes, percent},
      {"MemUnitBusy", &L::unit_cache_busy, percent},
      {"OccupancyPercent", &L::warps, percent},
      {"LDSBankConflict", &L::shared_busy, percent},
      {"SQ_LDS_BANK_CONFLICT", &L::shared_conflicts},
      {"SQ_LDS_IDX_ACTIVE", &L::shared_passes},
      {"SQ_INSTS_VALU", &L::instructions},
      {"TCC_HIT_sum", &L::cache_hits},
      {"TCC_REQ_sum", &L::cache_sectors},
      {"TCC_MISS_sum", &L::cache_misses},
      {"TCC_ATOMIC_sum", &L::atomic_requests},
      {"TCC_EA_RDREQ_sum", &L::read_requests},
      {"TCC_EA0_RDREQ_sum", &L::read_requests},
      {"TCC_EA_RDREQ_32B_sum", &L::read_requests_of_32},
      {"TCC_EA0_RDREQ_32B_sum", &L::read_requests_of_32},
      {"TCC_BUBBLE_sum", &L::read_requests_of_128},
      {"TCC_EA_WRREQ_sum", &L::write_requests},
      {"TCC_EA0_WRREQ_sum", &L::write_requests},
      {"TCC_EA_WRREQ_64B_sum", &L::write_requests_of_64},
      {"TCC_EA0_WRREQ_64B_sum", &L::write_requests_of_64},
      {"SQ_THREAD_CYCLES_VALU", &L::lane_cycles},
      {"SQ_ACTIVE_INST_VALU", &L::vector_cycles},
      {"Wave_Size", &L::wave_lanes},
      {"vgpr", &L::registers},
      {"arch_vgpr", &L::registers},
      {"Arch_VGPR", &L::registers},
      {"VGPR_Count", &L::registers},
      {"scr", &L::scratch_bytes},
      {"Scratch_Size", &L::scratch_bytes},
      {"Scratch_Per_Workitem", &L::scratch_bytes},
      {"Private_Segment_Size", &L::scratch_bytes},
      {"lds", &L::shared_bytes},
      {"LDS_Block_Size", &L::shared_bytes},
      {"LDS_Per_Workgroup", &L::shared_bytes},
      {"Group_Segment_Size", &L::shared_bytes},
      {"wgr", &L::block_threads},
      {"Workgroup_Size", &L::block_threads},
  };
  return all;
}

} // namespace

const std::vector<CountName>& count_names() {
  static const std::vector<CountName> all = [] {
    std::vector<CountName> names = ncu_names();
    names.insert(names.end(), amd_names().begin(), amd_names().end());
    return names;
  }();
  return all;
}

std::string foreign_ncu_metrics(std::string_view refused) {
  std::string all = "gpu__time_duration.sum";
  for (const CountName& row : ncu_names())
    if (refused.find(row.name) == std::string_view::npos) all += "," + std::string(row.name);
  return all;
}

Counted LaunchCounts::flops() const {
  if (!fp64_operations && !fp32_operations) return {};
  return fp64_operations.value_or(0) + fp64_fused.value_or(0) + fp32_operations.value_or(0) +
         fp32_fused.value_or(0);
}

Counted LaunchCounts::bytes() const {
  if (!bytes_read) return {};
  return *bytes_read + bytes_written.value_or(0);
}

Counted LaunchCounts::warps_allowed() const {
  if (!blocks_by_warps || *blocks_by_warps <= 0) return {};
  double least = *blocks_by_warps;
  for (const Counted& limit : {blocks_by_registers, blocks_by_shared, blocks_by_slots})
    least = std::min(least, limit.value_or(least));
  return least / *blocks_by_warps;
}

} // namespace ridge::doctor
