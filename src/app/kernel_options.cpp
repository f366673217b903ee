#include "kernel_options.hpp"

#include <ridge/core/error.hpp>
#include <ridge/core/size_range.hpp>
#include <ridge/lab/bench.hpp>
#include <ridge/lab/kernels/chain_systems.hpp>
#include <ridge/lab/storage.hpp>
#include <ridge/lab/user_kernel.hpp>

#include <fmt/core.h>

namespace ridge::app {

void KernelOptions::add_to(const Command& command, const char* size_meaning) {
  command.add("KERNEL", &kernel, "a built-in kernel, or FILE.hpp:Name of your own");
  command.add("--size", &size, size_meaning);
  command.add("--precision", &precision, "fp32, fp64 or mixed; each kernel has its own default");
  command.add("--schedule", &schedule,
              "auto, a name, or fields such as 'tile=4 store=nontemporal'");
  command.add("--site", &site,
              "lattice kernels: propagator, spinor, matrix, vector, complex or real");
  command.add("--operations", &operations, "operations of a chain, 1 to 32");
  command.add(
      "--ls,--rhs", &ls,
      "values a site: the fifth dimension's extent of dwf, right-hand sides of wilson-columns");
  command.add("--set", &settings,
              "MEMBER=NUMBER of a kernel in a file, such as rate=0.1; may be repeated");
}

lab::BenchKernel KernelOptions::find() const {
  if (kernel.empty()) throw UsageError("a KERNEL is needed, such as laplacian; see --help");
  lab::BenchKernel found = lab::find_kernel(kernel, settings);
  if (!site.empty() && found.pattern != "lattice")
    throw UsageError(fmt::format("--site is for lattice kernels; {} is not one", kernel));
  if (width != 0 && found.pattern != "lattice")
    throw UsageError(fmt::format("--width is for lattice kernels; {} is not one", kernel));
  return found;
}

Extents KernelOptions::extents(const lab::BenchKernel& found) const {
  return size.empty() ? found.default_size : parse_extents(size, "--size");
}

std::vector<Extents> KernelOptions::sizes(const lab::BenchKernel& found) const {
  return sizes_of(size, found.default_size);
}

std::vector<Extents> sizes_of(const std::string& size, const Extents& otherwise) {
  if (size.empty()) return {otherwise};
  SizeRange range = parse_sizes(size, "--size");
  if (!range.note.empty()) fmt::print(stderr, "ridge: {}\n", range.note);
  return std::move(range.sizes);
}

bool takes_storage(const lab::BenchKernel& chosen, const std::string& kernel) {
  return chosen.on_arrays.on_grid || chosen.pattern == "sweeps" || lab::names_a_file(kernel) ||
         lab::find_evolving_system(kernel) != nullptr;
}

std::string asked_precision(const lab::BenchKernel& chosen, const std::string& kernel,
                            const std::string& precision) {
  if (lab::is_storage(precision) && takes_storage(chosen, kernel)) {
    throw UsageError(fmt::format("unknown precision '{}'; {} has fp32 and fp64 (bench and apply "
                                 "take --store-as {})",
                                 precision, kernel, precision));
  }
  return precision.empty() ? chosen.default_precision : precision;
}

std::string KernelOptions::digits(const lab::BenchKernel& found) const {
  return asked_precision(found, kernel, precision);
}

lab::BenchRequest KernelOptions::request(const lab::BenchKernel& found) const {
  lab::BenchRequest request{named_device(device), extents(found), digits(found), schedule, {}};
  request.site = site;
  request.operations = operations;
  request.ls = ls;
  request.width = width;
  return request;
}

void add_width(const Command& command, int* width) {
  command
      .add("--width", width,
           "lattice kernels: bytes of a vector of lanes, numbers of one component that lie "
           "together; "
           "what the kernel is fastest with if not given")
      .require_between(64, 1024);
}

std::string file_of_kernel(std::string_view kernel) {
  return std::string(lab::names_a_file(kernel) ? kernel.substr(0, kernel.find(':')) : "");
}

Device named_device(const std::string& name) {
  return Device(name.empty() || name == "auto" ? best_device() : parse_device(name));
}

Place place_of(const std::string& on) {
  if (model::names_device_here(on)) {
    const Device device = named_device(on);
    return {device, model::description_of(device.facts(), device.kind())};
  }
  const model::Description d = model::find_description(on);
  if (!d.is_gpu()) return {Device("cpu"), d}; // schedules of one cpu are those of another
  return {Device(d.warp_width == 64 ? "simt:64" : "simt:32"), d, false};
}

} // namespace ridge::app
