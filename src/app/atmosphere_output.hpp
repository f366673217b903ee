// What `ridge atmosphere` leaves: snapshots in one HDF5 file, an XDMF file that shows them to
// ParaView, and a picture.
#pragma once

#include "../io/output_plan.hpp"
#include "hdf5_handle.hpp"
#include "model.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace ridge::app {

/// The file grows by a snapshot at a time, and is complete after each: whatever happens later, what
/// was written can be read. Group /NNNN has the datasets density, x_momentum, z_momentum, heat
/// (density times potential temperature) and potential_temperature, all perturbations but the
/// momenta, nz rows of nx, in SI units, and the attribute time in s.
class AtmosphereOutput {
public:
  /// Of files that a plan has claimed, which must outlive it.
  AtmosphereOutput(const io::OutputPlan& plan, std::filesystem::path file,
                   const atmosphere::Setup& setup);

  /// Throws Failure when the snapshot does not fit the disk or cannot be written; the file then
  /// holds those before it.
  void write(double time, const atmosphere::State& state, const atmosphere::Profiles& profiles);

  [[nodiscard]] std::size_t snapshots() const { return times_.size(); }
  [[nodiscard]] std::filesystem::path xdmf() const;

private:
  void make(const std::filesystem::path& path, double time,
            const std::vector<const std::vector<double>*>& fields) const;
  void append(const Handle& file, std::size_t number, double time,
              const std::vector<const std::vector<double>*>& fields) const;
  void reserve() const;
  void require(bool done) const;
  [[nodiscard]] std::string xdmf_text() const;

  const io::OutputPlan& plan_;
  std::filesystem::path path_;
  atmosphere::Setup setup_;
  std::vector<double> times_;
};

} // namespace ridge::app
