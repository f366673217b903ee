// Offers of kernel sources for one kind of device, found at run time.
//
// A kernel source is compiled once per device kind. What it is compiled to offers itself, when its
// object or module is loaded, under the type that names it; host code asks for it by that type.
// So nothing above refers to what a build may not have, and each kind is loaded when it is used.
#pragma once

#include <ridge/core/config.hpp>
#include <ridge/device/device.hpp>
#include <ridge/device/kernel_source.hpp>

#include <string>
#include <type_traits>
#include <typeinfo>
#include <vector>

namespace ridge {

/// A function without its type.
using AnyFunction = void (*)();

#if defined(RIDGE_KERNEL_FOLDERS)
namespace kernel_folders {
/// The folders of this target alone: others may have one of the same name.
extern const KernelFolders RIDGE_KERNEL_FOLDERS __attribute__((visibility("hidden")));
} // namespace kernel_folders
/// The source of the translation unit that is being compiled.
constexpr KernelSource this_source{RIDGE_KERNEL_FILE, &kernel_folders::RIDGE_KERNEL_FOLDERS};
#else
constexpr KernelSource this_source{};
#endif

/// One offer of a kernel source.
struct Offered {
  DeviceKind kind;
  const char* name; ///< of the type that names it
  AnyFunction function;
  KernelSource source;
};

/// Offers a function from a static initialiser. Where the same is offered twice, the first counts.
class Offer {
public:
  Offer(DeviceKind kind, const std::type_info& key, AnyFunction function, KernelSource source = {});
  template <class R, class... Args>
  requires(sizeof...(Args) > 0 || !std::is_void_v<R>)
      Offer(DeviceKind kind, const std::type_info& key, R (*function)(Args...),
            KernelSource source = {})
      : Offer(kind, key, reinterpret_cast<AnyFunction>(function), source) {}
};

/// The offer for this kind under this type; null where there is none. Loads the kind's module,
/// which lies beside the library, when nothing linked into the program offers it.
[[nodiscard]] AnyFunction find_offer(DeviceKind kind, const std::type_info& key);

/// As find_offer, for a function of type F. Throws Failure where this build has none.
[[nodiscard]] AnyFunction require_offer(DeviceKind kind, const std::type_info& key);
template <class F>
[[nodiscard]] F* offered(DeviceKind kind, const std::type_info& key) {
  return reinterpret_cast<F*>(require_offer(kind, key));
}

/// A kernel's file and the flags its headers need: "-I/home/me/include".
struct SourceFile {
  std::string file, flags;
};

/// The source of what is offered under this type for any kind; nothing where no build said.
[[nodiscard]] SourceFile find_source(const std::type_info& key);

/// Says where the kernel behind a type is, for those that nothing is compiled ahead for.
void know_source(const std::type_info& key, const std::string& file, const std::string& flags);

/// Collects the offers that the calling thread loads while it lives, instead of publishing them.
class OfferCollector {
public:
  OfferCollector();
  ~OfferCollector();
  OfferCollector(const OfferCollector&) = delete;
  OfferCollector& operator=(const OfferCollector&) = delete;
  [[nodiscard]] const std::vector<Offered>& offers() const { return offers_; }

private:
  friend class Offer;
  OfferCollector* before_;
  std::vector<Offered> offers_;
};

/// Whether this build, or what lies beside it, has kernels for a kind.
[[nodiscard]] bool has_module(DeviceKind kind);

/// The kind that a target stands for.
template <class Target>
inline constexpr DeviceKind kind_of = DeviceKind::cpu;
#define RIDGE_KIND_OF(kind, Target, MACRO)                                                         \
  template <>                                                                                      \
  inline constexpr DeviceKind kind_of<target::Target> = DeviceKind::kind;
RIDGE_FOR_EACH_KIND(RIDGE_KIND_OF)
#undef RIDGE_KIND_OF

} // namespace ridge
