#include "bodies_file.hpp"

#include "version.hpp"
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

void BodiesFile::write(const Head& s, const io::SnapshotFiles::Fill& begin,
                       const io::SnapshotFiles::Fill& add) {
  const auto snapshot = [&](const io::Writing& out) {
    out.dataset("mass", {s.mass.size()}, 8, s.mass);
    out.attribute("step", s.step);
    out.attribute("time", s.time);
    add(out);
    WriteMembers{out}("checksum", s.checksum);
  };
  const auto index = [&](const io::Writing& out) {
    out.attribute("program", std::string(s.program));
    out.attribute("format", s.format);
    out.attribute("ridge_version", std::string(ridge_version));
    begin(out);
    out.link(files_->snapshots().front().file, "mass");
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
