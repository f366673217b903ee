// Configurations as the command reads and writes them.
#pragma once

#include <ridge/comm/communicator.hpp>
#include <ridge/gauge/links.hpp>
#include <ridge/io/gauge_file.hpp>
#include <ridge/lattice/rank_lattice.hpp>

#include "app/options.hpp"
#include "io/output_plan.hpp"

#include <string>
#include <vector>

namespace ridge::app {

inline constexpr const char* gauge_forms = "NERSC, ILDG (LIME) or HDF5";
inline constexpr const char* gauge_endings =
    "FILE.lime or FILE.ildg: ILDG; FILE.h5: HDF5; any other: NERSC";

/// --ranks of a command that several ranks run.
[[nodiscard]] OptionRow rank_grid_row(std::string* grid);
/// --configuration of a command that reads one.
[[nodiscard]] OptionRow configuration_row(int* number);

/// Reads a configuration. Throws Failure for checks that fail, unless `accept`: then each is said
/// on stderr. Throws UsageError where its lattice is not `size`, unless that is empty.
/// `configuration`: as of io::read_gauge_file.
[[nodiscard]] io::GaugeFile read_configuration(const std::string& file, const std::string& size,
                                               bool accept, int configuration);
/// Over ranks, each with its slices of t. Collective.
[[nodiscard]] io::GaugeFile read_configuration(comm::Communicator& ranks, const std::string& file,
                                               const std::string& size, bool accept,
                                               int configuration);

/// What a rank owns of links that ranks have by slices of t, on its device; and back. Collective.
[[nodiscard]] gauge::Links<double> links_of_slices(comm::Communicator& ranks, Queue& queue,
                                                   const lattice::RankLattice& part,
                                                   gauge::HostLinks slices);
[[nodiscard]] gauge::HostLinks slices_of_links(comm::Communicator& ranks, Queue& queue,
                                               const lattice::RankLattice& part,
                                               const gauge::Links<double>& links);

/// What this rank owns of a lattice of four dimensions: `grid` as "1x1x2x2", or the one that sends
/// least where it is empty. Throws UsageError where it is no grid of all ranks.
[[nodiscard]] lattice::RankLattice part_of(const comm::Communicator& ranks, const Extents& extents,
                                           const std::string& grid);

/// The same grid for stored fields of half lattices, which are divided along x by pairs of sites.
[[nodiscard]] Extents stored_ranks(const comm::Communicator& ranks, const Extents& extents,
                                   const std::string& grid);

/// Writes a configuration of which each rank has its slices of t to a file of the plan, as a whole
/// or not at all; rank 0 alone does, and has such a file in its plan. Collective.
void write_configuration(comm::Communicator& ranks, const io::OutputPlan& plan,
                         const std::string& file, const io::GaugeForm& form,
                         const io::GaugeConfiguration& configuration);

/// How a file is to be written, as its ending and the options say: FILE.lime and FILE.ildg are
/// ILDG, FILE.h5 and FILE.hdf5 HDF5, all others NERSC. `like`: what is not said.
struct FormOptions {
  std::string precision, order, matrix_rows;
  [[nodiscard]] std::vector<OptionRow> rows();
  [[nodiscard]] io::GaugeForm form(const std::string& file, const io::GaugeForm& like) const;
};

} // namespace ridge::app
