#include "fourier_library.hpp"

#include <ridge/core/error.hpp>
#include <ridge/device/cpu/pause.hpp>
#include <ridge/device/fourier_names.hpp>

#include <dlfcn.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

namespace ridge::solve::detail {

namespace {

/// A library with some of its functions, or what is missing.
class Opened {
public:
  explicit Opened(std::span<const char* const> names) {
    for (const char* const name : names) {
      library_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
      if (library_ != nullptr) return;
    }
    problem = names.empty() ? "there is no library of Fourier transforms for it"
                            : std::string("no ") + names.front() + " here";
  }
  template <class F>
  void find(F*& function, const std::string& symbol) {
    if (library_ == nullptr) return;
    function = reinterpret_cast<F*>(dlsym(library_, symbol.c_str()));
    if (function == nullptr) problem = "the library of Fourier transforms has no " + symbol;
  }
  std::string problem;

private:
  void* library_ = nullptr;
};

// What is used of fftw3.h, whose interface has been stable since version 3.0.
constexpr const char* fftw_names[] = {"libfftw3.so.3", "libfftw3.so"};
constexpr const char* fftw_threads_names[] = {"libfftw3_omp.so.3", "libfftw3_threads.so.3"};
constexpr unsigned estimate = 1U << 6U; // FFTW_ESTIMATE: plans without measuring

struct Fftw {
  std::string problem;
  void* (*real)(int, int, int, double*, double*, int, int, int, unsigned) = nullptr;
  void* (*to_complex)(int, int, int, double*, void*, unsigned) = nullptr;
  void* (*to_real)(int, int, int, void*, double*, unsigned) = nullptr;
  void (*execute)(void*) = nullptr;
  void (*destroy)(void*) = nullptr;
  int (*init_threads)() = nullptr;
  void (*plan_with)(int) = nullptr;
};

const Fftw& fftw() {
  static const Fftw found = [] {
    Fftw f;
    Opened library(fftw_names);
    library.find(f.real, "fftw_plan_r2r_3d");
    library.find(f.to_complex, "fftw_plan_dft_r2c_3d");
    library.find(f.to_real, "fftw_plan_dft_c2r_3d");
    library.find(f.execute, "fftw_execute");
    library.find(f.destroy, "fftw_destroy_plan");
    f.problem = library.problem;
    if (f.problem.empty()) { // threads are welcome, and need not be there
      Opened threads(fftw_threads_names);
      threads.find(f.init_threads, "fftw_init_threads");
      threads.find(f.plan_with, "fftw_plan_with_nthreads");
      if (!threads.problem.empty() || f.init_threads() == 0) f.plan_with = nullptr;
    }
    return f;
  }();
  return found;
}

/// FFTW makes and ends one plan at a time; so are libraries opened.
std::mutex& one_at_a_time() {
  static std::mutex guard;
  return guard;
}

/// A long transform that computes on a thread of its own, since nothing can end it: the caller asks
/// meanwhile whether it is still wanted.
class Apart {
public:
  static void execute(void* plan, std::shared_ptr<void> keep) {
    const auto one = std::make_shared<Apart>();
    ++running().count;
    std::thread([one, plan, keep = std::move(keep)]() mutable {
      fftw().execute(plan);
      keep.reset();
      one->end();
      const std::lock_guard lock(running().guard);
      --running().count;
      running().changed.notify_all();
    }).detach();
    cpu::run(1, [&](int /*thread*/, int /*team*/) {
      while (cpu::goes_on() && !one->ends_within(std::chrono::milliseconds(10))) {
      }
    });
  }

private:
  /// Of those whose callers have gone; the process ends after them.
  struct Running {
    std::mutex guard;
    std::condition_variable changed;
    std::atomic<int> count{0};
    ~Running() {
      std::unique_lock lock(guard);
      (void)changed.wait_for(lock, std::chrono::seconds(20), [&] { return count == 0; });
    }
  };
  static Running& running() {
    static Running all;
    return all;
  }
  void end() {
    const std::lock_guard lock(guard_);
    has_ended_ = true;
    ended_.notify_all();
  }
  bool ends_within(std::chrono::milliseconds time) {
    std::unique_lock lock(guard_);
    return ended_.wait_for(lock, time, [&] { return has_ended_; });
  }
  std::mutex guard_;
  std::condition_variable ended_;
  bool has_ended_ = false;
};

/// Whether threads that the calling one starts may run on several processors.
bool is_free() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof(set), &set) != 0 || CPU_COUNT(&set) > 1;
}

class HostPlans final : public Transform {
public:
  HostPlans(Index3 n, void* forward, void* backward)
      : forward_(forward), backward_(backward), is_long_(n.x * n.y * n.z >= Index{1} << 22) {
    if (forward_ == nullptr || backward_ == nullptr)
      throw Failure("FFTW has no transform of these extents");
  }
  ~HostPlans() override {
    const std::lock_guard lock(one_at_a_time());
    for (void* const plan : {forward_, backward_})
      if (plan != nullptr) fftw().destroy(plan);
  }
  void forward(std::shared_ptr<void> keep) override { execute(forward_, std::move(keep)); }
  void backward(std::shared_ptr<void> keep) override { execute(backward_, std::move(keep)); }

private:
  void execute(void* plan, std::shared_ptr<void> keep) const {
    if (is_long_ && is_free()) {
      Apart::execute(plan, std::move(keep));
    } else {
      fftw().execute(plan);
    }
  }
  void* forward_;
  void* backward_;
  bool is_long_;
};

/// Waking threads takes longer than so many numbers.
void choose_threads(Index3 n) {
  constexpr Index few = 32768;
  if (fftw().plan_with != nullptr)
    fftw().plan_with(n.x * n.y * n.z < few ? 1 : cpu::default_threads());
}

// What is used of cufft.h, which is alike in hipfft.h but for the functions' prefix. A handle is an
// int in one and a pointer in the other; both are passed in a register of 64 bits.
using Handle = std::intptr_t;

struct GpuFft {
  std::string problem;
  int (*plan)(Handle*, int, int, int, int) = nullptr;
  int (*set_stream)(Handle, void*) = nullptr;
  int (*destroy)(Handle) = nullptr;
  int (*forward[2])(Handle, void*, void*) = {}; ///< of float and of double
  int (*backward[2])(Handle, void*, void*) = {};
};

const GpuFft& gpu_fft(DeviceKind kind) {
  static std::map<DeviceKind, GpuFft> opened;
  const std::lock_guard lock(one_at_a_time());
  const auto [at, is_new] = opened.try_emplace(kind);
  if (is_new) {
    GpuFft& f = at->second;
    const std::string prefix = FourierNames::of(kind).prefix;
    Opened library(FourierNames::of(kind).files);
    library.find(f.plan, prefix + "Plan3d");
    library.find(f.set_stream, prefix + "SetStream");
    library.find(f.destroy, prefix + "Destroy");
    library.find(f.forward[0], prefix + "ExecR2C");
    library.find(f.forward[1], prefix + "ExecD2Z");
    library.find(f.backward[0], prefix + "ExecC2R");
    library.find(f.backward[1], prefix + "ExecZ2D");
    f.problem = library.problem;
  }
  return at->second;
}

class GpuPlans final : public Transform {
public:
  GpuPlans(Queue& queue, Index3 n, void* data, bool is_double)
      : f_(gpu_fft(queue.device().kind())), data_(data), is_double_(is_double ? 1 : 0) {
    constexpr int forward_type[] = {0x2a, 0x6a}; // R2C, D2Z
    constexpr int backward_type[] = {0x2c, 0x6c};
    const auto size = [](Index points) { return static_cast<int>(points); };
    for (const int which : {0, 1}) {
      check(f_.plan(&plans_[which], size(n.z), size(n.y), size(n.x),
                    (which == 0 ? forward_type : backward_type)[is_double_]),
            "to plan");
      made_ = which + 1;
      check(f_.set_stream(plans_[which], queue.native()), "to take a stream");
    }
  }
  ~GpuPlans() override {
    for (int which = 0; which < made_; ++which)
      (void)f_.destroy(plans_[which]);
  }
  void forward(std::shared_ptr<void> /*keep*/) override {
    check(f_.forward[is_double_](plans_[0], data_, data_), "forward");
  }
  void backward(std::shared_ptr<void> /*keep*/) override {
    check(f_.backward[is_double_](plans_[1], data_, data_), "backward");
  }
  [[nodiscard]] bool takes_packed() const override { return true; }
  void forward_from(const void* packed) override {
    check(f_.forward[is_double_](plans_[0], const_cast<void*>(packed), data_), "forward");
  }
  void backward_to(void* packed) override {
    check(f_.backward[is_double_](plans_[1], data_, packed), "backward");
  }

private:
  static void check(int status, const char* what) {
    if (status != 0)
      throw Failure(std::string("the Fourier transform failed ") + what + ": error " +
                    std::to_string(status) + (status == 2 ? ", too little memory" : ""));
  }
  const GpuFft& f_;
  void* data_;
  int is_double_;
  Handle plans_[2] = {};
  int made_ = 0;
};

/// FFTW on what is no double: by a copy.
class Narrow final : public Transform {
public:
  Narrow(Index3 n, float* data)
      : data_(data), wide_(static_cast<std::size_t>(2 * (n.x / 2 + 1) * n.y * n.z)) {
    plans_ = host_complex(n, wide_.data());
  }
  void forward(std::shared_ptr<void> keep) override {
    std::copy(data_, data_ + wide_.size(), wide_.begin());
    plans_->forward(std::move(keep));
    give_back();
  }
  void backward(std::shared_ptr<void> keep) override {
    std::copy(data_, data_ + wide_.size(), wide_.begin());
    plans_->backward(std::move(keep));
    give_back();
  }
  static std::unique_ptr<Transform> host_complex(Index3 n, double* data) {
    const auto size = [](Index points) { return static_cast<int>(points); };
    const Fftw& f = fftw();
    void* plans[2];
    {
      const std::lock_guard lock(one_at_a_time());
      choose_threads(n);
      plans[0] = f.to_complex(size(n.z), size(n.y), size(n.x), data, data, estimate);
      plans[1] = f.to_real(size(n.z), size(n.y), size(n.x), data, data, estimate);
    }
    return std::make_unique<HostPlans>(n, plans[0], plans[1]);
  }

private:
  void give_back() {
    std::transform(wide_.begin(), wide_.end(), data_,
                   [](double v) { return static_cast<float>(v); });
  }
  float* data_;
  std::vector<double> wide_;
  std::unique_ptr<Transform> plans_;
};

} // namespace

std::string missing_fourier_library(const Device& device) {
  return device.is_gpu() ? gpu_fft(device.kind()).problem : fftw().problem;
}

std::string fourier_library_name(const Device& device) {
  return device.is_gpu() ? FourierNames::of(device.kind()).prefix : "FFTW";
}

std::unique_ptr<Transform> real_transform(Index3 n, std::array<int, 3> forward,
                                          std::array<int, 3> backward, double* data) {
  const auto size = [](Index points) { return static_cast<int>(points); };
  const auto plan = [&](const std::array<int, 3>& k) {
    return fftw().real(size(n.z), size(n.y), size(n.x), data, data, k[2], k[1], k[0], estimate);
  };
  void* plans[2];
  {
    const std::lock_guard lock(one_at_a_time());
    choose_threads(n);
    plans[0] = plan(forward);
    plans[1] = plan(backward);
  }
  return std::make_unique<HostPlans>(n, plans[0], plans[1]);
}

std::unique_ptr<Transform> complex_transform(Queue& queue, Index3 n, float* data) {
  if (queue.device().is_gpu()) return std::make_unique<GpuPlans>(queue, n, data, false);
  return std::make_unique<Narrow>(n, data);
}
std::unique_ptr<Transform> complex_transform(Queue& queue, Index3 n, double* data) {
  if (queue.device().is_gpu()) return std::make_unique<GpuPlans>(queue, n, data, true);
  return Narrow::host_complex(n, data);
}

} // namespace ridge::solve::detail
