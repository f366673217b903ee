// The published figures of the AMD Laplacian series beside the model's.
#pragma once

#include <ridge/model/traffic.hpp>

#include <optional>
#include <string>
#include <vector>

namespace ridge::model {

/// One kernel of the series on one GCD of an MI250X, fp64, as its tables have it.
struct PublishedCase {
  std::string name; ///< "kernel 3, m = 4"
  Index3 extents;
  Index3 threads{256, 1, 1}; ///< of a block
  int tile = 1;
  bool waits = false; ///< its checks make a thread wait between planes
  bool nontemporal = false;
  std::array<int, 3> walk{0, 1, 2};
  int split = 1;
  int bounds = 1024;
  int registers = 24;               ///< part 3's tables; without the spilled ones
  double efficiency = 0;            ///< least bytes over fetched bytes, percent
  std::optional<double> hit_rate{}; ///< of the L2, percent
  double within = 11;               ///< most points by which the model may be off
};

/// The 20 cases of parts 1 to 4 that are steady: launches far larger than the device, no spills.
[[nodiscard]] const std::vector<PublishedCase>& published_cases();

/// The two that spill, which are no test of the model.
[[nodiscard]] const std::vector<PublishedCase>& spilling_cases();

[[nodiscard]] StencilAccess access_of(const PublishedCase& published);

/// A case and the model's figures for it, in percent.
struct Compared {
  const PublishedCase* published = nullptr;
  Traffic traffic;
  double efficiency = 0, efficiency_low = 0, efficiency_high = 0;
  double hit_rate = 0;
  [[nodiscard]] double error() const { return efficiency - published->efficiency; }
  [[nodiscard]] bool holds() const;
};

/// A table and how far it is off, in percent points.
struct Comparison {
  std::vector<Compared> cases;
  double mean = 0, largest = 0; ///< of fetch efficiencies
  int within_five = 0;
  double mean_hit_rate = 0;

  /// Mean at most 3.5, largest at most 11, at least 15 within 5, hit rates' mean at most 2.5, and
  /// every case within its own limit.
  [[nodiscard]] bool holds() const;
};

[[nodiscard]] Comparison compare_published(const std::vector<PublishedCase>& cases,
                                           const Description& device,
                                           const Assumptions& assume = {});

/// A point of a figure: a size and the figure of merit (least bytes over time) of kernel 5.
struct FigurePoint {
  Index3 extents;
  double bytes_per_second = 0; ///< published
  double modelled = 0;         ///< least bytes over modelled bytes, times the figure's flat part
  [[nodiscard]] double error() const { return modelled / bytes_per_second - 1; }
};

/// Reads a figure from a table with a header of at least the columns nx, ny, nz, kernel, block and
/// fom_gb_s, as published/laplacian.csv of the lab has them: the lines of kernel 5 in blocks of
/// 256x1x1. The flat part is the figure of merit at full efficiency, 1165 GB/s. Throws UsageError
/// that names the file and the line that is wrong.
[[nodiscard]] std::vector<FigurePoint> read_figure(const std::string& path,
                                                   const Description& device);

} // namespace ridge::model
