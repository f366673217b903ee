// What `ridge apply` leaves: an HDF5 file with the result and an XDMF file beside it.
#pragma once

#include <ridge/record/record.hpp>
#include <ridge/stencil/footprint.hpp>
#include <ridge/stencil/laplacian.hpp>

#include "../io/output_file.hpp"
#include "transfer.hpp"

namespace ridge::app {

/// Both files in the making: they appear together, or not at all.
class ApplyOutput {
public:
  /// Claims both; `kernel` is the user's file with it, or empty. Throws what OutputPlan throws.
  ApplyOutput(DatasetName name, const InputDataset& input, const std::filesystem::path& kernel,
              bool overwrite);

  /// Throws Failure when the result will not fit the disk.
  void require_room() const;

  /// Writes the packed result at `from` with attributes that say what it is. Throws Failure, or
  /// Interrupted, and leaves nothing then.
  void write(const Record& record, stencil::Spacing spacing, stencil::Offset radius, Queue& queue,
             const void* from);

  /// "out.h5:/f and out.xdmf".
  [[nodiscard]] std::string text() const;

private:
  void describe(OutputDataset& dataset, const Record& record, stencil::Spacing spacing,
                stencil::Offset radius) const;

  DatasetName name_;
  const InputDataset& input_;
  io::OutputPlan plan_;
  io::OutputFile data_, xdmf_;
};

} // namespace ridge::app
