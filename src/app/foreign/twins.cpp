#include "twins.hpp"

#include <ridge/device/device.hpp>
#include <ridge/doctor/foreign/cause.hpp>
#include <ridge/doctor/foreign/twin.hpp>

#include "../../launch/kernel_compiler.hpp"
#include "../interrupt.hpp"
#include "cuda_driver.hpp"
#include "files.hpp"
#include "program_twins.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace ridge::app {

namespace {

using doctor::Twin, doctor::TwinRun;

/// A twin that is loaded.
class Loaded {
public:
  Loaded(const CudaDriver& driver, const launch::KernelCompiler& compiler, const Twin& twin,
         int held)
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
  /// Seconds of a launch: the median of five, after one that does not count; of long ones the
  /// second.
  [[nodiscard]] double seconds(const Twin& t, const Zeros& y, const Zeros& x, const void* far,
                               std::size_t bytes) const {
    if (t.shared_bytes > 48 << 10)
      driver_.call<void*, int, int>("cuFuncSetAttribute", function_, 8, t.shared_bytes);
    unsigned long long to = y.address, from = x.address;
    unsigned long long mask = bytes / static_cast<unsigned>(t.lane_bytes) - 1;
    unsigned zero = 0;
    void* arguments[] = {&to, &from, &far, &mask, &zero};
    void *begin = nullptr, *end = nullptr;
    driver_.call<void**, unsigned>("cuEventCreate", &begin, 0);
    driver_.call<void**, unsigned>("cuEventCreate", &end, 0);
    std::vector<double> times;
    constexpr double long_enough = 0.05;
    for (int k = 0; k < 6 && !(k > 1 && times.back() > long_enough); ++k) {
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
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::nth_element(times.begin(), middle, times.end());
    return *middle;
  }

private:
  const CudaDriver& driver_;
  void *module_ = nullptr, *function_ = nullptr;
};

/// All that twins of one kernel need.
class Bench {
public:
  Bench(const std::string& device, const Twin& twin)
      : compiler_(launch::KernelCompiler::here(parse_device(device).kind)), driver_(device),
        bytes_(bytes_of(driver_, twin)), x_(driver_, bytes_), y_(driver_, bytes_) {
    if (twin.far > 0) far_.emplace(driver_, bytes_);
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
    return loaded->seconds(twin, y_, x_, far_ ? far_->data : nullptr, bytes_);
  }

private:
  /// A power of 2, of which two fit.
  static std::size_t bytes_of(const CudaDriver& driver, const Twin& twin) {
    std::size_t free = 0, all = 0;
    driver.call<std::size_t*, std::size_t*>("cuMemGetInfo_v2", &free, &all);
    auto bytes = static_cast<std::size_t>(twin.bytes);
    constexpr std::size_t most_locked = 1U << 28; // of the host's memory
    while (bytes > free / 4 || (twin.far > 0 && bytes > most_locked))
      bytes /= 2;
    return bytes;
  }

  const launch::KernelCompiler* compiler_;
  CudaDriver driver_;
  std::size_t bytes_;
  Zeros x_, y_;
  std::optional<HostZeros> far_;
};

/// The twin that comes nearest to the kernel's time, of those that differ in what nothing counted.
Twin nearest(const Bench& bench, Twin twin, double seconds, double& took) {
  const auto apart = [&](double time) { return std::abs(std::log(time / seconds)); };
  for (int unknown = 0; unknown < doctor::unknowns_of_twins; ++unknown) {
    double least = 0;
    const std::vector<Twin> all = alternatives(twin, unknown);
    for (const Twin& one : all) {
      const double time = bench.seconds(one);
      if (&one != all.data() && apart(time) >= least) continue;
      least = apart(time);
      twin = one;
      took = time;
    }
  }
  return twin;
}

/// `twin` becomes the nearest one once it has run: `took` is then above 0.
TwinRun run_twin(std::optional<Bench>& bench, Twin& twin, double& took, const std::string& device,
                 const doctor::ForeignKernel& kernel, std::string_view cause) {
  TwinRun run;
  run.cause = cause;
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
  run.what = to_text(twin);
  return run;
}

} // namespace

void run_twins(const Profiled& program, const doctor::ForeignAsked& asked, doctor::Foreign& all) {
  const std::vector<const doctor::ForeignKernel*> kernels = chosen(all, asked);
  for (doctor::ForeignKernel& kernel : all.kernels) {
    const auto at = std::find(kernels.begin(), kernels.end(), &kernel);
    if (at == kernels.end()) continue;
    const auto found = diagnose_kernel(all, kernel, asked.bytes);
    std::vector<std::string_view> causes;
    for (const auto& d : found) {
      causes.push_back(d.cause->name);
      if (causes.back() == "clocks-fell")
        kernel.twins.push_back(
            clock_twin(all.run.device, causes.back(), kernel.counts.clock_hz.value_or(0)));
    }
    auto twin =
        doctor::twin_of(kernel, causes, asked.bytes > 0 ? asked.bytes : all.run.device_bytes);
    if (!twin) continue;
    const auto name = fmt::format("twin-{}", at - kernels.begin() + 1);
    std::optional<Bench> bench;
    double took = 0;
    for (const auto cause : causes) {
      const auto changed = without_cause(*twin, cause, kernel.counts);
      if (!changed) continue;
      kernel.twins.push_back(run_twin(bench, *twin, took, all.run.device, kernel, cause));
      keep_text(program.keep, doctor::twin_source(*twin, doctor::held_by(*twin)),
                (name + ".cu").c_str());
      keep_text(program.keep, doctor::twin_source(changed->twin, doctor::held_by(changed->twin)),
                fmt::format("{}-{}.cu", name, cause).c_str());
    }
  }
}

} // namespace ridge::app
