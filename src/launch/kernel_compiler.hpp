// The vendors' compilers of kernels as libraries, NVRTC and hiprtc, opened when they are needed:
// nothing depends on them.
#pragma once

#include <ridge/device/device.hpp>

#include <string>
#include <vector>

namespace ridge::launch {

class KernelCompiler {
public:
  /// NVRTC for cuda: $RIDGE_NVRTC (a file; `off`: none), the loader's, that of the toolkit Ridge
  /// was built with or of $CUDA_HOME. hiprtc for hip: $RIDGE_HIPRTC likewise, the loader's, that of
  /// $ROCM_PATH. Null where there is none, and for other kinds.
  [[nodiscard]] static const KernelCompiler* here(DeviceKind kind);

  [[nodiscard]] const std::string& name() const { return name_; } ///< "NVRTC", "hiprtc"
  /// The library's path, size, time and version.
  [[nodiscard]] const std::string& identity() const { return identity_; }

  /// Whether it compiles for the architecture ("sm_90", "gfx90a"). An old hiprtc does not refuse
  /// those it does not know: it ends the process.
  [[nodiscard]] bool takes(const std::string& architecture) const;

  struct Compiled {
    bool done = false;
    std::string report; ///< what the compiler said
    std::string image;  ///< a cubin or an AMD code object
  };
  [[nodiscard]] Compiled compile(const std::string& text, const std::string& file,
                                 const std::vector<std::string>& options) const;

private:
  struct Functions;
  struct Library;
  KernelCompiler(const Library& library, const Functions& functions);
  static const KernelCompiler* open(const Library& library);

  const Functions* functions_;
  std::string name_, identity_;
  bool lists_architectures_; ///< those that it takes are the ones that comgr, under it, lists
};

} // namespace ridge::launch
