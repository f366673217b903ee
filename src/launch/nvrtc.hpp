// NVIDIA's compiler of kernels as a library, opened when it is needed: nothing depends on it.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace ridge::launch {

class Nvrtc {
public:
  /// $RIDGE_NVRTC (a file; `off`: none), the loader's libnvrtc, that of the toolkit Ridge was built
  /// with or of $CUDA_HOME; null where there is none.
  [[nodiscard]] static const Nvrtc* here();

  /// The library's path, size, time and version.
  [[nodiscard]] const std::string& identity() const { return identity_; }

  struct Compiled {
    bool done = false;
    std::string report; ///< what the compiler said
    std::string image;  ///< the cubin
  };
  [[nodiscard]] Compiled compile(const std::string& text, const std::string& file,
                                 const std::vector<std::string>& options) const;

private:
  struct Functions;
  Nvrtc(const Functions& functions, std::string identity);
  static const Nvrtc* open();

  const Functions* functions_;
  std::string identity_;
};

} // namespace ridge::launch
