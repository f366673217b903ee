// A run of a system: set up in evolve_system_setup.cpp, run in evolve_system.cpp.
#pragma once

#include "app/evolve_steps.hpp"
#include "app/hdf5_describe.hpp"
#include "app/transfer.hpp"
#include "evolve_system.hpp"
#include "evolve_system_gradient.hpp"

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ridge::io {
class Writing;
} // namespace ridge::io

namespace ridge::app {

namespace fs = std::filesystem;
using chain::SystemKernel;

/// A field of the start: a dataset, or one number everywhere.
struct StartField {
  std::optional<InputDataset> data;
  double value = 0;
};

/// From the options, or the run that goes on, to the last step.
class SystemCommand : private Run {
public:
  SystemCommand(const SystemOptions& options, const SystemKernel& kernel);

  void execute();
  /// The derivatives of a loss, in place of snapshots (evolve_system_gradient.cpp).
  void execute_gradient(const chain::SystemAdjoint& adjoint, const ObservedTraces& observed);

private:
  [[nodiscard]] bool asks_gradient() const { return !o_.gradients.empty(); }
  /// A derivative that is asked for, and where it goes.
  struct Gradient {
    DatasetName to;
    int array;
  };
  void plan_gradient();
  /// As many as the memory of each rank has room for. Throws UsageError that says the least that
  /// does. Collective.
  [[nodiscard]] Index states_kept(const chain::SystemSetup& setup,
                                  const chain::SystemAdjoint& adjoint) const;
  /// Ranks that have this one's device, too. Collective.
  [[nodiscard]] Index sharing_device() const;
  [[nodiscard]] ProofRun proof_run(const chain::SystemAdjoint& adjoint) const;
  /// Calls f(z, values) on rank 0 for the planes of a derivative. Collective.
  void for_each_plane(const chain::SystemGradient& of, int array,
                      const std::function<void(Index z, const void*)>& f) const;
  void write_gradient(const io::Writing& out, const Gradient& asked,
                      const chain::SystemGradient& from) const;
  /// Rank 0 writes. Collective.
  void write_gradients(const chain::SystemGradient& from, double loss);

  [[nodiscard]] bool continues() const { return goes_on_ && o_.output.empty(); }
  [[nodiscard]] int arrays() const { return kernel_.arrays(); }
  [[nodiscard]] const char* name_of(int a) const {
    return chain_.arrays[static_cast<std::size_t>(a)].name;
  }

  void begin_anew();
  void begin_again();

  /// Where a file of the run is.
  [[nodiscard]] fs::path found(const fs::path& file) const {
    if (!goes_on_ || file.is_absolute()) return file;
    const fs::path there = fs::path(run_.at("folder")) / file;
    std::error_code failed;
    return fs::exists(there, failed) ? there.lexically_normal() : file;
  }

  /// Refuses datasets of the start's group that may be misspelt arrays: those that nobody takes
  /// while an array that the system takes is not there. Tells of others.
  void require_known(const DatasetName& group, const std::vector<std::string>& there) const;
  /// Refuses a snapshot without its medium, which earlier versions wrote.
  void require_medium(const DatasetName& group) const;
  /// The fields that the start has: what the system says is given, or all arrays that steps change.
  [[nodiscard]] std::vector<chain::SystemField>
  choose_fields(const DatasetName& group, const std::vector<std::string>& there);

  /// What the dataset's name says that it has: points of the range, and more of some arrays.
  [[nodiscard]] chain::Offset extra_of(const std::string& name) const {
    for (int a = 0; !starts_ && a < arrays(); ++a) {
      if (name_of(a) == name) return chain_.arrays[static_cast<std::size_t>(a)].extra;
    }
    return {};
  }

  void open_fields();

  /// Plane z of a field of the start as doubles.
  void read_plane(const StartField& field, Index z, std::vector<double>& to) const;

  /// Calls f(values, point) for the points of this rank, with what users give: all arrays by the
  /// chain's numbers, or the fields that its start is made of.
  /// Arrays with more points than the range count at the range's.
  template <class F>
  void for_each_point(const F& f) const {
    std::vector<std::vector<double>> planes(fields_.size());
    std::vector<std::size_t> array_in;
    std::vector<Index> rows;
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      planes[i].resize(static_cast<std::size_t>(extents_.x * extents_.y));
      array_in.push_back(starts_ ? i : static_cast<std::size_t>(array_of(names_[i])));
      rows.push_back(extents_.x + (fields_[i].data ? extra_of(names_[i]).x : 0));
    }
    std::vector<double> values(std::max(fields_.size(), static_cast<std::size_t>(arrays())));
    for (Index z = own_.begin.z; z < own_.end.z; ++z) {
      for (std::size_t i = 0; i < fields_.size(); ++i)
        read_plane(fields_[i], z, planes[i]);
      for (Index y = own_.begin.y; y < own_.end.y; ++y) {
        for (Index x = own_.begin.x; x < own_.end.x; ++x) {
          for (std::size_t i = 0; i < fields_.size(); ++i)
            values[array_in[i]] = planes[i][static_cast<std::size_t>(x + rows[i] * y)];
          f(values.data(), Index3{x, y, z});
        }
      }
    }
  }

  /// Refuses what cannot be a medium, and finds the fastest wave in it.
  void look_at_medium();
  /// The speed that a stable step must allow for: that of waves where the medium jumps between
  /// points, and that of flows which fall.
  [[nodiscard]] double fastest_to_come() const;
  [[nodiscard]] double fastest_at_jumps() const;
  [[nodiscard]] std::vector<chain::WaveMedium> medium_plane(Index z) const;
  void choose_step();

  /// Nothing changes along dimensions of one item.
  [[nodiscard]] std::array<double, 3> spacing_of_dimensions() const;

  void choose_walls();
  /// Gives ranks their parts.
  void divide();
  /// Points of an array in the whole, and those of this rank.
  [[nodiscard]] Index3 points_of(int array) const;
  [[nodiscard]] comm::Box own_points(int array) const;
  void choose_layers();

  [[nodiscard]] int array_named(const std::string& name, const std::string& where) const;

  /// Refuses --show and --picture of what there is not.
  void require_picture() const;
  void read_step_tables();
  /// Says what a user may not expect, once, beside what the run prints.
  void tell(const std::string& text) const;
  void tell_of_layers(const Places& places, const std::string& option) const;
  void read_probes();
  void choose_steps();

  /// What is read again where the run goes on must be what it was: the medium, the places, and a
  /// kernel in a file.
  void mark();
  void require_same(const char* what, const std::string& now, const char* message);
  [[nodiscard]] int array_of(const std::string& name) const {
    int a = 0;
    while (name_of(a) != name)
      ++a;
    return a;
  }

  void claim_traces();
  [[nodiscard]] bool has_traces() const { return !setup_.receivers.empty() || !bodies_.empty(); }
  /// Sums of what the fluid gives to its bodies, where --forces asks for them.
  void find_forces();
  /// Refuses populations of solids as earlier versions kept them.
  void require_codes(const std::vector<StartField>& populations) const;
  /// Summed over all ranks. Collective.
  [[nodiscard]] Forces all_forces() const;
  void claim();

  /// Writes what this rank has of a plane of doubles to an array.
  void put(int array, Index z, const std::vector<double>& plane);
  /// Plane z of an array in the element type: rank 0 gets it. Collective.
  void bring(int array, Index z, void* to);
  /// Planes of an array that rank 0 has of all ranks.
  struct Gathered {
    Index step = -1, begin = 0, end = 0;
    std::vector<char> planes;
  };
  using ReadBox = std::function<void(const chain::SystemBox& box, void* to)>;
  void gather(int array, Index z, Gathered& block, const ReadBox& read) const;
  /// What the record of a run over ranks says of the whole.
  void add_ranks(Record& record) const;
  /// As doubles.
  [[nodiscard]] std::vector<double> get(int array, Index z);

  void fill();
  /// Counts values that are not finite among those of this rank.
  void count_odd(const std::vector<double>& plane, Index row);

  /// Of what users see of the arrays: what steps may conserve.
  struct Sums {
    std::string name;
    FieldSums of;
  };
  /// Collective; rank 0 gets them.
  [[nodiscard]] std::vector<Sums> sums();
  void add_drifts(Record& record, const std::vector<Sums>& now) const;
  void require_finite();
  void passed() override;
  void look() override;

  /// What `start` makes of plane z: all arrays of a point, then the next. Values that are not
  /// finite are counted where the plane is this rank's, once.
  [[nodiscard]] std::vector<double> started_plane(Index z);
  /// Planes around one, as `started_plane` makes them.
  using Planes = std::map<Index, std::vector<double>>;
  /// Plane z, behind walls the nearest or the one at the other end.
  [[nodiscard]] Index plane_beside(Index i, int d, int by) const;
  /// Values that the arrays begin with in plane z: all of a point, then the next.
  [[nodiscard]] std::vector<double> begun_plane(Index z, Planes& around);
  void fill_by_start();
  void fill_from_snapshot();
  void say_begin() const;

  /// `start` and `look` as of this step: with the numbers of the step before, or the first.
  [[nodiscard]] chain::PointFunctions at_points() const;
  /// Plane z of what the system lets users look at.
  void look_plane(std::size_t number, Index z, double* to);
  /// In the element type.
  void give(const std::vector<double>& plane, void* to) const;
  /// What steps do not change, as another run needs it: once, and linked to from other snapshots.
  void add_medium(std::vector<SnapshotField>& fields);
  [[nodiscard]] double time_of(Index step) const;
  void keep() override;
  void write_fields(const std::vector<SnapshotField>& fields);

  /// Summed over all ranks. Collective.
  [[nodiscard]] std::vector<std::vector<double>> all_traces() const;
  void write_all_traces();

  Index advance(Index most) override;
  /// Steps of one dt, which the flow at their end allows, too: they are taken anew where it does
  /// not. They end where snapshots are due, so that a run that goes on takes the same.
  Index follow();
  void find_times();
  [[nodiscard]] double fastest_flow();
  [[nodiscard]] double stable_now(double speed) const;
  [[nodiscard]] Index beside() const override { return setup_.follows ? steps_of_one_dt : 0; }
  static constexpr Index steps_of_one_dt = 16;
  [[nodiscard]] std::string kept_in() const override { return file_.string() + " leads to it"; }
  void finish();

  /// The plane in the middle of z, of the field that is asked for, or the first.
  void draw();

  const SystemOptions& o_;
  const SystemKernel& kernel_;
  const chain::Description& chain_;
  bool goes_on_;
  SystemRun run_;
  std::vector<EvolveSnapshot> snapshots_;
  chain::SystemSetup setup_;
  std::vector<StartField> fields_; ///< as the kernel lists what is given
  std::vector<std::string> names_;
  Index3 extents_;
  comm::Box own_; ///< of the range
  std::vector<Gathered> gathered_;
  fs::path file_;
  int bytes_ = 8, dimensions_ = 3;
  double fastest_ = 0;
  double time_ = 0;               ///< of a run that follows a flow
  double dt_ = 0;                 ///< its steps now
  std::optional<double> flows_;   ///< the fastest wave after its last steps
  std::map<Index, double> times_; ///< of its snapshots
  chain::FlowHeights heights_;    ///< the highest energy, the lowest ground
  std::string dt_note_;
  Index odd_ = 0;
  Places sources_, receivers_;
  std::vector<std::string> wavelets_; ///< what names each of the setup's
  fs::path traces_file_;
  std::vector<std::vector<double>> traces_before_, forces_before_;
  std::vector<int> bodies_; ///< whose forces are recorded
  std::vector<Gradient> gradients_;
  io::OutputPlan plan_;
  std::optional<io::SnapshotFiles> output_;
  std::optional<Queue> queue_;
  std::optional<chain::System> system_;
  std::vector<std::vector<double>> looked_;
  Index looked_z_ = -1, looked_step_ = -1;
  std::vector<Sums> sums_before_; ///< of the start, where arrays are stored in 16 bits
  bool starts_ = false;           ///< from what its `start` takes, not from the arrays themselves
  bool begins_odd_ = false;       ///< with values that are not finite, which pass through
  std::set<Index> odd_planes_;    ///< whose values that are not finite are counted
  Index finite_ = 0, kept_ = 0;   ///< steps: all values are finite, the last snapshot
  double checked_ = 0, check_took_ = 0; ///< seconds of steps at the last check, and of the check
};

} // namespace ridge::app
