// The reads of an adjoint, found by calling the kernel with values that note what they are made of.
// Footprints alone tell too much: of div(k grad u) the derivative by a neighbour needs two points
// of k, and that of a linear kernel none at all. Host code.
#pragma once

#include <ridge/gradient/stencil.hpp>
#include <ridge/gradient/trace.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ridge::gradient {

/// Reads of the adjoint by one input.
struct FoundReads {
  std::vector<std::vector<Offset>> inputs; ///< one list an input of the kernel
  std::vector<Offset> cotangent;           ///< none: the result has no derivative by this input
  double flops = 0;                        ///< a point
  [[nodiscard]] bool linear() const;
};

/// A number for a neighbour of an array: no two are alike.
[[nodiscard]] double sample_of(const Read& read);
/// `reads` by the number of the array; array `inputs` is the cotangent.
[[nodiscard]] FoundReads found_reads(const Trace::Needed& needed, int inputs);

/// An array whose reads are noted.
struct TracedNeighbours {
  int array;
  TracedPack operator()(int dx, int dy = 0, int dz = 0) const {
    const Read read{array, dx, dy, dz};
    return {sample_of(read), Trace::current().read(read)};
  }
};

template <int I, class K>
[[nodiscard]] FoundReads find_reads(const K& kernel) {
  using All = Adjoint<K, I, AllReads<K, I>>;
  const Trace trace;
  const TracedPack result = [&]<std::size_t... N>(std::index_sequence<N...>) {
    return All{kernel}(TracedNeighbours{All::inputs.all[N].x}...);
  }
  (std::make_index_sequence<static_cast<std::size_t>(All::inputs.count)>{});
  return found_reads(trace.needed_by({result.node}), stencil::inputs_of<K>);
}

/// Those by all inputs.
template <class K>
[[nodiscard]] std::vector<FoundReads> find_all_reads(const K& kernel) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return std::vector{find_reads<static_cast<int>(I)>(kernel)...};
  }
  (InputNumbers<K>{});
}

/// The kernel of these bytes.
template <class K>
[[nodiscard]] K kernel_of(std::span<const std::byte> functor) {
  static_assert(std::is_trivially_copyable_v<K>, "a kernel is a struct of numbers");
  std::array<std::byte, sizeof(K)> bytes;
  std::copy_n(functor.begin(), bytes.size(), bytes.begin());
  return std::bit_cast<K>(bytes);
}

/// C++ that declares them as types `found::NAME_0` and so on, in namespace ridge::gradient: what
/// AllReads has, and `linear`. NAME is returned: none other has it.
struct ReadsText {
  std::string name, text;
};
[[nodiscard]] ReadsText reads_text(const std::vector<FoundReads>& found);

} // namespace ridge::gradient
