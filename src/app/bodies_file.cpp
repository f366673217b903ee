#include "bodies_file.hpp"

#include "../io/file_names.hpp"
#include "hdf5_writing.hpp"
#include "nbody_format.hpp"
#include "xdmf.hpp"

#include <fmt/format.h>

namespace ridge::app {

namespace fs = std::filesystem;

BodiesFile::BodiesFile(const fs::path& target, const std::vector<fs::path>& inputs, bool overwrite)
    : target_(target), xdmf_(io::xdmf_beside(target)), plan_(overwrite) {
  for (const fs::path& input : inputs)
    plan_.reads(input, "the input");
  plan_.writes(target_, "the output");
  plan_.writes(xdmf_, "the XDMF file");
  plan_.claim();
  first_.emplace(plan_, target_);
}

std::string BodiesFile::text() const {
  return fmt::format("{} and {}", target_.string(), xdmf_.string());
}

std::string BodiesFile::kept() const {
  if (!last_step_) return "";
  return fmt::format("; {} keeps the snapshots up to step {}", target_.string(), *last_step_);
}

void BodiesFile::write(
    const Head& s, const std::function<void(const Writing&)>& begin,
    const std::function<void(const Writing&, const Handle& group, const std::string& path)>& add) {
  constexpr std::uintmax_t around = 64 << 10; // more than HDF5's own tables take for a snapshot
  const auto count = static_cast<std::uintmax_t>(s.mass.size());
  const std::uintmax_t bytes = count * static_cast<std::uintmax_t>(s.body_bytes) + around;
  const fs::path place = first_ ? first_->path() : target_;
  if (first_) {
    first_->require_room(bytes + 8 * count);
    quiet_hdf5();
    Writing out({H5Fcreate(place.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose},
                target_);
    begin(out);
    out.dataset<1>("mass", {&s.mass}, 8);
    (void)out.group("snapshots");
    out.close();
  } else {
    io::take_room(target_, bytes);
  }
  const std::string path = nbody_format::group_of(s.step);
  {
    const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    // Who looks at the snapshots so far must not stop the run.
    H5Pset_file_locking(access.id(), false, true);
    Writing out({H5Fopen(place.c_str(), H5F_ACC_RDWR, access.id()), H5Fclose}, target_);
    {
      const Handle group = out.group(path);
      out.require(H5Lcreate_hard(out.file().id(), "/mass", group.id(), "mass", H5P_DEFAULT,
                                 H5P_DEFAULT) >= 0);
      out.attribute(group, "step", s.step);
      out.attribute(group, "time", s.time);
      add(out, group, path);
    }
    out.close();
  }
  if (first_) {
    first_->commit();
    first_.reset();
  } else {
    io::sync_file(target_);
  }
  last_step_ = s.step;
  times_.push_back(s.time);
  groups_.push_back(path);
  io::write_text_file(
      plan_, xdmf_,
      xdmf_points_text({target_.filename().string(), static_cast<Index>(s.mass.size()),
                        s.position_bytes, s.velocity_bytes, times_, groups_}));
}

} // namespace ridge::app
