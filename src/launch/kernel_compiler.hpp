// The vendors' compilers of kernels as libraries, NVRTC and hiprtc, opened when they are needed:
// nothing depends on them.
#pragma once

#include <ridge/device/device.hpp>

#include <string>
#include <vector>

namespace ridge::launch {

class KernelCompiler {
public:
  /// Where a vendor has it, and how it spells its functions.
  struct Library {
    const char* name;
    const char* prefix;                     ///< of its functions
    const char* image;                      ///< what they call an image
    const char* chosen;                     ///< the variable that names the library
    std::vector<std::string> names;         ///< as the loader finds it
    std::vector<const char*> homes;         ///< variables with the toolkit's folder
    std::vector<std::string> other_folders; ///< where it may be, too
    std::vector<std::string> packaged;      ///< in Python's packages of it
    /// Whether it compiles for an architecture. Null: it says so itself.
    bool (*takes)(const std::string& architecture) = nullptr;
  };
  /// Null where it is not here.
  [[nodiscard]] static const KernelCompiler* open(const Library& library);
  /// That of a kind of device. Null where there is none.
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
  KernelCompiler(const Library& library, const Functions& functions);

  const Functions* functions_;
  std::string name_, identity_;
  bool (*takes_)(const std::string&);
};

} // namespace ridge::launch
