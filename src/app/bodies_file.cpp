#include "bodies_file.hpp"

#include "../io/file_names.hpp"
#include "hdf5_writing.hpp"
#include "xdmf.hpp"

#include <fmt/format.h>

namespace ridge::app {

namespace fs = std::filesystem;

BodiesFile::BodiesFile(const fs::path& target, const std::vector<fs::path>& inputs, bool overwrite)
    : plan_(overwrite) {
  for (const fs::path& input : inputs)
    plan_.reads(input, "the input");
  files_.emplace(plan_, target);
  plan_.claim();
}

std::string BodiesFile::text() const {
  return fmt::format("{} and {}", files_->file().string(), files_->xdmf().string());
}

void BodiesFile::write(const Head& s, const std::function<void(const Writing&)>& begin,
                       const std::function<void(const Writing&)>& add) {
  const auto snapshot = [&](const Handle& file) {
    const fs::path name = io::snapshot_beside(files_->file(), s.step);
    const Writing out(borrowed(file), name);
    out.dataset<1>("mass", {&s.mass}, 8);
    out.attribute(file, "step", s.step);
    out.attribute(file, "time", s.time);
    add(out);
  };
  const auto index = [&](const Handle& file) {
    const Writing out(borrowed(file), files_->file());
    begin(out);
    out.require(H5Lcreate_external(files_->snapshots().front().file.c_str(), "/mass", file.id(),
                                   "mass", H5P_DEFAULT, H5P_DEFAULT) >= 0);
  };
  times_.push_back(s.time);
  const std::uintmax_t bytes = s.mass.size() * static_cast<std::size_t>(s.body_bytes + 8);
  files_->add(
      {fmt::format("{:016x}", s.run), s.step, bytes, snapshot, index, [&] { return xdmf_of(s); }});
}

std::string BodiesFile::xdmf_of(const Head& s) const {
  std::vector<std::string> names;
  for (const io::RunSnapshot& one : files_->snapshots())
    names.push_back(one.file.string());
  return xdmf_points_text(
      {static_cast<Index>(s.mass.size()), s.position_bytes, s.velocity_bytes, times_, names});
}

} // namespace ridge::app
