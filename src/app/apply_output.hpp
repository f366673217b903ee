// What `ridge apply` and `ridge solve` leave: an HDF5 file with the result and an XDMF file beside
// it.
#pragma once

#include <ridge/record/record.hpp>
#include <ridge/stencil/footprint.hpp>
#include <ridge/stencil/laplacian.hpp>

#include "../io/output_file.hpp"
#include "transfer.hpp"

#include <functional>
#include <string>
#include <vector>

namespace ridge::app {

/// Both files in the making: they appear together, or not at all.
class ApplyOutput {
public:
  /// Claims both; `kernel` is the user's file with it, or empty, `fields` are files of other fields
  /// that are read. Throws what OutputPlan throws.
  ApplyOutput(DatasetName name, const InputDataset& input, const std::filesystem::path& kernel,
              bool overwrite, const std::vector<std::filesystem::path>& fields = {});

  /// Throws Failure when the result will not fit the disk.
  void require_room() const;

  /// Writes the packed result at `from` with attributes that say what it is. Throws Failure, or
  /// Interrupted, and leaves nothing then.
  void write(const Record& record, stencil::Spacing spacing, stencil::Offset radius, Queue& queue,
             const void* from);
  /// Likewise with attributes of one's own, and `name` for the XDMF file, in pieces that `bring`
  /// gives. Where it does not `heed` Ctrl-C, what was asked for by that is written.
  void write(const std::string& name, stencil::Spacing spacing,
             const std::function<void(OutputDataset&)>& describe, const BringPiece& bring,
             bool heed);

  /// "out.h5:/f and out.xdmf".
  [[nodiscard]] std::string text() const;

private:
  /// `values` writes the dataset's.
  void write_both(const std::string& name, stencil::Spacing spacing,
                  const std::function<void(OutputDataset&)>& describe,
                  const std::function<void(OutputDataset&)>& values, bool heed);
  void describe(OutputDataset& dataset, const Record& record, stencil::Spacing spacing,
                stencil::Offset radius) const;

  DatasetName name_;
  const InputDataset& input_;
  io::OutputPlan plan_;
  io::OutputFile data_, xdmf_;
};

} // namespace ridge::app
