#include "apply_output.hpp"

#include "../core/refuse.hpp"
#include "../io/file_names.hpp"
#include "../io/hdf5_attribute.hpp"
#include "hdf5_describe.hpp"
#include "interrupt.hpp"
#include "version.hpp"
#include "xdmf.hpp"

#include <fmt/format.h>

namespace ridge::app {

namespace fs = std::filesystem;

namespace {

constexpr const char* version_attribute = "ridge_version";

DatasetName checked(DatasetName name) {
  refuse_if(name.path.empty(),
            "OUTPUT '{}' names no dataset; the form is FILE.h5:/path, such as out.h5:/f",
            name.file.string());
  return name;
}

/// Whether the file holds this dataset alone, and an earlier `ridge apply` has made it.
bool is_earlier_result(const DatasetName& name) {
  const Handle file(H5Fopen(name.file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (!file || datasets_in(file) != std::vector{name.path}) return false;
  const Handle dataset(H5Dopen2(file.id(), name.path.c_str(), H5P_DEFAULT), H5Dclose);
  std::string version;
  return dataset && read_attribute(dataset, version_attribute, version);
}

io::OutputPlan plan_of(const DatasetName& name, const InputDataset& input, const fs::path& kernel,
                       bool overwrite, const std::vector<fs::path>& fields) {
  const fs::path& data = name.file;
  io::OutputPlan plan(overwrite);
  for (const fs::path& file : input.files())
    plan.reads(file, "the input");
  plan.reads(kernel, "the kernel's file");
  for (const fs::path& field : fields)
    plan.reads(field, "a field of the problem");
  const bool again = is_earlier_result(name);
  const auto write = again ? &io::OutputPlan::writes_again : &io::OutputPlan::writes;
  (plan.*write)(data, "the output");
  (plan.*write)(io::xdmf_beside(data), "the XDMF file");
  plan.claim();
  return plan;
}

} // namespace

ApplyOutput::ApplyOutput(DatasetName name, const InputDataset& input, const fs::path& kernel,
                         bool overwrite, const std::vector<fs::path>& fields)
    : name_(checked(std::move(name))), input_(input),
      plan_(plan_of(name_, input, kernel, overwrite, fields)), data_(plan_, name_.file),
      xdmf_(plan_, io::xdmf_beside(name_.file)) {}

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
  dataset.describe(version_attribute, ridge_version);
}

void ApplyOutput::write(const Record& record, stencil::Spacing spacing, stencil::Offset radius,
                        Queue& queue, const void* from) {
  write_both(
      record.kernel, spacing,
      [&](OutputDataset& dataset) { describe(dataset, record, spacing, radius); },
      [&](OutputDataset& dataset) { write_from_device(dataset, input_, queue, from); }, true);
}

void ApplyOutput::write(const std::string& name, stencil::Spacing spacing,
                        const std::function<void(OutputDataset&)>& describe,
                        const BringPiece& bring, bool heed) {
  write_both(
      name, spacing, describe,
      [&](OutputDataset& dataset) { write_pieces(dataset, input_, bring, nullptr, heed); }, heed);
}

void ApplyOutput::write_both(const std::string& name, stencil::Spacing spacing,
                             const std::function<void(OutputDataset&)>& describe,
                             const std::function<void(OutputDataset&)>& values, bool heed) {
  OutputDataset dataset(data_.path(), name_.path, data_.target().string(), input_.shape(),
                        input_.type());
  describe(dataset);
  values(dataset);
  dataset.close();
  const std::string reference = name_.file.filename().string() + ":" + name_.path;
  io::write_text(xdmf_.path(),
                 xdmf_text({name,
                            reference,
                            input_.extents(),
                            {spacing.x, spacing.y, spacing.z},
                            input_.element_bytes()}),
                 xdmf_.target());
  data_.sync();
  if (heed) check_interrupt(); // the last moment at which the user can stop it
  io::OutputFile::commit_both(data_, xdmf_);
}

} // namespace ridge::app
