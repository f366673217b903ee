#include <ridge/chain/operation.hpp>

#include "words.hpp"

inline constexpr ridge::chain::Slot<0> u;
inline constexpr ridge::chain::Slot<1> v;

struct Say {
  static constexpr const char* name = "say";
  static constexpr std::array accesses{read(u, ridge::chain::along_x(-1, 0)), write(v)};
  double rate = 0.7, off = 0;
  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    at.set(v, words::all_of(at(u), at(u, -1), rate, off));
  }
};
struct Words {
  static constexpr const char* name = "words";
  static constexpr std::array arrays{ridge::chain::input("u"), ridge::chain::output("v")};
  static constexpr std::array dimensions{ridge::chain::independent(1, ridge::chain::Edge::clamp)};
  std::tuple<Say> operations;
};
struct WrongWords {
  static constexpr const char* name = "wrong words";
  static constexpr std::array arrays{ridge::chain::input("u"), ridge::chain::output("v")};
  static constexpr std::array dimensions{ridge::chain::independent(1, ridge::chain::Edge::clamp)};
  std::tuple<Say> operations{Say{0.7, 1e-3}};
};
