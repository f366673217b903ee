#include "image.hpp"

#include <ridge/core/error.hpp>
#include <ridge/device/backend.hpp>
#include <ridge/device/kind.hpp>
#include <ridge/device/library.hpp>
#include <ridge/launch/type_text.hpp>

#include "agreement.hpp"
#include "compilers.hpp"
#include "included.hpp"
#include "make.hpp"
#include "report.hpp"
#include "search_folders.hpp"
#include "toolchain.hpp"
#include "wait.hpp"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace ridge::launch {

namespace {

/// Images that this process has loaded, by device and text.
struct Images {
  std::mutex guard;
  std::unordered_map<std::string, std::shared_ptr<KernelImage>> loaded;
};
Images& images() {
  static auto* const all = new Images;
  return *all;
}

/// Compiles the text to an image in `folder`.
Product compile(const KernelCompiler& compiler, const std::string& folder, const std::string& text,
                const std::vector<std::string>& options, DeviceKind kind, const Demand& demand) {
  const std::string source = folder + "/kernel.cu"; // not written: the library has it in memory
  // The library does not tell what it reads. Files of one content before and after were read so.
  const SearchFolders folders = named_folders(options);
  Trace trace = trace_of_source(demand.source, folders);
  KernelCompiler::Compiled compiled;
  Wait wait(fmt::format("{} for {} with {}", kernel_name(demand.source), facts_of(kind).name,
                        compiler.name()),
            2);
  wait.during([&] { compiled = compiler.compile(text, source, options); });
  const Trace after = trace_of_source(demand.source, folders);
  if (const std::string changed = difference(after.lines, trace.lines); !changed.empty()) {
    throw UsageError(
        fmt::format("{} was changed while the kernel was being compiled: run this again", changed));
  }
  trace.whole = trace.whole && after.lines == trace.lines;
  if (!compiled.done) {
    if (has_compiler(kind)) throw Refused{};
    const Toolchain& tools = toolchain_of(kind);
    if (tools.missing_part != nullptr &&
        compiled.report.find(tools.missing_part) != std::string::npos) {
      throw Failure(tools.missing_help);
    }
    refuse({1, compiled.report}, compiler.name(), demand.source, source);
  }
  Product product{folder + "/kernel.image", std::move(trace)};
  write_source(product.object, compiled.image);
  return product;
}

/// `body` from `header`, as the kernel `ridge_entry`.
std::string text_of(DeviceKind kind, const Demand& d, const std::string& header,
                    const std::string& body, const char* facts) {
  return fmt::format("{}#include <ridge/device/gpu/entry.hpp>\n{}#include <{}>\n#include \"{}\"\n"
                     "namespace {{ using Body = {}; }}\n"
                     "extern \"C\" __global__ RIDGE_LAUNCH_BOUNDS(Body) void ridge_entry(\n"
                     "    const RIDGE_GRID_CONSTANT Body body) {{ ridge::gpu::run_body(body); }}\n"
                     "extern \"C\" __device__ const auto ridge_facts = {};\n",
                     d.definitions, toolchain_of(kind).image_begin, header, d.source, body, facts);
}

} // namespace

std::string image_text(DeviceKind kind, const Demand& d) {
  return text_of(kind, d, d.image->header, d.image->body, "Body::facts()");
}

std::string body_text(DeviceKind kind, const Demand& d, const std::string& body) {
  return text_of(kind, d, d.bodies, body, "sizeof(Body)");
}

std::vector<std::string> image_options(DeviceKind kind, const std::string& architecture) {
  const std::string headers = headers_folder();
  const Toolchain& tools = toolchain_of(kind);
  std::vector<std::string> options{"-std=c++20", "-I" + headers + "/ridge/device/rtc",
                                   "-I" + headers};
  for (const std::string& own : tools.image_options(architecture))
    options.push_back(own);
  options.emplace_back(tools.definition);
  return options;
}

bool compiles_images(const Device& device) {
  const KernelCompiler* const compiler = KernelCompiler::here(device.kind());
  return compiler != nullptr && compiler->takes(device.facts().architecture);
}

LoadedImage load_image(const Device& device, const Demand& demand, const std::string& text) {
  const std::string name =
      fmt::format("{} {}\n{}{}\ngeneration {}", to_text(device.id()), demand.flags, text,
                  content_of(demand.source), generation_of(demand.source));
  Images& all = images();
  const std::lock_guard lock(all.guard);
  std::shared_ptr<KernelImage>& image = all.loaded[name];
  if (image) return {image, Origin::cached};
  require_permission(to_text(device.id()));
  const KernelCompiler& compiler = *KernelCompiler::here(device.kind());
  std::vector<std::string> options = image_options(device.kind(), device.facts().architecture);
  for (const std::string& flag : flags_of(demand.flags))
    options.push_back(flag);
  std::string key = compiler.identity();
  for (const std::string& option : options)
    key += "\n" + option;
  const Made made = make(key + "\n" + name, [&](const std::string& folder) {
    return compile(compiler, folder, text, options, device.kind(), demand);
  });
  require_agreement(demand.source, made.trace);
  std::ifstream in(made.file, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(in), {});
  image = device.backend().load_image(bytes.data());
  return {image, made.origin};
}

Binding bind_image(Queue& queue, const void* call, const void* schedule, const Demand& demand) {
  const Device& device = queue.device();
  if (!compiles_images(device)) return {};
  try {
    const auto [image, origin] = load_image(device, demand, image_text(device.kind(), demand));
    if (!image) return {};
    return {demand.image->bind(queue, call, demand.image->call_bytes, schedule, image), origin};
  } catch (const Refused&) {
    return {};
  }
}

std::shared_ptr<KernelImage> DemandedImages::image_of(const std::type_info& body,
                                                      std::size_t bytes) {
  const std::string type = type_text(body);
  const auto [image, origin] =
      load_image(device_, demand_, body_text(device_.kind(), demand_, type));
  if (!image) throw Refused{};
  std::size_t there = 0;
  image->read_facts(&there, sizeof there);
  if (there != bytes) {
    if (has_compiler(device_.kind())) throw Refused{}; // which compiles both sides alike
    throw Failure(fmt::format("{} takes {} bytes on the GPU and {} here: its members are laid out "
                              "differently; take plain numbers and arrays",
                              type, there, bytes));
  }
  compiled_ = compiled_ || origin == Origin::compiled;
  return image;
}

} // namespace ridge::launch
