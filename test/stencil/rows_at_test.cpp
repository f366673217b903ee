// From where on the rows of fields lie in lines, or in packs.
#include <ridge/stencil/laplacian.hpp>
#include <ridge/stencil/rows_at.hpp>
#include <ridge/stencil/shell.hpp>
#include <ridge/stencil/traits.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace ridge::stencil {
namespace {

/// Of two fp32 fields in memory that begins at a line.
RowsAt rows_of(Index in_misfit, Index out_misfit, Index row, int radius = 1) {
  alignas(128) static const char memory[1024] = {};
  const Index3 n{30, 20, 10};
  const auto field = [&](Index misfit) {
    return View<const char>(memory + 4 * misfit, n, row, row * n.y);
  };
  return rows_at({field(in_misfit), field(out_misfit)}, 4, {radius, radius, radius});
}

TEST(RowsAt, AreLinesWhereFieldsBeginThere) {
  const RowsAt at = rows_of(0, 0, 64);
  EXPECT_EQ(at.rows, Rows::lines);
  EXPECT_EQ(at.before, 0);
  EXPECT_EQ(at.begin, 0);
}

TEST(RowsAt, AreLinesWhereResultsBeginThere) {
  for (const int radius : {1, 2, 4}) {
    const RowsAt at = rows_of(32 - radius, 32 - radius, 64, radius);
    EXPECT_EQ(at.rows, Rows::lines);
    EXPECT_EQ(at.before, 32 - radius);
    EXPECT_EQ(at.begin, 32);
  }
}

TEST(RowsAt, ArePacksWhereFieldsBeginEquallyFarBehindOne) {
  EXPECT_EQ(rows_of(8, 8, 64).rows, Rows::packs); // its results do not begin in the next line
  EXPECT_EQ(rows_of(8, 8, 64).before, 0);
  EXPECT_EQ(rows_of(9, 9, 64).before, 1);
  EXPECT_EQ(rows_of(9, 13, 64).rows, Rows::packs);
  EXPECT_EQ(rows_of(9, 13, 64).before, 1);
  EXPECT_EQ(rows_of(0, 0, 36).rows, Rows::packs);
  EXPECT_EQ(rows_of(31, 31, 36).before, 3);
  EXPECT_EQ(rows_of(31, 31, 36).begin, 0);
}

TEST(RowsAt, AreAnywhereElse) {
  EXPECT_EQ(rows_of(0, 1, 64).rows, Rows::anywhere);
  EXPECT_EQ(rows_of(1, 1, 65).rows, Rows::anywhere);
  EXPECT_EQ(rows_of(1, 1, 65).before, 0);
}

TEST(RowsAt, SeeAFieldFromThere) {
  const RowsAt at{Rows::lines, 31, 32};
  const float memory[64] = {};
  const View<const float> seen = at.of(View<const float>(memory + 31, {20, 2, 1}, 32, 64));
  EXPECT_EQ(seen.data, memory);
  EXPECT_EQ(seen.extents, (Index3{51, 2, 1}));
  EXPECT_EQ(seen.row, 32);
}

TEST(RowsAt, OfSingleSweepsWithPointsBeforeTheFieldBeginAtResults) {
  const Traits traits = traits_of<Laplacian<4, 3>, double>();
  const Device gpu("simt:32");
  const auto layout = [&](const Device& device, const char* boundaries, bool single) {
    return shell_layout(device, traits, parse_boundaries(boundaries), {64, 20, 20}, single);
  };
  const ShellLayout mirrored = layout(gpu, "x=mirror", true);
  EXPECT_EQ(mirrored.strides.misfit, 14); // two points before the line of the first result
  EXPECT_EQ(mirrored.elements(), 14 + mirrored.strides.plane * 20);
  EXPECT_EQ(rows_at(traits, mirrored.strides).begin, 16);
  EXPECT_EQ(layout(gpu, "x=mirror", false).strides.misfit, 0);
  EXPECT_EQ(layout(gpu, "y=mirror", true).strides.misfit, 0);
  EXPECT_EQ(layout(Device("cpu"), "x=mirror", true).strides.misfit, 0);
}

} // namespace
} // namespace ridge::stencil
