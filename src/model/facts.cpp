#include <ridge/model/facts.hpp>
#include <ridge/record/operations.hpp>

#include <algorithm>
#include <cmath>

namespace ridge::model {

double Facts::filled() const {
  const double each = blocks / std::max(device.units, 1.0);
  return each / std::ceil(std::max(each, 1e-9));
}

double Facts::active() const {
  return std::max(1.0, std::min(blocks, resident));
}

double Facts::moved() const {
  const double least = in_cache ? 0 : least_read + least_written;
  return least + repeated + partial * fill_cost + staged + spilled;
}

namespace {

/// Cycles from the start of one block to that of the next, on a whole H200: 8.4 million blocks of
/// 16 threads took 5.5 ms (docs/results/h200/lattice-norm2-real-fp64.json, staged2).
constexpr double dispatch_cycles = 1.2;

/// Of a GPU: a block waits once a wave, memory gives what is under way once a latency, and blocks
/// start one behind the other.
double gpu_waits(const Facts& f) {
  const double seconds = f.latency_cycles / f.device.clock_hz;
  const double waves = std::ceil(f.blocks / std::max(f.resident, 1.0));
  const double under_way = f.active() * f.block_threads * f.thread_bytes;
  const double read = f.least_read + f.staged / 2;
  const double started = f.dispatched > 0 ? f.dispatched : f.blocks * f.launches;
  const Copying copying{f.blocks, f.copy_cycles, f.block_cycles, std::max(f.resident, 1.0)};
  const double copied = copying.cycles(std::max(f.device.units, 1.0)) / f.device.clock_hz;
  return std::max({copied, seconds * (under_way > 0 ? std::max(waves, read / under_way) : waves),
                   started * dispatch_cycles / f.device.clock_hz});
}

} // namespace

Needs needs_of(const Facts& f) {
  Needs needs;
  const double conflicts =
      f.set_ways > 0 ? std::max(1.0, f.set_lines / f.set_ways) : 1; // lines are brought in again
  needs.moved = f.moved() * f.node_share * conflicts;
  // What is in the cache comes from there once at least, also where the patterns do not count.
  const double least = f.in_cache ? f.least_read + f.least_written : 0;
  needs.cached = std::max(f.asked, least) * f.sector_bytes / f.cache_share;
  // What is bound by its units waits for the one that has the most blocks.
  needs.flops = f.flops / f.filled() / f.vector_share;
  needs.instructions = f.instructions / f.filled();
  needs.element_bytes = f.element_bytes;
  needs.launches = f.launches * f.launch_share;
  if (f.device.is_gpu()) {
    needs.waits = gpu_waits(f);
  } else if (f.core_bytes_per_second > 0) {
    needs.waits = needs.moved / (f.filled() * f.resident * f.core_bytes_per_second);
  }
  return needs;
}

Time time_of(const Facts& facts) {
  return time_of(needs_of(facts), facts.device);
}

Counters modelled_counters(const Facts& f) {
  Counters counters{"modelled", 0, 0, {}};
  const double both = (f.staged + f.spilled) / 2; // written once and read once
  counters.bytes_read = f.least_read + f.repeated + f.partial + both;
  counters.bytes_written = f.least_written + both;
  const double moved = counters.bytes_read + *counters.bytes_written;
  if (f.asked > 0) counters.hit_rate = std::max(0.0, 1 - moved / f.asked);
  return counters;
}

void add_measured(Facts& facts, const Record& record) {
  if (record.timing) facts.measured_seconds = record.timing->median.value;
  double held = 0;
  double local = 0;
  for (const Detail& detail : record.details) {
    if (detail.name == "registers") held = detail.number;
    if (detail.name == "local_bytes") local = detail.number;
    if (detail.name == node_share_detail) facts.node_share = detail.number;
  }
  if (held <= 0) return; // not known of a cpu
  // The compiler keeps indexed arrays there too, but kernels have none.
  facts.spilled_registers = local / 4;
  facts.registers = held + facts.spilled_registers;
}

Facts begin_facts(const Work& work, const Description& device, double fill_cost) {
  Facts f;
  f.device = device;
  f.least_read = static_cast<double>(work.read.value);
  f.least_written = static_cast<double>(work.written.value);
  f.in_cache = f.least_read + f.least_written <= f.device.cache_bytes / f.device.cache_parts;
  f.flops = known_or_none(work.flops);
  f.fill_cost = fill_cost;
  f.latency_cycles = f.device.memory_latency_cycles;
  return f;
}

Prediction prediction_of(Facts facts) {
  Prediction p;
  const Counters moved = modelled_counters(facts);
  p.traffic.fetched = p.traffic.fetched_high = moved.bytes_read;
  p.traffic.fetched_low = facts.in_cache ? 0 : moved.bytes_read; // a run before may have left it
  p.traffic.written = moved.bytes_written.value_or(0);
  p.traffic.requested = facts.asked;
  // What a cpu draws is not known of every one.
  if (facts.device.copy_bytes_per_second > 0) p.time = time_of(facts);
  p.facts = std::move(facts);
  return p;
}

} // namespace ridge::model
