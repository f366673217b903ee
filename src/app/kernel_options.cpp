#include "kernel_options.hpp"

#include <ridge/core/error.hpp>
#include <ridge/core/size_range.hpp>
#include <ridge/lab/adjoint.hpp>
#include <ridge/lab/bench.hpp>
#include <ridge/lab/user_kernel.hpp>
#include <ridge/pattern/storage.hpp>

#include "../core/refuse.hpp"

#include <fmt/core.h>

#include <map>
#include <variant>

namespace ridge::app {

void KernelOptions::add_to(const Command& line, KernelOption::Command name,
                           const char* size_meaning) {
  line.add("KERNEL", &kernel, "a built-in kernel, or FILE.hpp:Name of your own");
  line.add("--size", &size, size_meaning);
  line.add("--precision", &precision, "fp32, fp64 or mixed; each kernel has its own default");
  line.add("--schedule", &schedule, "auto, a name, or fields such as 'tile=4 store=nontemporal'");
  add_of_pattern(line, name);
}

void KernelOptions::add_of_pattern(const Command& line, KernelOption::Command name) {
  command = name;
  std::map<std::string, std::string> meanings; // patterns may share a name
  for (const KernelOption& row : kernel_options(name)) {
    std::string& all = meanings[row.name()];
    all += (all.empty() ? "" : "; ") + std::string(row.meaning);
  }
  for (const KernelOption& row : kernel_options(name)) {
    const auto [at, is_new] = of_pattern.all.try_emplace(row.name(), row.value);
    if (!is_new) continue;
    const Option option = std::visit(
        [&](auto& value) { return line.add(row.names, &value, meanings[row.name()]); }, at->second);
    if (row.most > 0) option.require_between(row.least, row.most);
  }
  if (name != KernelOption::count) {
    line.add("--adjoint", &adjoint,
             "the adjoint of a stencil, chain or pairs in place of it: derivatives by its inputs "
             "from those by its result");
  }
  line.add("--set", &settings,
           "MEMBER=NUMBER of a kernel in a file, such as rate=0.1; may be repeated");
}

lab::BenchKernel KernelOptions::find() const {
  if (kernel.empty()) throw UsageError("a KERNEL is needed, such as laplacian; see --help");
  lab::BenchKernel found = chosen(lab::find_kernel(kernel, settings));
  (void)options(found);
  return found;
}

lab::BenchKernel KernelOptions::chosen(lab::BenchKernel found) const {
  if (!adjoint) return found;
  return lab::adjoint_of(found, sizes(found).front(), kernel);
}

OptionValues KernelOptions::options(const lab::BenchKernel& found) const {
  return options_of_kernel(of_pattern, command, found.pattern, kernel);
}

Extents KernelOptions::extents(const lab::BenchKernel& found) const {
  return size.empty() ? found.default_size : parse_extents(size, "--size");
}

std::vector<Extents> KernelOptions::sizes(const lab::BenchKernel& found) const {
  if (size.empty()) return {found.default_size};
  SizeRange range = parse_sizes(size, "--size");
  if (!range.note.empty()) fmt::print(stderr, "ridge: {}\n", range.note);
  return std::move(range.sizes);
}

bool takes_storage(const lab::BenchKernel& chosen, const std::string& kernel) {
  return chosen.stored || lab::names_a_file(kernel);
}

std::string asked_precision(const lab::BenchKernel& chosen, const std::string& kernel,
                            const std::string& precision) {
  refuse_if(is_storage(precision) && takes_storage(chosen, kernel),
            "unknown precision '{}'; {} has fp32 and fp64 (bench and apply take --store-as {})",
            precision, kernel, precision);
  return precision.empty() ? chosen.default_precision : precision;
}

std::string KernelOptions::digits(const lab::BenchKernel& found) const {
  return asked_precision(found, kernel, precision);
}

lab::BenchRequest KernelOptions::request(const lab::BenchKernel& found) const {
  lab::BenchRequest request{named_device(device), extents(found), digits(found), schedule, {}};
  request.options = options(found);
  return request;
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
