// What the charts of the page share: a frame with axes, text, and labels that keep apart.
#pragma once

#include "log_scale.hpp"

#include <string>
#include <vector>

namespace ridge::report {

struct Axis {
  LogScale scale;
  std::string title, unit; ///< the unit is appended to the ticks
  int ticks = 8;           ///< at most
};

/// Where text stands relative to its point.
enum class Anchor { start, middle, end };

/// Text of the page's small size; `text` is escaped here.
[[nodiscard]] std::string svg_text(double x, double y, Anchor anchor, const std::string& text);
/// About how wide such text is.
[[nodiscard]] double text_width(const std::string& text);
/// "M1 2L3 4".
[[nodiscard]] std::string svg_line(double x0, double y0, double x1, double y1);

/// The begin of a chart of `width` by `height`: its text alternative, which `id` makes unique,
/// grid, ticks and titles. Its axes are attributes too: data-x and data-y hold low, high, from and
/// to.
[[nodiscard]] std::string svg_begin(const std::string& id, int width, int height,
                                    const std::string& title, const std::string& description,
                                    const Axis& x, const Axis& y);

/// A rectangle on the page.
struct Box {
  double left, top, right, bottom;
};

/// Places labels where nothing else is.
class LabelPlaces {
public:
  explicit LabelPlaces(Box inside) : inside_(inside) {}
  /// Takes a place.
  void block(const Box& box) { taken_.push_back(box); }
  /// Marks a place that labels take only where there is no other.
  void discourage(const Box& box) { unwanted_.push_back(box); }
  /// The text beside a mark at (x, y), on the first side where there is room; empty where there is
  /// none.
  [[nodiscard]] std::string label(double x, double y, const std::string& text);

private:
  [[nodiscard]] bool is_free(const Box& box, bool unwanted_too) const;
  Box inside_;
  std::vector<Box> taken_, unwanted_;
};

} // namespace ridge::report
