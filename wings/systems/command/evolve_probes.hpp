// Sources and receivers of `ridge evolve`: tables of places, wavelets, and gathers.
#pragma once

#include <ridge/chain/system/system.hpp>

#include "io/output_plan.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace ridge::app {

/// A table of places, as a file of comma-separated values has it. Its first line names the columns:
/// x, y and z, and perhaps array, amplitude and wavelet.
struct Places {
  struct Row {
    std::array<double, 3> position{};
    std::string array;   ///< empty: the first that evolves
    std::string wavelet; ///< empty: that of --wavelet
    double amplitude = 1;
    Index line = 0;
  };
  std::string file;
  std::vector<Row> rows;
};
/// Reads a table for a system of so many dimensions; `option` is what named it. Throws UsageError
/// that names the line.
[[nodiscard]] Places read_places(const std::filesystem::path& file, int dimensions,
                                 const std::string& option);

/// Ricker's wavelet has less than a twentieth of its largest amplitude beyond so many times its
/// frequency.
inline constexpr double most_of_ricker = 2.5;
/// The frequency of "ricker:FREQUENCY...", 0 of other texts. Throws UsageError for one that steps
/// of `dt` cannot show.
[[nodiscard]] double frequency_shown(const std::string& text, double dt);
/// The values of a wavelet, one a step: of "ricker:FREQUENCY" or "ricker:FREQUENCY:DELAY" for so
/// many steps, or of a file, a number a line, from which files are found in `folder`. Throws
/// UsageError.
[[nodiscard]] std::vector<double> read_wavelet(const std::string& text,
                                               const std::filesystem::path& folder, double dt,
                                               Index steps,
                                               const std::string& option = "--wavelet");
/// The file that a wavelet's text names; empty where it names none.
[[nodiscard]] std::string file_of_wavelet(const std::string& text);

/// Forces of a fluid on bodies in it, a value a step: rows of `axes` for each body.
struct Forces {
  std::vector<int> bodies;
  std::size_t axes = 0;
  std::vector<std::vector<double>> rows;
};

/// Traces as a file of their own: /traces, a row a receiver, /position, /time, and where there are
/// bodies /forces, by body and axis, and /body, their numbers.
void write_traces(const io::OutputPlan& plan, const std::filesystem::path& file,
                  const std::vector<std::vector<double>>& traces, const Places& receivers,
                  const Forces& forces, double dt, int element_bytes);
/// The first `steps` values of each trace there. Throws UsageError where there are fewer.
[[nodiscard]] std::vector<std::vector<double>> read_traces(const std::filesystem::path& file,
                                                           Index steps, const char* of = "traces");

/// A picture of traces beside each other, time downwards.
void write_gather(const io::OutputPlan& plan, const std::filesystem::path& file,
                  const std::vector<std::vector<double>>& traces);

} // namespace ridge::app
