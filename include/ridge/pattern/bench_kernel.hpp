// A kernel by its name, with its type put away: what a pattern gives to all who run kernels of any.
#pragma once

#include <ridge/core/extents.hpp>
#include <ridge/pattern/arrays.hpp>
#include <ridge/pattern/case.hpp>
#include <ridge/pattern/kernel_option.hpp>
#include <ridge/record/measure.hpp>
#include <ridge/record/roof_source.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ridge::comm {
class Communicator;
} // namespace ridge::comm

namespace ridge {

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
  OptionValues options = {}; ///< of the kernel's pattern
  bool wisdom = false;       ///< `auto` takes the schedule that tuning found, where it did
  bool roof = true;          ///< ceilings are measured, which take seconds on a cpu
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

/// A kernel by its name.
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
  bool of_bodies = false;  ///< its size is a number of bodies
  bool stored = false;     ///< its fields can be stored in 16 bits
  /// Of a built-in one: what its callers may set by name.
  std::vector<std::string> numbers = {};
  std::vector<SystemArray> arrays = {}; ///< of a system, but those of next values

  /// Lets it run over ranks: `over` makes the case of a request with a world.
  void add_ranks(MakeCase over);
};

/// Announces kernels that no header describes, from a static initialiser in the folder of what they
/// compute. `make` is asked when kernels are looked for; lists of a pattern begin with a lower
/// `order`.
class KernelsAnnounced {
public:
  KernelsAnnounced(int order, std::vector<BenchKernel> (*make)());
};
/// All that were announced so.
[[nodiscard]] std::vector<BenchKernel> announced_kernels();

} // namespace ridge
