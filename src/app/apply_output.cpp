#include "apply_output.hpp"

#include <ridge/core/error.hpp>

#include "hdf5_describe.hpp"
#include "hdf5_handle.hpp"
#include "interrupt.hpp"
#include "version.hpp"
#include "xdmf.hpp"

#include <fmt/format.h>

namespace ridge::app {

namespace fs = std::filesystem;

namespace {

DatasetName checked(DatasetName name, const InputDataset& input) {
  if (name.path.empty()) {
    throw UsageError(fmt::format("OUTPUT '{}' names no dataset; the form is FILE.h5:/path, such as "
                                 "out.h5:/f",
                                 name.file.string()));
  }
  std::error_code absent;
  if (fs::equivalent(name.file, input.name().file, absent)) {
    throw UsageError(
        name.path == input.name().path
            ? fmt::format("the output {} is the input; give another file", to_text(name))
            : fmt::format("the output {} is in the input's file, which would be replaced as a "
                          "whole; give another file",
                          to_text(name)));
  }
  return name;
}

fs::path xdmf_beside(const fs::path& data, const fs::path& input) {
  fs::path xdmf = data;
  xdmf.replace_extension(".xdmf");
  std::error_code absent;
  if (xdmf == data) {
    throw UsageError(fmt::format("the output {} is the name of the XDMF file beside it; name it "
                                 "FILE.h5",
                                 data.string()));
  }
  if (fs::equivalent(xdmf, input, absent)) {
    throw UsageError(fmt::format("the XDMF file {} beside the output is the input; give another "
                                 "output",
                                 xdmf.string()));
  }
  return xdmf;
}

/// A file is replaced as a whole: that must not cost the user other data.
void require_no_other_data(const DatasetName& name) {
  if (H5Fis_hdf5(name.file.c_str()) <= 0) return;
  const Handle old(H5Fopen(name.file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (!old) {
    throw UsageError(
        fmt::format("{} would be replaced and cannot be looked into ({}); give another "
                    "file, or --overwrite",
                    name.file.string(), hdf5_reason()));
  }
  auto others = datasets_in(old);
  std::erase(others, name.path);
  if (others.empty()) return;
  throw UsageError(
      fmt::format("{} would be replaced as a whole and holds {}; give another file, or "
                  "--overwrite",
                  name.file.string(), list_of(others)));
}

} // namespace

ApplyOutput::ApplyOutput(DatasetName name, const InputDataset& input, bool overwrite)
    : name_(checked(std::move(name), input)), input_(input), data_(name_.file),
      xdmf_(xdmf_beside(name_.file, input.name().file)) {
  if (!overwrite) require_no_other_data(name_);
}

std::string ApplyOutput::text() const {
  return fmt::format("{} and {}", to_text(name_), xdmf_.target().string());
}

void ApplyOutput::require_room() const {
  constexpr std::uintmax_t around = 64 << 10; // HDF5's own tables, and the XDMF file
  data_.require_room(static_cast<std::uintmax_t>(input_.extents().count()) *
                         static_cast<std::uintmax_t>(input_.element_bytes()) +
                     around);
}

void ApplyOutput::describe(OutputDataset& dataset, const Record& record, stencil::Spacing spacing,
                           stencil::Offset radius) const {
  const std::vector<double> h{spacing.x, spacing.y, spacing.z};
  const std::vector<int> r{radius.x, radius.y, radius.z};
  const int rank = input_.extents().rank();
  dataset.describe("kernel", record.kernel);
  dataset.describe("spacing", std::vector<double>(h.begin(), h.begin() + rank));
  dataset.describe("radius", std::vector<int>(r.begin(), r.begin() + rank));
  dataset.describe("axes", "spacing and radius are x first; x is the last dimension");
  dataset.describe("edge", "points within the radius of an edge hold 0: the stencil has no value "
                           "there");
  dataset.describe("schedule", record.schedule);
  dataset.describe("device", record.device_name);
  dataset.describe("source", to_text(input_.name()));
  dataset.describe("ridge_version", ridge_version);
}

void ApplyOutput::write(const Record& record, stencil::Spacing spacing, stencil::Offset radius,
                        Queue& queue, const void* from) {
  OutputDataset dataset(data_.path(), name_.path, data_.target().string(), input_.shape(),
                        input_.type());
  describe(dataset, record, spacing, radius);
  write_from_device(dataset, input_, queue, from);
  dataset.close();
  const std::string reference = name_.file.filename().string() + ":" + name_.path;
  write_text(xdmf_.path(),
             xdmf_text({record.kernel,
                        reference,
                        input_.extents(),
                        {spacing.x, spacing.y, spacing.z},
                        input_.element_bytes()}),
             xdmf_.target());
  data_.sync();
  check_interrupt(); // the last moment at which the user can stop it
  OutputFile::commit_both(data_, xdmf_);
}

} // namespace ridge::app
