// Propagators in HDF5 files: the dataset /propagator of 12 x nt x nz x ny x nx x 12 x 2 numbers, a
// column for each spin (slow) and colour of the source, with what was solved as attributes. Of one
// spin component 3 takes the place of 12. Correlators are in /correlators/NAME, nt numbers each.
#pragma once

#include <ridge/core/extents.hpp>
#include <ridge/gauge/hadrons.hpp>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace ridge::io {

/// A column: one spinor a site, x fastest.
using Column = std::vector<gauge::Spinor<double>>;
inline constexpr int propagator_columns = 12;

/// A number of the operator: kappa, a mass, ...
struct PropagatorNumber {
  const char* name;
  double value;
};

struct PropagatorFacts {
  std::vector<PropagatorNumber> numbers;
  std::vector<double> shifts; ///< of the systems; none of propagators
  double tolerance = 0;
  std::vector<Index> source; ///< x, y, z, t
  std::string configuration, boundary;
  std::vector<double> residuals; ///< of the columns
  std::vector<Index> iterations;
  std::vector<gauge::Correlator> correlators; ///< datasets of the group /correlators
};

class PropagatorWriter {
public:
  /// A new file; with `systems` more than one, all columns for each of them. Of columns of one of
  /// `spins` the first spin component is written. Throws Failure.
  PropagatorWriter(const std::filesystem::path& path, const Extents& extents, int systems = 1,
                   int spins = 4);
  ~PropagatorWriter();

  void write(int column, const Column& sites);
  /// Writes the attributes and closes the file.
  void finish(const PropagatorFacts& facts);

private:
  struct State;
  std::unique_ptr<State> state_;
};

class PropagatorReader {
public:
  /// Throws UsageError for a file that holds none, or of another lattice.
  PropagatorReader(const std::filesystem::path& path, const Extents& extents);
  ~PropagatorReader();

  /// Throws UsageError for numbers that are not finite.
  [[nodiscard]] Column read(int column);

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace ridge::io
