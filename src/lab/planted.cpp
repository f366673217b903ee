#include <ridge/doctor/diagnosis.hpp>
#include <ridge/lab/bench.hpp>
#include <ridge/lab/planted.hpp>
#include <ridge/pattern/menu.hpp>

namespace ridge::lab {

namespace {

using model::Facts;

/// A server's processor, in the figures of an EPYC 9354.
model::Description a_cpu() {
  model::Description d;
  d.name = "a cpu of 32 cores";
  d.kind = DeviceKind::cpu;
  d.units = 32;
  d.cache_bytes = 256e6;
  d.unit_cache_bytes = 1 << 20;
  d.cache_ways = 16;
  d.sector_bytes = 64;
  d.copy_bytes_per_second = 350e9;
  d.fp32_flops = 6.6e12;
  d.fp64_flops = 3.3e12;
  d.launch_seconds = 5e-6;
  return d;
}

/// A launch of a built-in kernel: `device` is the key of a shipped description, or "cpu".
Facts launch(const std::string& kernel, const std::string& device, const Extents& size,
             const std::string& schedule) {
  const bool cpu = device == "cpu";
  model::Description d = cpu ? a_cpu() : model::shipped_description(device);
  const char* const stand_in = cpu ? "cpu" : d.warp_width == 64 ? "simt:64" : "simt:32";
  const BenchKernel& found = find_bench_kernel(kernel);
  const BenchRequest request{Device(stand_in), size, found.default_precision, schedule, {}};
  const auto menu = found.make_menu(request, Place{request.device, d, cpu});
  Facts facts = menu->predict(schedule).facts;
  if (cpu) { // whatever this machine's processor is
    facts.vector_share = 1;
    facts.set_ways = 8;
  }
  return facts;
}

/// The same with a change that no schedule makes.
template <class Change>
std::function<Facts()> changed(const std::function<Facts()>& of, const Change& change) {
  return [=] {
    Facts facts = of();
    change(facts);
    return facts;
  };
}

} // namespace

std::vector<Planted> planted_launches() {
  const auto of = [](auto... words) { return [=] { return launch(words...); }; };
  const Extents cube{512, 512, 512};
  const Extents large{1024, 1024, 1024};
  const Extents lattice{32, 32, 32, 32};
  const char* const gcd = "mi250x-gcd";
  const std::function<Facts()> gravity = of("gravity", "cpu", Extents{262144}, "auto");
  const std::function<Facts()> streaming =
      of("laplacian", "cpu", Extents{1000, 1000, 500}, "depth=1 rows=64 store=nontemporal");
  // Fields of Ridge's own have no such rows; those that somebody else owns may.
  const std::function<Facts()> order8 =
      of("laplacian8", "cpu", Extents{512, 1000, 500}, "depth=1 rows=64");
  return {
      {"staged-passes", "a propagator's sum in two passes, full width",
       of("lattice-sum", gcd, lattice, "staged64"), of("lattice-sum", gcd, lattice, "fused64")},
      {"launch-overhead", "ten operations on 10^5 numbers, a launch each",
       of("chain", "h200", Extents{100000}, "fission"),
       of("chain", "h200", Extents{100000000}, "fused")},
      {"uncoalesced", "lanes along y", of("laplacian", "h200", cube, "block=1x256x1"),
       of("laplacian", "h200", cube, "auto")},
      {"repeated-requests", "a point a thread, its six neighbours from the cache",
       of("laplacian", "h200", cube, "kernel1"), of("laplacian", "h200", cube, "auto")},
      {"cache-overflow", "planes of 8 MB, a GCD's cache", of("laplacian", gcd, large, "kernel5"),
       of("laplacian", gcd, large, "kernel7")},
      {"few-resident-warps", "sixteen points of 25 a thread, bounds=1024",
       of("laplacian8", gcd, cube, "kernel5 tile=16 bounds=1024"),
       of("laplacian", gcd, cube, "kernel5")},
      {"spilled-registers", "four points of 25 a thread, bounds=1024",
       of("laplacian8", gcd, cube, "kernel3 tile=4"), of("laplacian", gcd, cube, "kernel5")},
      {"computed-twice", "each pair of bodies for one of them",
       of("gravity", "h200", Extents{262144}, "direct"),
       of("gravity", "h200", Extents{262144}, "auto")},
      {"too-few-bytes-in-flight", "a block a unit, an access a thread",
       of("lattice-norm2", "h200", lattice, "fused16 items=1 spread=1"),
       of("lattice-norm2", "h200", lattice, "auto")},
      {"launch-too-small", "64 blocks for 132 units",
       of("gravity", "h200", Extents{65536}, "shared block=256 tile=4"),
       of("gravity", "h200", Extents{1048576}, "auto")},
      {"partly-written-sectors", "results through a cpu's caches",
       of("laplacian", "cpu", Extents{1000, 1000, 500}, "depth=1 rows=64 store=plain"), streaming},
      {"no-vectors", "kernels compiled for SSE on AVX-512",
       changed(gravity, [](Facts& f) { f.vector_share = 0.25; }), gravity},
      {"power-of-two-strides", "order 8, packed rows of 4096 bytes",
       changed(order8, [](Facts& f) { f.set_lines = 17; }), order8},
      {"remote-first-touch", "filled by one thread, two nodes",
       changed(streaming, [](Facts& f) { f.node_share = 2; }), streaming},
  };
}

std::vector<Confusion> confusion_table() {
  std::vector<Confusion> table;
  for (const Planted& p : planted_launches()) {
    const Facts sick = p.sick();
    Confusion row{p.cause, p.what, sick.device.name, {}, 1, {}, {}};
    for (const doctor::Diagnosis& d : doctor::diagnose(sick)) {
      if (row.named_first.empty()) {
        row.named_first = d.cause->name;
        row.gain = d.predicted_gain;
      } else {
        row.also.emplace_back(d.cause->name);
      }
    }
    for (const doctor::Diagnosis& d : doctor::diagnose(p.healthy()))
      row.on_healthy.emplace_back(d.cause->name);
    table.push_back(std::move(row));
  }
  return table;
}

} // namespace ridge::lab
