#include <ridge/core/units.hpp>
#include <ridge/report/compare.hpp>

#include <fmt/format.h>

namespace ridge::report {

namespace {

/// Which of two intervals lies higher; none where they overlap.
enum class Order { overlap, first_higher, second_higher };

Order order_of(const Interval& a, const Interval& b) {
  if (a.low > b.high) return Order::first_higher;
  if (b.low > a.high) return Order::second_higher;
  return Order::overlap;
}

std::string text_of(const Interval& times) {
  return fmt::format("{} to {}", to_text(Seconds{times.low}), to_text(Seconds{times.high}));
}

std::string percents_of(const Interval& fractions) {
  return fmt::format("{:.3f} to {:.3f}", fractions.low, fractions.high);
}

/// A ceiling in turn with the kernel is known for both, and it is the same one.
bool have_fractions(const Sample& a, const Sample& b) {
  return a.fractions && b.fractions && a.fraction && b.fraction && *b.fraction > 0 &&
         a.record.roof_name == b.record.roof_name && a.record.bytes_read == b.record.bytes_read &&
         a.record.bytes_written == b.record.bytes_written && a.record.flops == b.record.flops;
}

/// Whether the ceiling, which both measured, moved so far that it accounts for the times' order.
bool ceiling_explains(const Sample& a, const Sample& b, Order order) {
  if (!a.roof || !b.roof || a.record.roof_name != b.record.roof_name) return false;
  const double moved = *b.roof / *a.roof; // times by it: as if under the ceiling of `a`
  return order_of(*a.times, {b.times->low * moved, b.times->high * moved}) != order;
}

void judge_times(Comparison& c) {
  const Order order = order_of(*c.a->times, *c.b->times);
  const std::string both = text_of(*c.a->times) + " and " + text_of(*c.b->times);
  if (order == Order::overlap) {
    c.reason = "times overlap: " + both;
    return;
  }
  c.reason = "times apart: " + both;
  if (ceiling_explains(*c.a, *c.b, order)) {
    const std::string& unit = c.a->record.achieved_unit;
    c.reason += fmt::format(", but so is the ceiling: {} {} and {}", c.a->record.roof_name,
                            quantity(*c.a->roof, unit), quantity(*c.b->roof, unit));
    return;
  }
  c.verdict = order == Order::first_higher ? Verdict::faster : Verdict::slower;
}

void judge_fractions(Comparison& c) {
  const std::string both = percents_of(*c.a->fractions) + " and " + percents_of(*c.b->fractions);
  const Order order = order_of(*c.a->fractions, *c.b->fractions);
  const Order times =
      c.a->times && c.b->times ? order_of(*c.a->times, *c.b->times) : Order::overlap;
  if (order == Order::overlap) {
    c.reason = "fractions overlap: " + both;
    if (times != Order::overlap) c.reason += "; the times are apart, and so is the ceiling";
    return;
  }
  // A higher fraction should come with a shorter time.
  if (order == times) {
    c.reason = "fractions say one thing and times the other: the ceiling changed";
    return;
  }
  c.verdict = order == Order::second_higher ? Verdict::faster : Verdict::slower;
  c.reason = "fractions apart: " + both;
}

} // namespace

std::string to_text(Verdict verdict) {
  switch (verdict) {
  case Verdict::faster:
    return "faster";
  case Verdict::slower:
    return "slower";
  case Verdict::unclear:
    break;
  }
  return "cannot tell";
}

Comparison judge(Sample a, Sample b, const std::string& name_a, const std::string& name_b) {
  Comparison c{std::move(a), std::move(b), Verdict::unclear, "", std::nullopt, false};
  const auto lacking = [&](bool a_lacks) { return a_lacks ? name_a : name_b; };
  c.by_fraction = have_fractions(*c.a, *c.b);
  if (c.by_fraction) {
    c.longer = *c.a->fraction / *c.b->fraction - 1;
  } else if (c.a->seconds && c.b->seconds) {
    c.longer = *c.b->seconds / *c.a->seconds - 1;
  }
  if (c.a->failed || c.b->failed) {
    c.reason = "its check failed in " + lacking(c.a->failed);
  } else if (!c.a->seconds || !c.b->seconds) {
    c.reason = "no time in " + lacking(!c.a->seconds);
  } else if (c.by_fraction) {
    judge_fractions(c);
  } else if (!c.a->times || !c.b->times) {
    c.reason = "one timing without an interval in " + lacking(!c.a->times);
  } else {
    judge_times(c);
  }
  return c;
}

} // namespace ridge::report
