// Facts of kernel sources that a build knows.
#pragma once

namespace ridge {

/// Where the kernel sources of one target of a build are, and the flags their headers need. The
/// build writes it into one source file of the target: no other command names the build's folders,
/// so that compiler caches find kernels of another copy of the tree.
struct KernelFolders {
  const char* sources = "";
  const char* flags = "";
};

/// The file a kernel is compiled from, so that further variants can be compiled on demand. Empty
/// where the build does not say.
struct KernelSource {
  const char* file = ""; ///< within its target's sources
  const KernelFolders* folders = nullptr;
};

} // namespace ridge
