// What a pattern says of a kernel in a file of the user's.
#pragma once

#include <ridge/pattern/bench_kernel.hpp>

#include <any>
#include <string>

namespace ridge {

/// The use of a kernel in a file: its description holds no more, since each part takes a
/// second or two to compile.
enum class KernelUse {
  launches,  ///< bench, apply, tune, doctor: all but what follows
  evolution, ///< evolve
  ranks,     ///< bench over several ranks
  motion     ///< md
};

struct DescribedKernel {
  BenchKernel bench;
  std::string no_job; ///< why apply does not take it
  /// What a command for the pattern's kernels alone takes, of a type that both know.
  std::any product = {};
};

/// A pattern specialises it for the functors that are its kernels:
///
///   template <KernelUse For>
///   static DescribedKernel describe(const std::string& name, const K& kernel,
///                                   const std::string& file, const std::string& flags);
///
/// `file` and `flags` are where the source is.
template <class K>
struct DescriptionOf;

template <class K>
concept IsDescribed = requires { sizeof(DescriptionOf<K>); };

} // namespace ridge
