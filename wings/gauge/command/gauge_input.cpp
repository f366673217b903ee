#include "gauge_input.hpp"

#include <ridge/core/error.hpp>
#include <ridge/gauge/host_links.hpp>
#include <ridge/gauge/slices.hpp>
#include <ridge/lattice/stored/part.hpp>

#include "core/refuse.hpp"
#include "io/output_file.hpp"

#include <fmt/core.h>

#include <filesystem>
#include <optional>
#include <utility>

namespace ridge::app {

io::GaugeFile read_configuration(const std::string& file, const std::string& size, bool accept,
                                 int configuration) {
  const auto one = comm::alone();
  return read_configuration(*one, file, size, accept, configuration);
}

io::GaugeFile read_configuration(comm::Communicator& ranks, const std::string& file,
                                 const std::string& size, bool accept, int configuration) {
  refuse_if(!std::filesystem::exists(file), "there is no file {}", file);
  io::GaugeFile read = io::read_gauge_file(ranks, file, configuration);
  if (!size.empty()) {
    const Extents asked = parse_extents(size, "--size");
    refuse_if(asked != read.configuration.extents, "{}: its lattice is {}; {} was asked for", file,
              to_text(read.configuration.extents), to_text(asked));
  }
  if (!accept) {
    try {
      io::require_good(file, read);
    } catch (const Failure& wrong) {
      throw Failure(std::string(wrong.what()) + "; --accept goes on");
    }
  }
  for (const io::GaugeCheck& check : read.checks) {
    if (!check.ok && comm::launched().rank == 0)
      fmt::print(stderr, "ridge: {}: its {} is {}; expected {}; accepted\n", file, check.what,
                 check.found, check.expected);
  }
  return read;
}

namespace {

Extents parsed_ranks(const comm::Communicator& ranks, const Extents& extents,
                     const std::string& grid) {
  const Extents divided = parse_extents(grid, "--ranks");
  refuse_if(divided.rank() != extents.rank() || divided.count() != ranks.ranks(),
            "--ranks {}: expected {} numbers whose product is {}, the ranks that were started",
            grid, extents.rank(), ranks.ranks());
  return divided;
}

} // namespace

lattice::RankLattice part_of(const comm::Communicator& ranks, const Extents& extents,
                             const std::string& grid) {
  const Extents divided = grid.empty() ? lattice::choose_ranks(ranks.ranks(), extents)
                                       : parsed_ranks(ranks, extents, grid);
  return {extents, divided, ranks.rank()};
}

Extents stored_ranks(const comm::Communicator& ranks, const Extents& extents,
                     const std::string& grid) {
  return grid.empty() ? lattice::choose_stored_ranks(ranks.ranks(), extents, true)
                      : parsed_ranks(ranks, extents, grid);
}

gauge::Links<double> links_of_slices(comm::Communicator& ranks, Queue& queue,
                                     const lattice::RankLattice& part, gauge::HostLinks slices) {
  const gauge::Slices of_file(ranks, part.whole());
  return gauge::owned_to_device(queue, part, gauge::to_part(of_file, part, std::move(slices)));
}

gauge::HostLinks slices_of_links(comm::Communicator& ranks, Queue& queue,
                                 const lattice::RankLattice& part,
                                 const gauge::Links<double>& links) {
  const gauge::Slices of_file(ranks, part.whole());
  return gauge::to_slices(of_file, part, gauge::owned_to_host(queue, part, links));
}

void write_configuration(comm::Communicator& ranks, const io::OutputPlan& plan,
                         const std::string& file, const io::GaugeForm& form,
                         const io::GaugeConfiguration& configuration) {
  io::require_storable(ranks, file, form, configuration);
  std::optional<io::OutputFile> output;
  if (ranks.rank() == 0) {
    output.emplace(plan, file);
    output->require_room(static_cast<std::size_t>(configuration.extents.count()) * 24 *
                         static_cast<std::size_t>(form.rows) *
                         static_cast<std::size_t>(form.real_bytes));
  }
  io::write_gauge_file(ranks, output ? output->path() : std::filesystem::path(file), form,
                       configuration);
  if (output) output->commit();
}

io::GaugeForm FormOptions::form(const std::string& file, const io::GaugeForm& like) const {
  const std::string ending = std::filesystem::path(file).extension().string();
  io::GaugeForm form = like;
  form.format = ending == ".lime" || ending == ".ildg"                     ? io::GaugeFormat::ildg
                : ending == ".h5" || ending == ".hdf5" || ending == ".hdf" ? io::GaugeFormat::hdf5
                                                                           : io::GaugeFormat::nersc;
  const bool nersc = form.format == io::GaugeFormat::nersc;
  if (!precision.empty())
    form.real_bytes = is_first("--precision", precision, "fp32", "fp64") ? 4 : 8;
  refuse_if(!nersc && !(order.empty() && matrix_rows.empty()), "{} is for NERSC files; {} is none",
            order.empty() ? "--rows" : "--order", file);
  if (!order.empty()) form.big_endian = is_first("--order", order, "big", "little");
  if (!matrix_rows.empty()) form.rows = is_first("--rows", matrix_rows, "2", "3") ? 2 : 3;
  if (!nersc) form.rows = 3, form.big_endian = true;
  return form;
}

std::vector<OptionRow> FormOptions::rows() {
  return {{"--precision", &precision, "fp32 or fp64; as the input if not given"},
          {"--order", &order, "big or little, the byte order of NERSC files"},
          {"--rows", &matrix_rows, "2 or 3, the rows of a matrix that NERSC files hold"}};
}

OptionRow rank_grid_row(std::string* grid) {
  return {
      "--ranks", grid,
      "PxQxRxS: the ranks that mpirun started as a grid; the one that sends least if not given"};
}

OptionRow configuration_row(int* number) {
  return {"--configuration", number, "which of a LIME file's, 1, 2, ...; the only one if not given",
          Rule::none,        1,      1000000};
}

} // namespace ridge::app
