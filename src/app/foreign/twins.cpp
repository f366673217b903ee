#include "twins.hpp"

#include <ridge/device/device.hpp>
#include <ridge/doctor/foreign/cause.hpp>
#include <ridge/doctor/foreign/twin.hpp>

#include "../../launch/kernel_compiler.hpp"
#include "../../record/energy_library.hpp"
#include "../interrupt.hpp"
#include "files.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace ridge::app {

namespace {

using doctor::Twin, doctor::TwinRun;

/// The driver's functions, by their prototypes, on one device. Throws Failure.
class Driver {
public:
  explicit Driver(const std::string& device)
      : library_("libcuda.so.1", "it comes with NVIDIA's driver") {
    call<unsigned>("cuInit", 0);
    const auto colon = device.find(':');
    const int number = colon == std::string::npos ? 0 : std::atoi(device.c_str() + colon + 1);
    call<int*, int>("cuDeviceGet", &device_, number);
    call<void**, int>("cuDevicePrimaryCtxRetain", &context_, device_);
    call<void*>("cuCtxPushCurrent_v2", context_);
  }
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;
  ~Driver() {
    void* popped = nullptr;
    (void)library_.get<int(void**)>("cuCtxPopCurrent_v2")(&popped);
    (void)library_.get<int(int)>("cuDevicePrimaryCtxRelease_v2")(device_);
  }

  template <class... A>
  void call(const char* function, A... arguments) const {
    const int status = library_.get<int(A...)>(function)(arguments...);
    if (status != 0) throw Failure(fmt::format("{} gives error {}", function, status));
  }
  /// For calls whose errors change nothing: frees, and ends.
  template <class... A>
  void release(const char* function, A... arguments) const {
    (void)library_.get<int(A...)>(function)(arguments...);
  }
  [[nodiscard]] std::string architecture() const {
    int major = 0, minor = 0;
    call<int*, int, int>("cuDeviceGetAttribute", &major, 75, device_);
    call<int*, int, int>("cuDeviceGetAttribute", &minor, 76, device_);
    return fmt::format("sm_{}{}", major, minor);
  }

private:
  EnergyLibrary library_;
  int device_ = 0;
  void* context_ = nullptr;
};

/// Memory of the device, of zeros.
class Zeros {
public:
  Zeros(const Driver& driver, std::size_t bytes) : driver_(driver) {
    driver.call<unsigned long long*, std::size_t>("cuMemAlloc_v2", &address, bytes);
    driver.call<unsigned long long, unsigned, std::size_t>("cuMemsetD32_v2", address, 0, bytes / 4);
  }
  Zeros(const Zeros&) = delete;
  Zeros& operator=(const Zeros&) = delete;
  ~Zeros() { driver_.release<unsigned long long>("cuMemFree_v2", address); }
  unsigned long long address = 0;

private:
  const Driver& driver_;
};

/// A twin that is loaded.
class Loaded {
public:
  Loaded(const Driver& driver, const launch::KernelCompiler& compiler, const Twin& twin, int held)
      : driver_(driver) {
    const auto compiled =
        compiler.compile(doctor::twin_source(twin, held), "twin.cu",
                         {"-arch=" + driver.architecture(), "-default-device", "-std=c++17"});
    if (!compiled.done)
      throw Failure("NVRTC: " + compiled.report.substr(0, compiled.report.find('\n')));
    driver.call<void**, const void*>("cuModuleLoadData", &module_, compiled.image.data());
    driver.call<void**, void*, const char*>("cuModuleGetFunction", &function_, module_, "twin");
  }
  Loaded(const Loaded&) = delete;
  Loaded& operator=(const Loaded&) = delete;
  ~Loaded() { driver_.release<void*>("cuModuleUnload", module_); }

  [[nodiscard]] int registers() const {
    int count = 0;
    driver_.call<int*, int, void*>("cuFuncGetAttribute", &count, 4, function_);
    return count;
  }
  /// Seconds of a launch: the median of five, after one that does not count.
  [[nodiscard]] double seconds(const Twin& t, const Zeros& y, const Zeros& x,
                               std::size_t bytes) const {
    if (t.shared_bytes > 48 << 10)
      driver_.call<void*, int, int>("cuFuncSetAttribute", function_, 8, t.shared_bytes);
    unsigned long long to = y.address, from = x.address;
    unsigned long long mask = bytes / static_cast<unsigned>(t.lane_bytes) - 1;
    unsigned zero = 0;
    void* arguments[] = {&to, &from, &mask, &zero};
    void *begin = nullptr, *end = nullptr;
    driver_.call<void**, unsigned>("cuEventCreate", &begin, 0);
    driver_.call<void**, unsigned>("cuEventCreate", &end, 0);
    std::vector<double> times;
    for (int k = 0; k < 6; ++k) {
      driver_.call<void*, void*>("cuEventRecord", begin, nullptr);
      driver_.call<void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                   void*, void**, void**>(
          "cuLaunchKernel", function_, static_cast<unsigned>(t.blocks), 1, 1,
          static_cast<unsigned>(t.threads), 1, 1, static_cast<unsigned>(t.shared_bytes), nullptr,
          arguments, nullptr);
      driver_.call<void*, void*>("cuEventRecord", end, nullptr);
      driver_.call<void*>("cuEventSynchronize", end);
      float milliseconds = 0;
      driver_.call<float*, void*, void*>("cuEventElapsedTime", &milliseconds, begin, end);
      if (k > 0) times.push_back(1e-3 * milliseconds);
    }
    driver_.release<void*>("cuEventDestroy_v2", begin);
    driver_.release<void*>("cuEventDestroy_v2", end);
    std::nth_element(times.begin(), times.begin() + 2, times.end());
    return times[2];
  }

private:
  const Driver& driver_;
  void *module_ = nullptr, *function_ = nullptr;
};

/// All that twins of one kernel need.
class Bench {
public:
  Bench(const std::string& device, const Twin& twin)
      : compiler_(launch::KernelCompiler::here(parse_device(device).kind)), driver_(device),
        bytes_(bytes_of(driver_, twin)), x_(driver_, bytes_), y_(driver_, bytes_) {
    if (compiler_ == nullptr)
      throw Failure("NVRTC is not here (pip install nvidia-cuda-nvrtc, or set RIDGE_NVRTC)");
  }

  [[nodiscard]] double seconds(const Twin& twin) const {
    check_interrupt();
    int held = doctor::held_by(twin);
    std::optional<Loaded> loaded;
    loaded.emplace(driver_, *compiler_, twin, held);
    if (const int more = twin.registers - loaded->registers(); std::abs(more) > 4) {
      held = std::clamp(held + more, 0, 224);
      loaded.emplace(driver_, *compiler_, twin, held);
    }
    return loaded->seconds(twin, y_, x_, bytes_);
  }

private:
  /// A power of 2, of which two fit.
  static std::size_t bytes_of(const Driver& driver, const Twin& twin) {
    std::size_t free = 0, all = 0;
    driver.call<std::size_t*, std::size_t*>("cuMemGetInfo_v2", &free, &all);
    auto bytes = static_cast<std::size_t>(twin.bytes);
    while (bytes > free / 4)
      bytes /= 2;
    return bytes;
  }

  const launch::KernelCompiler* compiler_;
  Driver driver_;
  std::size_t bytes_;
  Zeros x_, y_;
};

/// The twin whose loads wait for one another as those of the kernel do, judged by its time.
Twin nearest(const Bench& bench, Twin twin, double seconds, double& took) {
  Twin best = twin;
  double least = 0;
  for (int together = 1; together <= std::min(twin.loads, 8); together *= 2) {
    twin.together = together;
    const double time = bench.seconds(twin);
    const double apart = std::abs(std::log(time / seconds));
    if (together > 1 && apart >= least) continue;
    least = apart;
    best = twin;
    took = time;
  }
  return best;
}

/// `twin` becomes the nearest one once it has run: `took` is then above 0.
TwinRun run_twin(std::optional<Bench>& bench, Twin& twin, double& took, const std::string& device,
                 const doctor::ForeignKernel& kernel, std::string_view cause) {
  TwinRun run;
  run.cause = cause;
  run.what = to_text(twin);
  try {
    if (!bench) bench.emplace(device, twin);
    if (took <= 0)
      twin = nearest(*bench, twin, kernel.launch_seconds.value_or(kernel.mean()), took);
    const auto changed = without_cause(twin, cause, kernel.counts);
    if (!changed) throw Failure("nothing is left to change in it");
    run.change = changed->change;
    run.seconds = took;
    run.changed_seconds = bench->seconds(changed->twin);
  } catch (const Error& error) {
    run.missing = error.what();
  }
  return run;
}

} // namespace

void run_twins(const Profiled& program, const doctor::ForeignAsked& asked, doctor::Foreign& all) {
  const std::vector<const doctor::ForeignKernel*> kernels = chosen(all, asked);
  for (doctor::ForeignKernel& kernel : all.kernels) {
    const auto at = std::find(kernels.begin(), kernels.end(), &kernel);
    auto twin = doctor::twin_of(kernel);
    if (at == kernels.end() || !twin) continue;
    const auto name = fmt::format("twin-{}", at - kernels.begin() + 1);
    std::optional<Bench> bench;
    double took = 0;
    for (const auto& d : diagnose_kernel(all, kernel, asked.bytes)) {
      const auto changed = without_cause(*twin, d.cause->name, kernel.counts);
      if (!changed) continue;
      kernel.twins.push_back(run_twin(bench, *twin, took, all.run.device, kernel, d.cause->name));
      keep_text(program.keep, doctor::twin_source(*twin, doctor::held_by(*twin)),
                (name + ".cu").c_str());
      keep_text(program.keep, doctor::twin_source(changed->twin, doctor::held_by(changed->twin)),
                fmt::format("{}-{}.cu", name, d.cause->name).c_str());
    }
  }
}

} // namespace ridge::app
