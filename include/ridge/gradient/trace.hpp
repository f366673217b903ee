// Values that note what they are made of. A functor that is called with them shows which neighbours
// its result depends on, how many operations that takes, and which way its choices went. Host code.
#pragma once

#include <ridge/core/dual.hpp>
#include <ridge/core/functions.hpp>
#include <ridge/core/pack_array.hpp>
#include <ridge/core/quick_math.hpp>

#include <compare>
#include <concepts>
#include <cstdint>
#include <map>
#include <type_traits>
#include <vector>

namespace ridge::gradient {

/// A read of an array, at a distance.
struct Read {
  int array = 0;
  int x = 0, y = 0, z = 0;
  friend constexpr auto operator<=>(const Read&, const Read&) = default;
};

/// The graph of what was computed while it is the current one of its thread. A value that is
/// computed twice is one node.
class Trace {
public:
  Trace();
  ~Trace();
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;
  [[nodiscard]] static Trace& current();

  /// Function number `function` of up to three nodes, which takes so many operations and gives
  /// `value`: of numbers alone a number.
  int node(int function, double flops, double value, int a, int b = none, int c = none);
  int read(const Read& read);
  int number(double value); ///< below `none`
  static constexpr int none = -1;
  /// A choice that was made: of a comparison, or a whole number.
  void choose(double way) { choices_.push_back(way); }
  [[nodiscard]] const std::vector<double>& choices() const { return choices_; }

  struct Needed {
    std::vector<Read> reads; ///< sorted
    double flops = 0;
  };
  /// Nodes that these need.
  [[nodiscard]] Needed needed_by(const std::vector<int>& nodes) const;

private:
  struct Node {
    int function, a, b, c;
    friend constexpr auto operator<=>(const Node&, const Node&) = default;
  };
  struct Entry {
    Node node;
    double flops;
    Read read;
  };
  std::vector<Entry> entries_;
  std::map<Node, int> known_;
  std::map<Read, int> reads_;
  std::map<std::uint64_t, int> numbers_; ///< by their bits, as NaN has no order
  std::vector<double> choices_;
  Trace* before_;
};

} // namespace ridge::gradient

namespace ridge {

namespace abi {
struct Traced {};
} // namespace abi

template <>
struct Mask<double, 1, abi::Traced> {
  bool holds;
  int node;
  static constexpr bool sure = false; ///< both ways are looked at (ridge/core/branch.hpp)
  bool operator[](int /*i*/) const { return holds; }
  friend Mask operator&&(const Mask& a, const Mask& b) {
    return of(1, a.holds && b.holds, a.node, b.node);
  }
  friend Mask operator||(const Mask& a, const Mask& b) {
    return of(2, a.holds || b.holds, a.node, b.node);
  }
  friend Mask operator!(const Mask& a) { return of(3, !a.holds, a.node, gradient::Trace::none); }
  static Mask of(int function, bool held, int a, int b) {
    return {held, gradient::Trace::current().node(function, 0, held ? 1 : 0, a, b)};
  }
};

template <>
struct Pack<double, 1, abi::Traced> {
  using MaskType = Mask<double, 1, abi::Traced>;
  double value;
  int node;

  Pack() = default;
  template <class U>
  requires std::is_arithmetic_v<U> Pack(U number) // NOLINT(google-explicit-constructor)
      : value(static_cast<double>(number)), node(gradient::Trace::current().number(value)) {}
  Pack(double its_value, int its_node) : value(its_value), node(its_node) {}
  /// Function number `function` of some values.
  template <std::same_as<Pack>... X>
  static Pack of(int function, double flops, double its_value, const X&... x) {
    return {its_value, gradient::Trace::current().node(function, flops, its_value, x.node...)};
  }

  friend Pack operator+(const Pack& a, const Pack& b) { return of(4, 1, a.value + b.value, a, b); }
  friend Pack operator-(const Pack& a, const Pack& b) { return of(5, 1, a.value - b.value, a, b); }
  friend Pack operator*(const Pack& a, const Pack& b) { return of(6, 1, a.value * b.value, a, b); }
  friend Pack operator/(const Pack& a, const Pack& b) { return of(7, 1, a.value / b.value, a, b); }
  friend Pack operator-(const Pack& a) { return of(8, 0, -a.value, a); }

  friend MaskType operator<(const Pack& a, const Pack& b) {
    return compared(9, a.value < b.value, a, b);
  }
  friend MaskType operator<=(const Pack& a, const Pack& b) {
    return compared(10, a.value <= b.value, a, b);
  }
  friend MaskType operator==(const Pack& a, const Pack& b) {
    return compared(11, a.value == b.value, a, b);
  }
  friend MaskType operator!=(const Pack& a, const Pack& b) { return !(a == b); }
  friend MaskType operator>(const Pack& a, const Pack& b) { return b < a; }
  friend MaskType operator>=(const Pack& a, const Pack& b) { return b <= a; }
  friend Pack select(const MaskType& m, const Pack& a, const Pack& b) {
    const Pack& chosen = m.holds ? a : b;
    if (m.node < gradient::Trace::none) return chosen;
    return {chosen.value,
            gradient::Trace::current().node(12, 1, chosen.value, m.node, a.node, b.node)};
  }

private:
  static MaskType compared(int function, bool holds, const Pack& a, const Pack& b) {
    gradient::Trace::current().choose(holds ? 1 : 0);
    return MaskType::of(function, holds, a.node, b.node);
  }
};

namespace gradient {
using TracedPack = Pack<double, 1, abi::Traced>;
} // namespace gradient

// An operand that is left out where no item needs it is looked at, too.
[[nodiscard]] inline bool any(const Mask<double, 1, abi::Traced>& /*m*/) {
  return true;
}
[[nodiscard]] inline bool all(const Mask<double, 1, abi::Traced>& /*m*/) {
  return false;
}
[[nodiscard]] inline bool any(const Mask<double, 1, abi::Dual<abi::Traced>>& /*m*/) {
  return true;
}
[[nodiscard]] inline bool all(const Mask<double, 1, abi::Dual<abi::Traced>>& /*m*/) {
  return false;
}

// Functions of docs/kernel_language.md that are not made of others.

[[nodiscard]] inline gradient::TracedPack abs(const gradient::TracedPack& x) {
  gradient::Trace::current().choose(x.value < 0 ? -1 : x.value > 0 ? 1 : 0);
  return gradient::TracedPack::of(20, 1, std::abs(x.value), x);
}
[[nodiscard]] inline gradient::TracedPack floor(const gradient::TracedPack& x) {
  gradient::Trace::current().choose(std::floor(x.value));
  return gradient::TracedPack::of(21, 1, std::floor(x.value), x);
}
[[nodiscard]] inline gradient::TracedPack exp(const gradient::TracedPack& x) {
  return gradient::TracedPack::of(22, 1, std::exp(x.value), x);
}
[[nodiscard]] inline gradient::TracedPack log(const gradient::TracedPack& x) {
  return gradient::TracedPack::of(23, 1, std::log(x.value), x);
}
[[nodiscard]] inline gradient::TracedPack sqrt(const gradient::TracedPack& x) {
  return gradient::TracedPack::of(24, 1, std::sqrt(x.value), x);
}
[[nodiscard]] inline gradient::TracedPack square_root(const gradient::TracedPack& x) {
  return sqrt(x);
}
[[nodiscard]] inline gradient::TracedPack sin(const gradient::TracedPack& x) {
  return gradient::TracedPack::of(25, 1, std::sin(x.value), x);
}
[[nodiscard]] inline gradient::TracedPack cos(const gradient::TracedPack& x) {
  return gradient::TracedPack::of(26, 1, std::cos(x.value), x);
}
[[nodiscard]] inline gradient::TracedPack tan(const gradient::TracedPack& x) {
  return gradient::TracedPack::of(27, 1, std::tan(x.value), x);
}
[[nodiscard]] inline gradient::TracedPack tanh(const gradient::TracedPack& x) {
  return gradient::TracedPack::of(28, 1, std::tanh(x.value), x);
}
[[nodiscard]] inline gradient::TracedPack pow(const gradient::TracedPack& x,
                                              const gradient::TracedPack& y) {
  return gradient::TracedPack::of(29, 1, std::pow(x.value, y.value), x, y);
}
[[nodiscard]] inline gradient::TracedPack hypot(const gradient::TracedPack& x,
                                                const gradient::TracedPack& y) {
  return gradient::TracedPack::of(30, 1, std::hypot(x.value, y.value), x, y);
}
[[nodiscard]] inline gradient::TracedPack
fma(const gradient::TracedPack& a, const gradient::TracedPack& b, const gradient::TracedPack& c) {
  return a * b + c;
}
template <Grade G>
[[nodiscard]] inline gradient::TracedPack rsqrt(const gradient::TracedPack& x) {
  return gradient::TracedPack::of(31, 1, 1 / std::sqrt(x.value), x);
}
[[nodiscard]] inline gradient::TracedPack quotient(const gradient::TracedPack& a,
                                                   const gradient::TracedPack& b) {
  return a / b;
}
[[nodiscard]] inline gradient::TracedPack power_of_positive(const gradient::TracedPack& x,
                                                            double y) {
  return gradient::TracedPack::of(32, 1, std::pow(x.value, y), x);
}

} // namespace ridge
