#include "evolve_probes.hpp"

#include <ridge/core/error.hpp>

#include "app/hdf5_handle.hpp"
#include "app/hdf5_input.hpp"
#include "app/picture.hpp"
#include "io/hdf5_writing.hpp"
#include "io/output_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>

namespace ridge::app {

namespace fs = std::filesystem;

namespace {

std::string_view without_blanks(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\"";
  const auto begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

std::vector<std::string> words_between(std::string_view line, char separator) {
  std::vector<std::string> words;
  for (;;) {
    const auto end = line.find(separator);
    words.emplace_back(without_blanks(line.substr(0, end)));
    if (end == std::string_view::npos) return words;
    line.remove_prefix(end + 1);
  }
}

bool reads_as(std::string_view text, double& number) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1); // of Fortran
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  return status == std::errc{} && end == text.data() + text.size() && std::isfinite(number);
}

/// Why a line is no text that messages may show; empty where it is.
std::string no_text(std::string_view line) {
  if (line.find('\0') != std::string_view::npos || line.starts_with("\xff\xfe") ||
      line.starts_with("\xfe\xff"))
    return "is UTF-16, or no text at all; save the file as UTF-8";
  for (std::size_t i = 0; i < line.size();) {
    const auto first = static_cast<unsigned char>(line[i]);
    const std::size_t more = first < 0x80   ? 0
                             : first < 0xc2 ? line.size()
                             : first < 0xe0 ? 1
                             : first < 0xf0 ? 2
                             : first < 0xf5 ? 3
                                            : line.size();
    bool right = i + more < line.size() && (first >= 0x20 || first == '\t' || first == '\r');
    for (std::size_t k = 1; right && k <= more; ++k)
      right = (static_cast<unsigned char>(line[i + k]) & 0xc0) == 0x80;
    if (!right) return fmt::format("has the byte 0x{:02x}, which no UTF-8 text has there", first);
    i += 1 + more;
  }
  return {};
}

/// Calls f(line, number) for lines that are neither empty nor begin with #.
template <class F>
void for_each_line(const fs::path& file, const std::string& option, const F& f) {
  std::error_code why;
  if (!fs::is_regular_file(file, why))
    throw UsageError(fmt::format("{}: there is no file {}", option, file.string()));
  std::ifstream in(file);
  Index number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (number == 1 && line.starts_with("\xef\xbb\xbf")) line.erase(0, 3); // spreadsheets' mark
    if (const std::string odd = no_text(line); !odd.empty())
      throw UsageError(fmt::format("{} {}: line {} {}", option, file.string(), number, odd));
    const std::string_view text = without_blanks(line);
    if (!text.empty() && text[0] != '#') f(text, number);
  }
  if (in.bad()) throw Failure(fmt::format("reading {} failed", file.string()));
}

} // namespace

Places read_places(const fs::path& file, int dimensions, const std::string& option) {
  constexpr std::string_view known[] = {"x", "y", "z", "array", "amplitude", "wavelet"};
  Places made;
  made.file = file.string();
  std::vector<std::size_t> columns;
  for_each_line(file, option, [&](std::string_view text, Index line) {
    const std::vector<std::string> words = words_between(text, ',');
    const auto fail = [&](const std::string& why) {
      throw UsageError(fmt::format("{} {}, line {}: {}", option, file.string(), line, why));
    };
    if (columns.empty()) {
      for (const std::string& word : words) {
        const auto at = std::find(std::begin(known), std::end(known), word);
        if (at == std::end(known))
          fail(fmt::format("'{}' is no column; the first line names x, y, z and perhaps array, "
                           "amplitude and wavelet",
                           word));
        const auto column = static_cast<std::size_t>(at - std::begin(known));
        if (std::find(columns.begin(), columns.end(), column) != columns.end())
          fail(fmt::format("there are two columns {}", word));
        columns.push_back(column);
      }
      for (int d = 0; d < dimensions; ++d) {
        if (std::count(columns.begin(), columns.end(), static_cast<std::size_t>(d)) != 1)
          fail(fmt::format("a column {} is needed, once", known[d]));
      }
      return;
    }
    if (words.size() != columns.size())
      fail(fmt::format("{} values for {} columns", words.size(), columns.size()));
    Places::Row row;
    row.line = line;
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::size_t column = columns[i];
      if (column == 3) {
        row.array = words[i];
      } else if (column == 5) {
        row.wavelet = words[i];
      } else if (!reads_as(words[i], column == 4 ? row.amplitude : row.position[column])) {
        fail(fmt::format("'{}' is no number", words[i]));
      }
    }
    made.rows.push_back(row);
  });
  if (made.rows.empty())
    throw UsageError(fmt::format("{} {}: there is no place in it; the first line names columns, "
                                 "such as x,y,z, and each that follows is a place",
                                 option, file.string()));
  return made;
}

std::string file_of_wavelet(const std::string& text) {
  return text.rfind("ricker:", 0) == 0 ? std::string() : text;
}

namespace {
struct Ricker {
  double frequency = 0, delay = 0;
};
/// Frequency 0 where the text is none.
Ricker parse_ricker(const std::string& text) {
  const std::vector<std::string> words = words_between(text, ':');
  Ricker made;
  const bool right = words.size() >= 2 && words.size() <= 3 && reads_as(words[1], made.frequency) &&
                     made.frequency > 0 && (words.size() == 2 || reads_as(words[2], made.delay));
  if (!right) return {};
  if (words.size() == 2) made.delay = 1.2 / made.frequency;
  if (!std::isfinite(made.delay)) return {};
  return made;
}
} // namespace

double frequency_shown(const std::string& text, double dt) {
  const double frequency = parse_ricker(text).frequency;
  if (frequency >= 1 / (2 * dt)) {
    throw UsageError(fmt::format("--wavelet {}: steps of {:g} show frequencies below {:g}, "
                                 "1 / (2 dt); give a lower one, or --dt below {:g}",
                                 text, dt, 1 / (2 * dt), 1 / (2 * frequency)));
  }
  return frequency;
}

std::vector<double> read_wavelet(const std::string& text, const fs::path& folder, double dt,
                                 Index steps, const std::string& option) {
  std::vector<double> values;
  const std::string file = file_of_wavelet(text);
  if (!file.empty()) {
    if (std::error_code failed; !fs::is_regular_file(folder / file, failed)) {
      throw UsageError(fmt::format("{}: there is no file {}; a file of numbers, one a step, or "
                                   "ricker:FREQUENCY is right",
                                   option, file));
    }
    for_each_line(folder / file, option.c_str(), [&](std::string_view line, Index number) {
      double value = 0;
      if (!reads_as(line, value)) {
        throw UsageError(
            fmt::format("{} {}, line {}: '{}' is no number; there is one a line, for each "
                        "step",
                        option, file, number, line));
      }
      values.push_back(value);
    });
    if (values.empty()) throw UsageError(fmt::format("{} {}: it has no numbers", option, file));
    return values;
  }
  const auto [frequency, delay] = parse_ricker(text);
  if (frequency == 0) {
    throw UsageError(
        fmt::format("{} {}: ricker:FREQUENCY or ricker:FREQUENCY:DELAY is right", option, text));
  }
  for (Index i = 0; i < steps; ++i) {
    const double a = M_PI * frequency * (static_cast<double>(i) * dt - delay);
    values.push_back((1 - 2 * a * a) * std::exp(-a * a));
  }
  return values;
}

void write_traces(const io::OutputPlan& plan, const fs::path& file,
                  const std::vector<std::vector<double>>& traces, const Places& receivers,
                  const Forces& forces, double dt, int element_bytes) {
  quiet_hdf5();
  io::OutputFile made(plan, file);
  io::Writing out(made.path(), file);
  const std::size_t count = traces.size();
  const std::size_t steps = count == 0 ? forces.rows.front().size() : traces.front().size();
  const auto joined = [](const std::vector<std::vector<double>>& rows) {
    std::vector<double> all;
    for (const auto& row : rows)
      all.insert(all.end(), row.begin(), row.end());
    return all;
  };
  std::vector<double> positions;
  for (const Places::Row& row : receivers.rows)
    positions.insert(positions.end(), row.position.begin(), row.position.end());
  std::vector<double> times;
  for (std::size_t i = 0; i < steps; ++i)
    times.push_back(static_cast<double>(i + 1) * dt);
  if (count > 0) {
    out.dataset("traces", {count, steps}, element_bytes, joined(traces));
    out.dataset("position", {count, 3}, 8, positions);
  }
  if (!forces.rows.empty()) {
    const std::size_t bodies = forces.bodies.size();
    out.dataset("forces", {bodies, forces.axes, steps}, 8, joined(forces.rows));
    out.dataset("body", {bodies}, 8,
                std::vector<double>(forces.bodies.begin(), forces.bodies.end()));
  }
  out.dataset("time", {steps}, 8, times);
  out.attribute("dt", dt);
  out.close();
  made.commit();
}

std::vector<std::vector<double>> read_traces(const fs::path& file, Index steps, const char* of) {
  const Handle from = open_hdf5(file);
  const Handle data(H5Dopen2(from.id(), of, H5P_DEFAULT), H5Dclose);
  const Handle space(data ? H5Dget_space(data.id()) : -1, H5Sclose);
  hsize_t shape[3] = {0, 0, 0}; // the last dimension is that of steps
  const int rank = data ? H5Sget_simple_extent_ndims(space.id()) : 0;
  const bool has_rows =
      (rank == 2 || rank == 3) && H5Sget_simple_extent_dims(space.id(), shape, nullptr) >= 0;
  if (has_rows && rank == 3) shape[0] *= shape[1], shape[1] = shape[2];
  if (!has_rows || shape[1] < static_cast<hsize_t>(steps)) {
    throw UsageError(fmt::format("{} has not the {} of the {} steps that the run has done",
                                 file.string(), of, steps));
  }
  std::vector<double> all(shape[0] * shape[1]);
  if (H5Dread(data.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data()) < 0)
    throw Failure(fmt::format("reading {}: {}", file.string(), hdf5_reason()));
  std::vector<std::vector<double>> traces;
  for (hsize_t r = 0; r < shape[0]; ++r) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(r * shape[1]);
    traces.emplace_back(begin, begin + steps);
  }
  return traces;
}

void write_gather(const io::OutputPlan& plan, const fs::path& file,
                  const std::vector<std::vector<double>>& traces) {
  const auto nx = static_cast<Index>(traces.size());
  const auto nt = static_cast<Index>(traces.front().size());
  // The direct wave is much stronger than what comes back: the strongest hundredth is cut.
  std::vector<double> sizes;
  for (const auto& trace : traces) {
    for (const double value : trace)
      sizes.push_back(std::abs(value));
  }
  const auto at =
      sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() - 1 - sizes.size() / 100);
  std::nth_element(sizes.begin(), at, sizes.end());
  const double most = *at;
  std::vector<double> values;
  for (Index t = nt - 1; t >= 0; --t) {
    for (Index r = 0; r < nx; ++r) {
      values.push_back(std::clamp(traces[static_cast<std::size_t>(r)][static_cast<std::size_t>(t)],
                                  -most, most));
    }
  }
  write_picture(plan, file, values, nx, nt, 1.2);
}

} // namespace ridge::app
