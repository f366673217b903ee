// Operations on columns, which lie along the last dimension of a chain: running sums and extremes,
// and systems of equations that couple neighbours of a column. They are operations as any other
// (ridge/chain/operation.hpp) and run in one pass with their neighbours in the chain.
//
// Slots are named by their types:
//
//   std::tuple<Layers, ScanDown<Sum, Mass, Above>, Pressure> operations; // using Mass = Slot<2>,
//   ...
//
//   using Solve = SolveTridiagonal<Lower, Diagonal, Upper, Right, Solution, Ratio, Reduced>;
//   std::tuple<Matrix, Solve::Eliminate, Solve::Substitute> operations;
#pragma once

#include <ridge/chain/operation.hpp>
#include <ridge/core/pack_math.hpp>
#include <ridge/device/view.hpp>

#include <limits>

namespace ridge {
class Queue;
}

namespace ridge::chain {

/// Operations of scans: they make one value of the items so far and the next.
struct Sum {
  static constexpr const char* name = "running sum";
  static constexpr double begin = 0;
  template <class V>
  static RIDGE_FN V combine(const V& so_far, const V& next) {
    return so_far + next;
  }
};
struct Least {
  static constexpr const char* name = "running least";
  static constexpr double begin = std::numeric_limits<double>::infinity();
  template <class V>
  static RIDGE_FN V combine(const V& so_far, const V& next) {
    return select(next < so_far, next, so_far);
  }
};
struct Greatest {
  static constexpr const char* name = "running greatest";
  static constexpr double begin = -std::numeric_limits<double>::infinity();
  template <class V>
  static RIDGE_FN V combine(const V& so_far, const V& next) {
    return select(so_far < next, next, so_far);
  }
};

/// Item by item of each column, the Sum, Least or Greatest of slot From so far, the item included.
template <class What, class From, class To, Scan Way>
struct RunningScan {
  static constexpr const char* name = What::name;
  static constexpr std::array accesses{read(From{}), write(To{})};
  static constexpr Scan scan = Way;
  static constexpr std::array carried{What::begin};
  static constexpr double flops = 1;

  template <class At>
  RIDGE_FN void operator()(const At& at, typename At::Value (&carry)[1]) const {
    carry[0] = What::combine(carry[0], at(From{}));
    at.set(To{}, carry[0]);
  }
};
/// From the first item of a column to the last.
template <class What, class From, class To>
using ScanUp = RunningScan<What, From, To, Scan::up>;
/// From the last to the first.
template <class What, class From, class To>
using ScanDown = RunningScan<What, From, To, Scan::down>;

/// Solves, in each column, lower[k] x[k-1] + diagonal[k] x[k] + upper[k] x[k+1] = right[k]: two
/// operations, which a chain has one behind the other. lower of the first item and upper of the
/// last are not looked at. The matrix may be profiles: one for all x. Ratio and Reduced are
/// temporaries of the chain for what elimination leaves: the upper diagonal and the right side.
///
/// The algorithm is elimination without exchange of rows (Thomas). It is stable for matrices that
/// are dominated by their diagonal, or symmetric and positive definite. A zero pivot gives
/// infinities and NaNs in its column; require_pivots says where.
template <class Lower, class Diagonal, class Upper, class Right, class X, class Ratio,
          class Reduced>
struct SolveTridiagonal {
  struct Eliminate {
    static constexpr const char* name = "eliminate";
    static constexpr std::array accesses{read(Lower{}), read(Diagonal{}), read(Upper{}),
                                         read(Right{}), write(Ratio{}),   write(Reduced{})};
    static constexpr Scan scan = Scan::up;
    static constexpr std::array carried{0.0, 0.0}; ///< what the item before has left
    static constexpr double flops = 8;

    template <class At>
    RIDGE_FN void operator()(const At& at, typename At::Value (&carry)[2]) const {
      using V = typename At::Value;
      const V lower = at.first() ? V(0.0) : at(Lower{});
      const V scale = 1.0 / (at(Diagonal{}) - lower * carry[0]);
      carry[1] = (at(Right{}) - lower * carry[1]) * scale;
      carry[0] = at(Upper{}) * scale;
      at.set(Ratio{}, carry[0]);
      at.set(Reduced{}, carry[1]);
    }
  };
  struct Substitute {
    static constexpr const char* name = "substitute";
    static constexpr std::array accesses{read(Ratio{}), read(Reduced{}), write(X{})};
    static constexpr Scan scan = Scan::down;
    static constexpr std::array carried{0.0};
    static constexpr double flops = 2;

    template <class At>
    RIDGE_FN void operator()(const At& at, typename At::Value (&carry)[1]) const {
      carry[0] = at.last() ? at(Reduced{}) : at(Reduced{}) - at(Ratio{}) * carry[0];
      at.set(X{}, carry[0]);
    }
  };
};

/// A system whose columns go round: lower of the first item belongs to the last x, upper of the
/// last to the first. Wrap is one more temporary, for what multiplies the last x.
template <class Lower, class Diagonal, class Upper, class Right, class X, class Ratio,
          class Reduced, class Wrap>
struct SolvePeriodic {
  struct Eliminate {
    static constexpr const char* name = "eliminate";
    static constexpr std::array accesses{read(Lower{}), read(Diagonal{}), read(Upper{}),
                                         read(Right{}), write(Ratio{}),   write(Reduced{}),
                                         write(Wrap{})};
    static constexpr Scan scan = Scan::up;
    /// With w the last x: x[k-1] = c1 - c0 x[k] - c2 w, and x[0] = c3 + c4 x[k] + c5 w.
    static constexpr std::array carried{0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    static constexpr double flops = 20;

    template <class At>
    RIDGE_FN void operator()(const At& at, typename At::Value (&carry)[6]) const {
      using V = typename At::Value;
      const V lower = at(Lower{});
      if (at.last()) {
        V last;
        if (at.first()) {
          last = at(Right{}) / (at(Diagonal{}) + lower + at(Upper{}));
        } else {
          const V right = at(Right{}) - lower * carry[1] - at(Upper{}) * carry[3];
          last = right / (at(Diagonal{}) - lower * (carry[0] + carry[2]) +
                          at(Upper{}) * (carry[4] + carry[5]));
        }
        at.set(Ratio{}, V(0.0));
        at.set(Reduced{}, last);
        at.set(Wrap{}, V(0.0));
      } else if (at.first()) {
        const V scale = 1.0 / at(Diagonal{});
        carry[0] = at(Upper{}) * scale;
        carry[1] = at(Right{}) * scale;
        carry[2] = lower * scale;
        carry[3] = carry[1];
        carry[4] = -carry[0];
        carry[5] = -carry[2];
        keep(at, carry);
      } else {
        const V scale = 1.0 / (at(Diagonal{}) - lower * carry[0]);
        carry[0] = at(Upper{}) * scale;
        carry[1] = (at(Right{}) - lower * carry[1]) * scale;
        carry[2] = -(lower * carry[2]) * scale;
        carry[3] = carry[3] + carry[4] * carry[1];
        carry[5] = carry[5] - carry[4] * carry[2];
        carry[4] = -(carry[4] * carry[0]);
        keep(at, carry);
      }
    }

  private:
    template <class At>
    static RIDGE_FN void keep(const At& at, const typename At::Value (&carry)[6]) {
      at.set(Ratio{}, carry[0]);
      at.set(Reduced{}, carry[1]);
      at.set(Wrap{}, carry[2]);
    }
  };
  struct Substitute {
    static constexpr const char* name = "substitute";
    static constexpr std::array accesses{read(Ratio{}), read(Reduced{}), read(Wrap{}), write(X{})};
    static constexpr Scan scan = Scan::down;
    static constexpr std::array carried{0.0, 0.0}; ///< the x behind, and the last one
    static constexpr double flops = 4;

    template <class At>
    RIDGE_FN void operator()(const At& at, typename At::Value (&carry)[2]) const {
      if (at.last()) {
        carry[0] = at(Reduced{});
        carry[1] = carry[0];
      } else {
        carry[0] = at(Reduced{}) - at(Ratio{}) * carry[0] - at(Wrap{}) * carry[1];
      }
      at.set(X{}, carry[0]);
    }
  };
};

/// Throws UsageError that names the first column, and its level, where elimination without exchange
/// of rows finds a zero pivot, or one that is no number. Arrays have the extents of the range, or
/// one item along x for a matrix that is one for all x; columns lie along y of ranges of two
/// `dimensions`, along z of three. For after a solution that is not finite: all is copied to the
/// host.
template <class T>
void require_pivots(Queue& queue, int dimensions, const View<const T>& lower,
                    const View<const T>& diagonal, const View<const T>& upper);

} // namespace ridge::chain
