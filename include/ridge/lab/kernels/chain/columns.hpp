// Columns: running sums along levels, and tridiagonal systems, a matrix a column.
#pragma once

#include <ridge/chain/columns.hpp>
#include <ridge/lab/kernels/chain_entry.hpp>

#if !defined(__CUDACC_RTC__) && !defined(__HIPCC_RTC__)
#include <ridge/core/extents.hpp>
#endif

namespace ridge::lab {

/// Sums from the first level upwards: x numbers columns, y levels.
struct RunningSum {
  static constexpr const char* name = "running-sum";
  static constexpr std::array arrays{chain::input("values"), chain::output("sums")};
  static constexpr std::array dimensions{chain::independent(), chain::internal()};
  std::tuple<chain::ScanUp<chain::Sum, chain::Slot<0>, chain::Slot<1>>> operations;
};

/// Implicit vertical diffusion, say: a system a column, dominated by its diagonal.
struct Tridiagonal {
  using Lower = chain::Slot<0>;
  using Given = chain::Slot<1>;
  using Upper = chain::Slot<2>;
  using Right = chain::Slot<3>;
  using Diagonal = chain::Slot<4>;
  using Ratio = chain::Slot<5>;
  using Reduced = chain::Slot<6>;
  using Solution = chain::Slot<7>;
  static constexpr const char* name = "tridiagonal";
  static constexpr std::array arrays{chain::input("lower"),        chain::input("diagonal less 3"),
                                     chain::input("upper"),        chain::input("right side"),
                                     chain::temporary("diagonal"), chain::temporary("ratio"),
                                     chain::temporary("reduced"),  chain::output("solution")};
  static constexpr std::array dimensions{chain::independent(), chain::internal()};

  struct Dominate {
    static constexpr const char* name = "dominate";
    static constexpr std::array accesses{chain::read(Given{}), chain::write(Diagonal{})};
    static constexpr double flops = 1;
    template <class At>
    RIDGE_FN void operator()(const At& at) const {
      at.set(Diagonal{}, 3.0 + at(Given{}));
    }
  };
  using Solve = chain::SolveTridiagonal<Lower, Diagonal, Upper, Right, Solution, Ratio, Reduced>;
  std::tuple<Dominate, Solve::Eliminate, Solve::Substitute> operations;
};

struct RunningSumEntry : ChainEntry<RunningSum> {
  static constexpr const char* name = "running-sum";
  static constexpr const char* meaning = "sums along the levels (y) of columns (x)";
#if !defined(__CUDACC_RTC__) && !defined(__HIPCC_RTC__)
  static Extents default_size() { return {131072, 128}; }
#endif
};
struct TridiagonalEntry : ChainEntry<Tridiagonal> {
  static constexpr const char* name = "tridiagonal";
  static constexpr const char* meaning = "a tridiagonal system a column (x), along levels (y)";
#if !defined(__CUDACC_RTC__) && !defined(__HIPCC_RTC__)
  static Extents default_size() { return {65536, 128}; }
#endif
};

namespace built_in {
using columns = Chains<RunningSumEntry, TridiagonalEntry>;
}

} // namespace ridge::lab
