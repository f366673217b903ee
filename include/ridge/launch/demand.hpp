// Compiling on demand: what a launch asks for when its executor was not compiled ahead.
#pragma once

#include <ridge/core/error.hpp>
#include <ridge/device/image.hpp>
#include <ridge/device/queue.hpp>
#include <ridge/launch/bound.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

namespace ridge::launch {

/// How a kernel is compiled alone, without its executor's host code, by a compiler that is a
/// library (NVRTC): a type `body` of lanes, and what fills one in from the call.
struct ImageDemand {
  std::string header; ///< of the body: "ridge/PATTERN/gpu/points.hpp"
  std::string body;   ///< "ridge::PATTERN::gpu::Points<Heat, double, ...>"
  /// Lays the call over the queue's device. Throws as an executor's bind does.
  Bound (*bind)(Queue& queue, const void* call, std::size_t call_bytes, const void* schedule,
                const std::shared_ptr<KernelImage>& image);
  std::size_t call_bytes;
};

/// A kernel source to be compiled when it is asked for. Its text is `definitions`, the inclusion of
/// the pattern's executor and of `source`, and `instantiation`.
struct Demand {
  std::string executor; ///< the pattern's header: "ridge/PATTERN/executor.hpp"
  std::string source;   ///< header or file of the kernel: "/home/me/heat.hpp"
  std::string flags;    ///< of the compiler, for that source: "-I/home/me/include"
  std::string
      instantiation; ///< "template struct ridge::PATTERN::Executor<Heat, double, ridge::Here>;"
  std::string definitions; ///< lines of #define that say which variant is meant
  /// The header with the bodies of the pattern's GPU kernels and nothing of the host, where there
  /// is one: "ridge/chain/gpu/bodies.hpp". Then the executor's own code can be compiled for the
  /// host and its kernels, one by one, by a compiler that is a library.
  std::string bodies{};
  std::optional<ImageDemand> image{}; ///< where it can be compiled alone for the device, too
};

/// Where a launch's executor came from, as records say it.
enum class Origin {
  ahead,    ///< compiled with the library or the program
  compiled, ///< compiled by this process
  cached    ///< compiled by an earlier one
};
[[nodiscard]] const char* to_text(Origin origin);

struct Binding {
  Bound bound;
  Origin origin = Origin::ahead;
};

/// While it lives, the calling thread compiles nothing: what is not there ahead throws NotAhead.
class AheadOnly {
public:
  AheadOnly();
  ~AheadOnly();
  AheadOnly(const AheadOnly&) = delete;
  AheadOnly& operator=(const AheadOnly&) = delete;

private:
  bool before_;
};
class NotAhead : public Failure {
public:
  explicit NotAhead(std::optional<Demand> demand)
      : Failure("not compiled ahead"), demand_(std::move(demand)) {}
  /// The source that would have to be compiled; nothing where nobody knows the kernel's.
  [[nodiscard]] const std::optional<Demand>& demand() const { return demand_; }

private:
  std::optional<Demand> demand_;
};

/// Compiles what is demanded for the queue's device, or takes it from the cache, and binds the call
/// with it. Throws UsageError for errors in the kernel's source, at its line, and Failure that says
/// what is missing where it cannot be compiled here.
[[nodiscard]] Binding bind_on_demand(Queue& queue, const std::type_info& call_type,
                                     const void* call, const void* schedule, const Demand& demand);

/// Compiles what is demanded for a device into the cache, side by side on the cores this process
/// may use, so that binding finds it there. What cannot be compiled is left out: binding says why.
void prepare(const Device& device, const std::vector<Demand>& demands);

} // namespace ridge::launch
