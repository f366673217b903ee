#include <ridge/doctor/beyond.hpp>
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

/// An H100's record of a million atoms at density 0.8442 within 2.5, with another skin: pairs
/// computed as the cube of the reach.
Record of_lists(double skin) {
  const double wider = (2.5 + skin + 0.2) / (2.5 + 0.3 + 0.2);
  const double pairs = wider * wider * wider;
  Record r;
  r.device_name = "NVIDIA H100";
  r.size = Extents{1048576};
  r.schedule = "share=1 block=128";
  r.timing = Timing{{0.177e-3 * pairs}, {0.177e-3 * pairs}, {0.177e-3 * pairs}, 15};
  r.details = {{"cutoff", 2.5, {}},
               {"skin", skin, {}},
               {"asked", 57.3e6, {}},
               {"computed", 99e6 * pairs, {}},
               {"build_seconds", 0.95e-3 * pairs, {}},
               {"look_seconds", 0.03e-3, {}}};
  return r;
}

/// What a walk over 65536 bodies on 32 cores recorded.
struct Walk {
  int leaf = 32, tile = 2;
  double p2p = 0, p2c = 0, nodes = 0; ///< a body
  double walk = 0, build = 0;         ///< seconds
  double imbalance = 1.5, groups = 2048;
};
Record of_tree(const Walk& w) {
  Record r;
  r.device_name = "a cpu of 32 cores";
  r.size = Extents{65536};
  r.schedule = "leaf=" + std::to_string(w.leaf) + " tile=" + std::to_string(w.tile) +
               " levels=21 cut=2 threads=0";
  const Seconds all{w.walk + w.build + 1e-3};
  r.timing = Timing{all, all, all, 15};
  r.details = {{"p2p", w.p2p, {}},
               {"p2c", w.p2c, {}},
               {"imbalance", w.imbalance, {}},
               {"nodes", w.nodes, {}},
               {"groups", w.groups, {}},
               {"workers", 32, {}},
               {"seconds_sort", 1e-3, {}},
               {"seconds_nodes", w.build / 2, {}},
               {"seconds_moments", w.build / 2, {}},
               {"seconds_walk", w.walk, {}}};
  return r;
}

/// A V cycle of an H100, whose copy has 2.42 TB/s: seconds, least bytes, bytes moved and launches
/// of levels.
struct LevelOf {
  const char* points;
  double seconds, least, moved, launches;
};
Record of_cycle(const std::vector<LevelOf>& levels) {
  Record r;
  r.device_name = "NVIDIA H100";
  r.device.kind = DeviceKind::simt; // any GPU
  Seconds all{0};
  for (const LevelOf& l : levels) {
    all.value += l.seconds;
    const std::string at = std::string("_") + l.points;
    r.details.push_back({"seconds" + at, l.seconds, {}});
    r.details.push_back({"bytes" + at, l.least, {}});
    r.details.push_back({"moved" + at, l.moved, {}});
    r.details.push_back({"launches" + at, l.launches, {}});
  }
  r.timing = Timing{all, all, all, 15};
  r.achieved = Achievement{1e12, "B/s", 2.42e12, "copy"};
  return r;
}

/// A launch on two cores that was timed, modelled, and timed on a part of its data.
Record of_part(double seconds, double modelled, double cached) {
  Record r;
  r.device_name = "AMD EPYC";
  r.size = Extents{4096, 4096};
  r.timing = Timing{{seconds}, {seconds}, {seconds}, 5};
  r.details = {{doctor::modelled_detail, modelled, {}}, {doctor::cached_detail, cached, {}}};
  return r;
}

Planted recorded(const char* cause, const char* what, Record sick, Record healthy,
                 std::vector<Record> tried = {}) {
  Planted p{cause, what, {}, {}};
  p.sick_record = [=] { return sick; };
  p.healthy_record = [=] { return healthy; };
  p.tried = std::move(tried);
  return p;
}

} // namespace

std::optional<double> Planted::evidence(const doctor::Cause& named, bool planted) const {
  if (sick_record) return named.recorded(planted ? sick_record() : healthy_record());
  return named.evidence(planted ? sick() : healthy());
}

std::vector<doctor::Diagnosis> Planted::diagnoses(bool planted) const {
  if (sick_record) return doctor::diagnose(planted ? sick_record() : healthy_record(), tried);
  return doctor::diagnose(planted ? sick() : healthy());
}

std::vector<Planted> planted_launches() {
  const auto of = [](auto... words) { return [=] { return launch(words...); }; };
  const auto ten = [&](const Extents& n, const char* schedule) { // operations on numbers
    return of("chain", "h200", n, schedule);
  };
  const Extents cube{512, 512, 512};
  const Extents large{1024, 1024, 1024};
  const Extents lattice{32, 32, 32, 32};
  const char* const gcd = "mi250x-gcd";
  const std::function<Facts()> gravity = of("gravity", "cpu", Extents{262144}, "auto");
  const std::function<Facts()> streaming =
      of("laplacian", "cpu", Extents{1000, 1000, 500}, "depth=1 rows=64 store=nontemporal");
  // Its operations branch nowhere: what they would do is put in.
  const std::function<Facts()> branching = changed(ten(Extents{100000000}, "fused"), [](Facts& f) {
    f.least_instructions = 1e8;
    f.instructions = f.least_instructions;
  });
  // Fields of Ridge's own have no such rows; those that somebody else owns may.
  const std::function<Facts()> order8 =
      of("laplacian8", "cpu", Extents{512, 1000, 500}, "depth=1 rows=64");
  // Seconds of 32 cores, from what a body meets and what nodes take.
  const Walk usual{.p2p = 900, .p2c = 330, .nodes = 7300, .walk = 9e-3, .build = 0.7e-3};
  const Walk one{.leaf = 1, .p2p = 100, .p2c = 900, .nodes = 95000, .walk = 15e-3, .build = 9e-3};
  const Walk many{
      .leaf = 1024, .p2p = 8000, .p2c = 60, .nodes = 220, .walk = 42e-3, .build = 0.1e-3};
  Walk uneven = usual;
  uneven.imbalance = 40;
  uneven.groups = 256;
  uneven.tile = 4;
  uneven.walk = 40e-3;
  const Record march = of_cycle({{"511x511x511", 3.3e-3, 6.7e9, 6.7e9, 2},
                                 {"255x255x255", 0.54e-3, 7e8, 7e8, 2},
                                 {"127x127x127", 0.1e-3, 9e7, 9e7, 2},
                                 {"63x63x63", 42e-6, 13e6, 37e6, 7}});
  return {
      {"staged-passes", "a propagator's sum in two passes, full width",
       of("lattice-sum", gcd, lattice, "staged64"), of("lattice-sum", gcd, lattice, "fused64")},
      {"launch-overhead", "ten operations on 10^5 numbers, a launch each",
       ten(Extents{100000}, "fission"), ten(Extents{100000000}, "fused")},
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
      {"divergent-branches", "a long branch, which one cell in a hundred takes",
       changed(branching, [](Facts& f) { f.instructions = 27 * f.least_instructions; }), branching},
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
      recorded("loose-lists", "a skin of half of the cutoff", of_lists(1.25), of_lists(0.3)),
      recorded("tight-lists", "a skin of a hundredth of the cutoff", of_lists(0.025),
               of_lists(0.3)),
      recorded("small-leaves", "leaves of one body", of_tree(one), of_tree(usual),
               {of_tree(usual)}),
      recorded("large-leaves", "leaves of 1024 bodies", of_tree(many), of_tree(usual),
               {of_tree(usual)}),
      recorded("uneven-groups", "a group of 256 costs forty times the mean", of_tree(uneven),
               of_tree(usual), {of_tree(usual)}),
      recorded("small-levels", "a cycle of 65^3 points, launch by launch",
               of_cycle({{"63x63x63", 42e-6, 13e6, 37e6, 7},
                         {"31x31x31", 15e-6, 1.3e6, 4.4e6, 7},
                         {"15x15x15", 11e-6, 1.4e5, 5e5, 7},
                         {"7x7x7", 3e-6, 9.5e5, 9.5e5, 1}}),
               march),
      recorded("staged-levels", "a cycle of 513^3 points, launch by launch",
               of_cycle({{"511x511x511", 15.5e-3, 6.7e9, 19.5e9, 7},
                         {"255x255x255", 2e-3, 7e8, 2.3e9, 7},
                         {"127x127x127", 0.4e-3, 9e7, 2.9e8, 7},
                         {"63x63x63", 42e-6, 13e6, 37e6, 7}}),
               march),
      {"short-blocks", "a sum over sites in four million blocks",
       changed(of("lattice-sum", "h200", lattice, "auto"), [](Facts& f) { f.dispatched = 4e6; }),
       of("lattice-sum", "h200", lattice, "auto")},
      recorded("slow-operations", "shallow water on two cores: 18 divisions and roots a point",
               of_part(82.6e-3, 34.4e-3, 78e-3), of_part(36e-3, 34.4e-3, 33e-3)),
      recorded("slow-memory", "19 arrays at once on two cores", of_part(82.6e-3, 34.4e-3, 30e-3),
               of_part(36e-3, 34.4e-3, 30e-3)),
  };
}

std::vector<Confusion> confusion_table() {
  std::vector<Confusion> table;
  for (const Planted& p : planted_launches()) {
    const std::string on = p.sick ? p.sick().device.name : p.sick_record().device_name;
    Confusion row{p.cause, p.what, on, {}, 1, {}, {}};
    for (const doctor::Diagnosis& d : p.diagnoses(true)) {
      if (row.named_first.empty()) {
        row.named_first = d.cause->name;
        row.gain = d.predicted_gain;
      } else {
        row.also.emplace_back(d.cause->name);
      }
    }
    for (const doctor::Diagnosis& d : p.diagnoses(false))
      row.on_healthy.emplace_back(d.cause->name);
    table.push_back(std::move(row));
  }
  return table;
}

} // namespace ridge::lab
