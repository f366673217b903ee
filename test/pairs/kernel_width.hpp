// How wide the packs of the tests' cpu kernels are.
#pragma once

namespace ridge::pairs::test {

/// Bytes. The machine may have wider registers than the kernels were compiled for.
[[nodiscard]] int bytes_of_packs();

} // namespace ridge::pairs::test
