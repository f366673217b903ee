#include "bodies_input.hpp"

#include <ridge/core/error.hpp>
#include <ridge/device/device.hpp>

#include "../core/refuse.hpp"
#include "../io/hdf5_attribute.hpp"
#include "hdf5_describe.hpp"
#include "hdf5_input.hpp"
#include "interrupt.hpp"

#include <fmt/ranges.h>

namespace ridge::app {

namespace {

using spatial::Bodies;

constexpr std::string_view forms =
    "a start has position and velocity of N x 3 values and mass of N, or x, y, z, vx, vy, vz and m";

/// An HDF5 group with the components of bodies.
class BodyGroup {
public:
  BodyGroup(const DatasetName& name, std::vector<std::filesystem::path>& files)
      : name_(name), files_(files), group_(name.path == "/" ? "" : name.path),
        file_(open_hdf5(name.file)) {
    std::string program;
    const auto leads_to = [&](const char* what) {
      return H5Lexists(file_.id(), what, H5P_DEFAULT) > 0;
    };
    refuse_if(group_.empty() && read_attribute(file_, "program", program) && leads_to("mass") &&
                  leads_to("snapshots"),
              "{0} is the file of a run: go on with {1} --restart {0}, or start anew from a "
              "snapshot, such as {0}:/snapshots/0000000000",
              name.file.string(), program);
  }

  [[nodiscard]] Bodies read(const std::string& position) const {
    Bodies bodies;
    for (const auto& [one, other] :
         {std::pair{"mass", "m"}, std::pair{position.c_str(), "x"}, std::pair{"velocity", "vx"}}) {
      refuse_if(has(one) && has(other),
                "{} has {} and {}, which say the same of its bodies; one of them is right",
                name_.file.string(), path_of(one), path_of(other));
    }
    if (has(position) || has("velocity")) {
      read_vectors(position, bodies.position);
      read_vectors("velocity", bodies.velocity);
      read_values(has("mass") ? "mass" : has("m") ? "m" : "mass", bodies.mass);
    } else if (has("x") || has("vx")) {
      bodies.for_each([&](auto& values, const char* component) {
        const bool mass = std::string_view(component) == "m" && !has("m") && has("mass");
        read_values(mass ? "mass" : component, values);
      });
    } else {
      throw UsageError(
          fmt::format("{} has {}; {}", name_.file.string(), list_of(datasets_in(file_)), forms));
    }
    return bodies;
  }
  [[nodiscard]] std::vector<double> read_values(const std::string& dataset) const {
    std::vector<double> values;
    read_values(dataset, values);
    return values;
  }

private:
  [[nodiscard]] bool has(const std::string& dataset) const {
    const Handle object(H5Oopen(file_.id(), path_of(dataset).c_str(), H5P_DEFAULT), H5Oclose);
    return object && H5Iget_type(object.id()) == H5I_DATASET;
  }
  [[nodiscard]] std::string path_of(const std::string& dataset) const {
    return group_ + "/" + dataset;
  }

  [[nodiscard]] InputDataset open(const std::string& dataset) const {
    refuse_if(!has(dataset), "{} has no {}; {}", name_.file.string(), path_of(dataset), forms);
    InputDataset opened({name_.file, path_of(dataset)});
    files_.insert(files_.end(), opened.files().begin(), opened.files().end());
    return opened;
  }

  /// Calls `take(index, value)` for each element of the packed dataset.
  template <class Take>
  static void for_each_value(const InputDataset& input, Take&& take) {
    std::vector<float> single;
    std::vector<double> twice;
    for (const Piece& piece : input.pieces()) {
      check_interrupt();
      const auto values = [&](auto& buffer) {
        buffer.resize(static_cast<std::size_t>(piece.elements));
        input.read(piece, buffer.data());
        for (std::size_t k = 0; k < buffer.size(); ++k)
          take(static_cast<std::size_t>(piece.first) + k, static_cast<double>(buffer[k]));
      };
      if (input.element_bytes() == 4) {
        values(single);
      } else {
        values(twice);
      }
    }
  }

  void read_values(const std::string& dataset, std::vector<double>& to) const {
    const InputDataset input = open(dataset);
    refuse_if(input.shape().size() != 1, "{} has {} dimensions; one value a body is needed",
              to_text(input.name()), input.shape().size());
    to.resize(static_cast<std::size_t>(input.shape()[0]));
    for_each_value(input, [&](std::size_t at, double value) { to[at] = value; });
  }

  void read_vectors(const std::string& dataset, std::array<std::vector<double>, 3>& to) const {
    const InputDataset input = open(dataset);
    refuse_if(input.shape().size() != 2 || input.shape()[1] != 3,
              "{} has the shape {}; a line of 3 values for each body, N x 3, is needed",
              to_text(input.name()), fmt::join(input.shape(), " x "));
    for (auto& values : to)
      values.resize(static_cast<std::size_t>(input.shape()[0]));
    for_each_value(input, [&](std::size_t at, double value) { to[at % 3][at / 3] = value; });
  }

  const DatasetName name_;
  std::vector<std::filesystem::path>& files_;
  std::string group_; ///< without a slash at its end
  Handle file_;
};

} // namespace

bool is_csv(std::string_view file) {
  return file.ends_with(".csv") || file.ends_with(".CSV");
}

Bodies read_bodies(std::string_view file, const std::string& position) {
  std::vector<std::filesystem::path> files;
  return read_bodies(file, files, position);
}

Bodies read_bodies(std::string_view file, std::vector<std::filesystem::path>& files,
                   const std::string& position) {
  if (is_csv(file)) {
    files.emplace_back(file);
    return read_csv_bodies(file);
  }
  const DatasetName name = parse_dataset_name(file, "INPUT");
  return BodyGroup(name, files).read(position);
}

std::vector<double> read_body_values(std::string_view file, const std::string& dataset) {
  std::vector<std::filesystem::path> files;
  return BodyGroup(parse_dataset_name(file, "INPUT"), files).read_values(dataset);
}

void require_room(Index bodies, bool sorted) {
  refuse_if(sorted && bodies >= Index{1} << 31,
            "{} bodies: trees and lists are over fewer than 2^31, {}", bodies, Index{1} << 31);
  constexpr Index values = 8; // of a body
  const Bytes needed{values * std::min(bodies, Index{1} << 50) *
                     static_cast<Index>(sizeof(double))};
  const Bytes free = Device("cpu").free_memory();
  fail_if(needed.value > free.value, "{} bodies need {} of the host's memory, of which {} are free",
          bodies, ridge::to_text(needed), ridge::to_text(free));
}

const char* bodies_help() {
  return "INPUT is an HDF5 file (or FILE.h5:/group) with the datasets position and velocity of N x "
         "3 "
         "values and mass of N,\nor x, y, z, vx, vy, vz and m of N values each, fp32 or fp64; or a "
         "CSV file whose first line names the\ncolumns x,y,z,vx,vy,vz,m in any order.\n";
}

} // namespace ridge::app
