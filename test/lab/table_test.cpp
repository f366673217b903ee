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

TEST(Table, KeepsLinesWithin120Columns) {
  const std::string words(119, 'a');
  EXPECT_EQ(within_columns(words + " b"), words + "\n            b"); // 121 columns
  EXPECT_EQ(within_columns(words + "b"), words + "b");
  EXPECT_EQ(within_columns(std::string(130, 'a') + " b"),
            std::string(130, 'a') + "\n            b");
  EXPECT_EQ(within_columns("  " + words + "  b", 2),
            "  " + words + "\n  b"); // a long word stays whole
  std::string micro;
  for (int i = 0; i < 60; ++i)
    micro += "µ ";
  EXPECT_EQ(within_columns(micro + "b"), micro.substr(0, micro.size() - 1) + "\n            b");
  Table table({"name", "schedule"});
  table.add({"a", words + " tile=2 rows=4"});
  EXPECT_EQ(table.text(), "name  schedule\n" + std::string(120, '-') + "\na\n            " +
                              words.substr(0, 119) + "\n            tile=2 rows=4\n");
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
