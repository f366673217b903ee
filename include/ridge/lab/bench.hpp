// Benchmarks: built-in kernels, timed under schedules, checked against the reference.
#pragma once

#include <ridge/core/extents.hpp>
#include <ridge/lab/arrays.hpp>
#include <ridge/pattern/case.hpp>
#include <ridge/record/measure.hpp>
#include <ridge/record/record.hpp>
#include <ridge/record/roof_source.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ridge::comm {
class Communicator;
} // namespace ridge::comm

namespace ridge::lab {

using ridge::AskedSchedule, ridge::Case, ridge::RoofSource;

/// Interactions within a cutoff, by lists of near pairs.
struct NearRequest {
  double cutoff = 0;
  double skin = 0;
  double density = 0; ///< bodies in a unit of volume
  bool periodic = true;
};

/// Interactions with far bodies by proxies.
struct FarRequest {
  double theta = 0;
  int degree = 4;              ///< with `error` 0: any
  std::optional<double> error; ///< rms, in place of theta
};

/// The ranks that run a kernel together.
struct World {
  comm::Communicator* ranks = nullptr; ///< null: one rank, alone
  std::string grid = {};               ///< PxQxR; empty: the one with least exchange
  bool scaling = false;                ///< also one rank alone, with all of it and with a share
  explicit operator bool() const { return ranks != nullptr; }
};

/// A benchmark's request.
struct BenchRequest {
  Device device;
  Extents size;
  std::string precision = "fp64";
  std::string schedule = "auto"; ///< a schedule, `all` (named ones and the default), or `space`
  MeasureOptions measure;
  std::string site = {}; ///< lattice kernels: what a site holds; empty: a propagator
  int width = 0;         ///< lattice kernels: bytes of a vector of lanes; 0: the kernel's own
  int operations = 10;   ///< of a chain
  int ls = 16;           ///< of dwf: values a site, the extent of the fifth dimension
  Index steps = 16;      ///< of what evolves: one launch is so many
  std::string boundary = "untouched"; ///< of what evolves, as stencil::parse_boundaries reads it
  bool wisdom = false;                ///< `auto` takes the schedule that tuning found, where it did
  std::optional<FarRequest> far = {}; ///< interactions: far ones by proxies
  std::optional<NearRequest> near = {};         ///< interactions: only those within a cutoff
  std::optional<double> theta = {}, error = {}; ///< trees: how wide nodes may look, or rms error
  std::optional<int> order = {};                ///< trees: of moments
  bool roof = true; ///< ceilings are measured, which take seconds on a cpu
  World world = {};
  /// Stencils and systems stored in 16 bits: inputs whose bits it has stay fp32.
  unsigned wide = 0;
};

using MakeCase = std::function<std::unique_ptr<Case>(const BenchRequest&, RoofSource&)>;

/// An array of a system, as lists of how they are stored call it.
struct SystemArray {
  std::string name;
  int number = 0;
  bool changes = false; ///< in steps
};

/// A kernel of the lab.
struct BenchKernel {
  std::string name;
  std::string pattern;
  std::string meaning;
  Extents default_size;
  /// Makes the kernel's fields as asked, over ranks where the request has a world of them. Throws
  /// UsageError for sizes and precisions it does not have.
  MakeCase make_case;
  std::string default_precision = "fp64";
  /// The menu of its launches at a place, which need not be here; empty where the model does not
  /// know what they do. Throws UsageError for sizes and precisions that it does not have.
  std::function<std::unique_ptr<Menu>(const BenchRequest&, const Place&)> make_menu = {};
  OnArrays on_arrays = {}; ///< what C, Fortran and others give
  bool tunes = true;       ///< its schedules do the same work, so that the fastest may be kept
  bool in_lab = false;     ///< the whole table of `ridge lab` has a row of it
  bool over_ranks = false; ///< runs over ranks, too
  std::vector<SystemArray> arrays = {}; ///< of a system, but those of next values

  /// Whether it is an interaction, which takes a cutoff and a far field.
  [[nodiscard]] bool among_bodies() const { return pattern == "pairs"; }
  /// Lets it run over ranks: `over` makes the case of a request with a world.
  void add_ranks(MakeCase over);
  /// Runs what is asked and hands over a record for each schedule as soon as it is done. Over ranks
  /// it is collective, and the record is the same on all of them. Throws UsageError for ranks where
  /// the kernel runs on one only.
  void run(const BenchRequest& request, RoofSource& roof,
           const std::function<void(const Record&)>& on_record) const;
};

/// A kernel on arrays of somebody else's, which are checked against each other. Throws UsageError
/// for arrays that the kernel does not take, and for kernels that take none.
[[nodiscard]] std::unique_ptr<Case> case_on_arrays(const BenchKernel& kernel, Queue& queue,
                                                   RoofSource& roof, const Arguments& arguments);

/// All of them, in the order of help texts and tables.
[[nodiscard]] const std::vector<BenchKernel>& bench_kernels();

/// Throws UsageError that lists the kernels.
[[nodiscard]] const BenchKernel& find_bench_kernel(std::string_view name);

} // namespace ridge::lab
