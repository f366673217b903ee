#include <ridge/lab/table.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace ridge::lab {
namespace {

TEST(Table, LinesUpTextToTheLeftAndNumbersToTheRight) {
  Table table({"name", "value"});
  table.add({"a", "1.5 GB"});
  table.add({"longer", "10.25 GB"});
  EXPECT_EQ(table.text(), "name       value\n"
                          "----------------\n"
                          "a         1.5 GB\n"
                          "longer  10.25 GB\n");
}

TEST(Table, RowsHaveACellAColumn) {
  Record record;
  record.kernel = "laplacian";
  record.size = Extents{4, 4, 4};
  EXPECT_EQ(record_row(record).size(), record_header().size());
}

TEST(Table, NamesAFailedCheck) {
  Record record;
  record.size = Extents{4};
  record.check = Check{};
  const auto row = record_row(record);
  EXPECT_NE(std::find(row.begin(), row.end(), "FAILED"), row.end());
}

} // namespace
} // namespace ridge::lab
