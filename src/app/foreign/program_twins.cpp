#include "program_twins.hpp"

#include <ridge/core/units.hpp>
#include <ridge/device/device.hpp>

#include "../../launch/kernel_compiler.hpp"
#include "../interrupt.hpp"
#include "cuda_driver.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <string_view>
#include <thread>
#include <vector>

namespace ridge::app {

namespace {

using doctor::ForeignDiagnosis, doctor::ForeignRun, doctor::TwinRun;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// One warp that works for so many cycles.
constexpr const char* spin_source = R"(
extern "C" __global__ void spin(long long cycles, long long* took) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {}
  if (took != nullptr) *took = clock64() - begin;
}
)";

/// A stream and that kernel on one device.
class Spins {
public:
  explicit Spins(const std::string& device) : driver(device), took_(driver, sizeof(long long)) {
    const auto* const compiler = launch::KernelCompiler::here(parse_device(device).kind);
    if (compiler == nullptr)
      throw Failure("NVRTC is not here (pip install nvidia-cuda-nvrtc, or set RIDGE_NVRTC)");
    const auto compiled = compiler->compile(spin_source, "spin.cu",
                                            {"-arch=" + driver.architecture(), "-default-device"});
    if (!compiled.done) throw Failure("NVRTC: " + compiled.report);
    driver.call<void**, const void*>("cuModuleLoadData", &module_, compiled.image.data());
    driver.call<void**, void*, const char*>("cuModuleGetFunction", &function_, module_, "spin");
    for (void*& stream : streams)
      driver.call<void**, unsigned>("cuStreamCreate", &stream, 1U);
  }
  Spins(const Spins&) = delete;
  Spins& operator=(const Spins&) = delete;
  ~Spins() {
    for (void* const stream : streams)
      driver.release<void*>("cuStreamDestroy_v2", stream);
    driver.release<void*>("cuModuleUnload", module_);
  }

  /// A launch that takes about so long.
  void launch(double seconds, void* stream) const {
    constexpr double of_itself = 2e-6; // a launch that does nothing
    start(static_cast<long long>(std::max(0.0, seconds - of_itself) * driver.best_clock()), stream,
          0);
  }
  void wait(void* stream) const { driver.call<void*>("cuStreamSynchronize", stream); }
  void wait() const {
    for (void* const stream : streams)
      wait(stream);
  }
  /// Cycles a second while one warp works for so long.
  [[nodiscard]] double clock(double seconds) const {
    const auto begin = Clock::now();
    start(static_cast<long long>(seconds * driver.best_clock()), streams[0], took_.address);
    wait(streams[0]);
    const double passed = seconds_since(begin);
    long long cycles = 0;
    driver.call<void*, unsigned long long, std::size_t>("cuMemcpyDtoH_v2", &cycles, took_.address,
                                                        sizeof(cycles));
    return static_cast<double>(cycles) / passed;
  }

  CudaDriver driver;
  void* streams[2] = {nullptr, nullptr};

private:
  void start(long long cycles, void* stream, unsigned long long took) const {
    void* arguments[] = {&cycles, &took};
    driver.call<void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*,
                void**, void**>("cuLaunchKernel", function_, 1, 1, 1, 32, 1, 1, 0, stream,
                                arguments, nullptr);
  }

  Zeros took_;
  void *module_ = nullptr, *function_ = nullptr;
};

/// Seconds of the second of two runs.
template <class Run>
double timed(const Run& run) {
  check_interrupt();
  double seconds = 0;
  for (int k = 0; k < 2; ++k) {
    const auto begin = Clock::now();
    run();
    seconds = seconds_since(begin);
  }
  return seconds;
}

/// Launches of the program's mean length, at its pace.
struct Paced {
  int launches = 1;
  double busy = 0, period = 0; ///< seconds of a launch, and between the begins of two

  explicit Paced(const ForeignRun& r) {
    constexpr double most_seconds = 0.5, most_launches = 2000;
    busy = r.busy / std::max(1.0, r.launches);
    period = std::max(1e-7, (r.span - r.copying) / std::max(1.0, r.launches));
    launches = static_cast<int>(
        std::max(1.0, std::min({r.launches, most_launches, most_seconds / period})));
  }
};

void launch_all(const Spins& spins, const Paced& p, double period, bool waits) {
  const auto begin = Clock::now();
  for (int i = 0; i < p.launches; ++i) {
    spins.launch(p.busy, spins.streams[0]);
    if (waits) spins.wait(spins.streams[0]);
    while (seconds_since(begin) < (i + 1) * period) {
    }
  }
  spins.wait();
}

/// Seconds of these launches as one graph.
double as_graph(const Spins& spins, const Paced& p) {
  const CudaDriver& d = spins.driver;
  void *graph = nullptr, *run = nullptr, *const stream = spins.streams[0];
  d.call<void*, int>("cuStreamBeginCapture_v2", stream, 0);
  for (int i = 0; i < p.launches; ++i)
    spins.launch(p.busy, stream);
  d.call<void*, void**>("cuStreamEndCapture", stream, &graph);
  d.call<void**, void*, unsigned long long>("cuGraphInstantiateWithFlags", &run, graph, 0ULL);
  const double seconds = timed([&] {
    d.call<void*, void*>("cuGraphLaunch", run, stream);
    spins.wait(stream);
  });
  d.release<void*>("cuGraphExecDestroy", run);
  d.release<void*>("cuGraphDestroy", graph);
  return seconds;
}

/// The program's time over that without `saved` of its seconds.
double gain_of(const ForeignRun& r, double saved) {
  const double whole = std::max(r.wall, r.span);
  return whole / std::max(whole - saved, 0.01 * whole);
}
/// Seconds of the program that its cause is predicted to take.
double taken_by(const ForeignRun& r, const ForeignDiagnosis& d) {
  return std::max(r.wall, r.span) * (1 - 1 / d.gain);
}

void launches_twin(const Spins& spins, const ForeignRun& r, std::string_view cause, TwinRun& run) {
  const Paced p(r);
  const bool graph = cause == "launches-too-short", waits = cause == "host-waits";
  run.what = fmt::format("{} launches of {}, one each {}{}", p.launches, to_text(Seconds{p.busy}),
                         to_text(Seconds{p.period}), waits ? ", and a wait for each" : "");
  run.change = graph ? "as one graph" : "launched ahead";
  run.seconds = timed([&] { launch_all(spins, p, p.period, waits); });
  run.changed_seconds = graph ? as_graph(spins, p) : timed([&] { launch_all(spins, p, 0, false); });
  run.likeness = run.seconds / (p.launches * p.period);
  run.gain = gain_of(r, (run.seconds - run.changed_seconds) / p.launches * r.launches);
}

void copies_twin(const Spins& spins, const ForeignRun& r, const ForeignDiagnosis& d, TwinRun& run) {
  constexpr double most = 20, most_bytes = 1 << 28;
  const int count = static_cast<int>(std::clamp(r.copies, 1.0, most));
  const double each = r.copied_bytes / std::max(1.0, r.copies);
  const auto bytes = static_cast<std::size_t>(std::clamp(each, 4.0, most_bytes)) / 4 * 4;
  const HostZeros locked(spins.driver, bytes);
  const Zeros to(spins.driver, bytes);
  const auto copy = [&](const void* from, void* stream) {
    spins.driver.call<unsigned long long, const void*, std::size_t, void*>(
        "cuMemcpyHtoDAsync_v2", to.address, from, bytes, stream);
  };
  const auto copy_all = [&](const void* from, double busy, void* beside) {
    return timed([&] {
      for (int i = 0; i < count; ++i) {
        copy(from, spins.streams[0]);
        if (busy > 0) spins.launch(busy, beside);
      }
      spins.wait();
    });
  };
  run.what = fmt::format("{} copies of {}", count, quantity(static_cast<double>(bytes), "B"));
  if (r.pageable_bytes > r.copied_bytes / 2) {
    const std::vector<char> pageable(bytes);
    run.seconds = copy_all(pageable.data(), 0, nullptr);
    run.changed_seconds = copy_all(locked.data, 0, nullptr);
    run.change = "from page-locked memory";
    run.gain = gain_of(r, taken_by(r, d) * (1 - run.changed_seconds / run.seconds));
    return;
  }
  const double busy = std::min(0.05, r.busy / std::max(1.0, r.copies));
  run.what += fmt::format(" and launches of {}", to_text(Seconds{busy}));
  run.seconds = copy_all(locked.data, busy, spins.streams[0]);
  run.changed_seconds = copy_all(locked.data, busy, spins.streams[1]);
  run.change = "beside each other";
  run.gain = gain_of(r, std::min(taken_by(r, d), (run.seconds - run.changed_seconds) / count *
                                                     std::max(1.0, r.copies)));
}

/// Seconds of memory that is allocated and freed so often.
double by_calls(const CudaDriver& d, int count, std::size_t bytes) {
  return timed([&] {
    for (int i = 0; i < count; ++i)
      const Zeros some(d, bytes, false);
  });
}
double by_pool(const Spins& spins, int count, std::size_t bytes) {
  const CudaDriver& d = spins.driver;
  void *pool = nullptr, *const stream = spins.streams[0];
  unsigned long long keep = ~0ULL;
  d.call<void**, int>("cuDeviceGetDefaultMemPool", &pool, d.device());
  d.call<void*, int, void*>("cuMemPoolSetAttribute", pool, 4, &keep); // what is freed stays in it
  const double seconds = timed([&] {
    for (int i = 0; i < count; ++i) {
      unsigned long long address = 0;
      d.call<unsigned long long*, std::size_t, void*>("cuMemAllocAsync", &address, bytes, stream);
      d.call<unsigned long long, void*>("cuMemFreeAsync", address, stream);
    }
    spins.wait(stream);
  });
  d.release<void*, std::size_t>("cuMemPoolTrimTo", pool, std::size_t{0});
  return seconds;
}

void allocation_twin(const Spins& spins, const ForeignRun& r, const ForeignDiagnosis& d,
                     TwinRun& run) {
  constexpr double most = 200, least_bytes = 4096;
  const double pairs = std::max(1.0, r.allocations / 2);
  const int count = static_cast<int>(std::min(most, pairs));
  std::size_t bytes = 0;
  for (const double part :
       {1.0, 0.25, 0.0625}) { // no timeline has their sizes: the likest is taken
    const auto some = static_cast<std::size_t>(std::max(least_bytes, part * r.device_bytes));
    const double seconds = by_calls(spins.driver, count, some);
    const double likeness = seconds / count / std::max(1e-9, r.allocating / pairs);
    if (bytes > 0 && std::abs(std::log(likeness)) >= std::abs(std::log(run.likeness))) continue;
    run.likeness = likeness;
    run.seconds = seconds;
    bytes = some;
  }
  run.what = fmt::format("{} times {} allocated and freed", count,
                         quantity(static_cast<double>(bytes), "B"));
  run.change = "from a pool that keeps it";
  run.changed_seconds = by_pool(spins, count, bytes);
  run.gain = gain_of(r, taken_by(r, d) * (1 - run.changed_seconds / run.seconds));
}

/// The card's clock with one warp at work after a rest.
double light_clock(const Spins& spins) {
  using namespace std::chrono_literals;
  std::this_thread::sleep_for(500ms);
  constexpr double until_it_rose = 0.1, long_enough = 0.05; // seconds
  (void)spins.clock(until_it_rose);
  return spins.clock(long_enough);
}

TwinRun clock_twin(const Spins& spins, std::string_view cause, double clock_hz) {
  TwinRun run;
  run.cause = cause;
  const double light = light_clock(spins);
  run.what = fmt::format("one warp at work after a rest has {:.2f} GHz, for {:.2f}", 1e-9 * light,
                         1e-9 * clock_hz);
  run.gain = light / clock_hz;
  return run;
}

TwinRun twin_of_cause(const Spins& spins, const ForeignRun& r, const ForeignDiagnosis& d) {
  const std::string_view cause = d.cause->name;
  if (cause == "power-cap" || cause == "clocks-held-down") {
    TwinRun run = clock_twin(spins, cause, r.card.clock_hz);
    const double best = 1 - r.card.clock_hz / r.card.best_clock_hz;
    run.gain = best > 0 ? gain_of(r, taken_by(r, d) * (1 - 1 / run.gain) / best) : 1;
    return run;
  }
  TwinRun run;
  if (cause == "copies")
    copies_twin(spins, r, d, run);
  else if (cause == "allocation")
    allocation_twin(spins, r, d, run);
  else
    launches_twin(spins, r, cause, run);
  return run;
}

} // namespace

void run_program_twins(doctor::Foreign& all) {
  std::optional<Spins> spins;
  for (const ForeignDiagnosis& d : diagnose_run(all)) {
    if (d.cause->twin.empty() || d.cause->of != doctor::CauseOf::program) continue;
    TwinRun run;
    try {
      if (!d.missing.empty()) throw Failure(fmt::format("its gain is not known: {}", d.missing));
      if (!spins) spins.emplace(all.run.device);
      run = twin_of_cause(*spins, all.run, d);
    } catch (const Error& error) {
      run.missing = error.what();
    }
    run.cause = d.cause->name;
    all.run.twins.push_back(run);
  }
}

TwinRun clock_twin(const std::string& device, std::string_view cause, double clock_hz) {
  TwinRun run;
  try {
    return clock_twin(Spins(device), cause, clock_hz);
  } catch (const Error& error) {
    run.missing = error.what();
  }
  run.cause = cause;
  return run;
}

} // namespace ridge::app
