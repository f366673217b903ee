// Sums by a tree that are made in pieces, so that they can be ended.
#include <ridge/core/error.hpp>
#include <ridge/pairs/tree.hpp>

#include "tree_bodies.hpp"

#include <gtest/gtest.h>

namespace ridge::pairs {
namespace {

template <class P>
void compare_pieces(double theta) {
  const Device device("cpu");
  const trees::Places places = trees::plummer(5000);
  const TreeOptions options{theta, 2, 0.05, default_tree_schedule(device, P::name)};
  trees::Bodies<P> whole(device, places, options);
  trees::Bodies<P> pieces(device, places, options);
  int calls = 0;
  pieces.tree->between_pieces([&] { ++calls; });
  for (int pass = 0; pass < 2; ++pass)
    EXPECT_EQ(whole.run(), pieces.run()) << P::name << " theta " << theta << " pass " << pass;
  EXPECT_GE(calls, 4) << P::name;
  EXPECT_EQ(whole.tree->pairs().bodies, pieces.tree->pairs().bodies);
  pieces.tree->between_pieces([&] {
    if (++calls % 2 == 0) throw Failure("no more");
  });
  EXPECT_THROW(pieces.run(), Failure);
}

TEST(TreePieces, HaveTheBitsOfTheWhole) {
  for (const double theta : {0.0, 0.6}) {
    compare_pieces<Fp32>(theta);
    compare_pieces<Fp64>(theta);
    compare_pieces<Mixed>(theta);
  }
}

} // namespace
} // namespace ridge::pairs
