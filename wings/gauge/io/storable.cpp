// What a file of some form gives back as it is.
#include <ridge/core/error.hpp>
#include <ridge/device/cpu/parallel.hpp>

#include "formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ridge::io {

namespace {

using Link = gauge::ColourMatrix<double>;

/// A number as a file of this form has it.
double stored(const GaugeForm& form, double x) {
  return form.real_bytes == 4 ? static_cast<double>(static_cast<float>(x)) : x;
}

bool is_finite(const GaugeForm& form, const Link& u) {
  bool finite = true;
  for (int c = 0; c < 9; ++c)
    finite = finite && std::isfinite(stored(form, component(u, c).re)) &&
             std::isfinite(stored(form, component(u, c).im));
  return finite;
}

/// How far the third row is from that which readers compute of the others.
double distance_of_third_row(const Link& u) {
  double worst = 0;
  for (int j = 0; j < 3; ++j) {
    const auto off = u(2, j) - third_row(u, j);
    worst = std::max({worst, std::abs(off.re), std::abs(off.im)});
  }
  return worst;
}

/// The first link that `is_right` is false for; none: their number.
template <class F>
Index first_wrong(const gauge::HostLinks& links, const F& is_right) {
  const auto count = static_cast<Index>(links.size());
  const int all = cpu::default_threads();
  std::vector<Index> first(static_cast<std::size_t>(all), count);
  cpu::run(all, [&](int thread, int threads) {
    const auto mine = cpu::share_of(count, thread, threads);
    for (Index i = mine.begin; i < mine.end; ++i) {
      if (is_right(links[static_cast<std::size_t>(i)])) continue;
      first[static_cast<std::size_t>(thread)] = i;
      return;
    }
  });
  return *std::min_element(first.begin(), first.end());
}

void require_lines(const std::filesystem::path& path, const GaugeForm& form,
                   const std::vector<HeaderLine>& lines) {
  const auto refuse = [&](std::string key, const std::string& why) {
    std::replace_if(key.begin(), key.end(), [](unsigned char c) { return c < ' '; }, '?');
    throw UsageError(
        about(path, fmt::format("the header's line '{}' cannot be stored: {}", key, why)));
  };
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto& [key, value] = lines[i];
    for (const std::string& part : {key, value}) {
      if (part.find('\n') != std::string::npos || part.find('\0') != std::string::npos)
        refuse(key, "it has a line break, or a zero byte, within; a line is KEY = VALUE");
      if (trimmed(part) != part) refuse(key, "blanks at the ends of keys and values are not kept");
    }
    if (key.empty() || key.find('=') != std::string::npos) refuse(key, "a key is a text without =");
    for (std::size_t j = 0; j < i; ++j)
      if (lines[j].key == key) refuse(key, "the header has it twice");
    bytes += key.size() + value.size() + 4;
  }
  // An attribute of HDF5 has no more than 64 KiB; NERSC headers have lines of their own besides.
  const std::uint64_t most = form.format == GaugeFormat::hdf5 ? 60000 : longest_header - 4096;
  if (bytes > most) {
    throw UsageError(
        about(path, fmt::format("a header of {} bytes cannot be stored: at most {}", bytes, most)));
  }
}

} // namespace

void require_storable(const std::filesystem::path& path, const GaugeForm& form,
                      const GaugeConfiguration& configuration) {
  const auto one = comm::alone();
  require_storable(*one, path, form, configuration);
}

void require_storable(comm::Communicator& ranks, const std::filesystem::path& path,
                      const GaugeForm& form, const GaugeConfiguration& c) {
  if (c.extents.rank() != 4) {
    throw UsageError(
        about(path, fmt::format("a configuration has four extents, not {}", c.extents.rank())));
  }
  for (int d = 0; d < 4; ++d) {
    if (c.extents[d] > largest_extent)
      throw UsageError(about(path, fmt::format("{} sites along {} cannot be stored: at most {}",
                                               c.extents[d], "xyzt"[d], largest_extent)));
  }
  require_lines(path, form, c.header);
  const gauge::Slices slices(ranks, c.extents);
  struct Wrong {
    Index size = 0, number = 0, row = 0; ///< of links, or the first such link
  };
  const auto count = static_cast<Index>(c.links.size());
  Wrong mine{slices.sites() * 4 == count ? 1 : 0, count, count};
  mine.number = first_wrong(c.links, [&](const Link& u) { return is_finite(form, u); });
  if (form.format == GaugeFormat::nersc && form.rows == 2) {
    mine.row = first_wrong(
        c.links, [](const Link& u) { return distance_of_third_row(u) <= unitary_tolerance; });
  }
  const auto none = std::numeric_limits<Index>::max();
  const auto of_all = [&](Index at) { return at == count ? none : at + 4 * slices.first_site(); };
  mine.number = of_all(mine.number);
  mine.row = of_all(mine.row);
  Wrong first{1, none, none};
  for (const Wrong& one : ranks.gather(mine))
    first = {std::min(first.size, one.size), std::min(first.number, one.number),
             std::min(first.row, one.row)};
  const auto refuse = [&](Index link, const std::string& what) {
    throw UsageError(about(
        path, fmt::format("the link at site {} along {} {}", link / 4, "xyzt"[link % 4], what)));
  };
  if (first.size != 1) {
    throw UsageError(about(path, fmt::format("there are not four links for each site of {}",
                                             ridge::to_text(c.extents))));
  }
  if (first.number != none) {
    refuse(first.number,
           fmt::format("is not finite in fp{}: no file is written", 8 * form.real_bytes));
  }
  if (first.row != none) {
    refuse(first.row, "cannot be stored by two rows: its third row is not that of SU(3); three "
                      "rows hold any link");
  }
}

} // namespace ridge::io
