#include "image.hpp"

#include <ridge/core/error.hpp>
#include <ridge/device/backend.hpp>
#include <ridge/device/library.hpp>

#include "compilers.hpp"
#include "included.hpp"
#include "make.hpp"
#include "nvrtc.hpp"
#include "report.hpp"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <mutex>
#include <unordered_map>

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

/// NVRTC does not take the text, and nvcc may.
struct Refused {};

/// Compiles the text to an image in `folder`.
Product compile(const Nvrtc& nvrtc, const std::string& folder, const std::string& text,
                const std::vector<std::string>& options, const Demand& demand) {
  const std::string source = folder + "/kernel.cu"; // not written: NVRTC has it in memory
  const Nvrtc::Compiled compiled = nvrtc.compile(text, source, options);
  if (!compiled.done) {
    if (has_nvcc()) throw Refused{};
    if (compiled.report.find("libnvrtc-builtins") != std::string::npos) {
      throw Failure(
          "NVRTC lacks a part of itself, libnvrtc-builtins; install the whole of it, such "
          "as by `pip install nvidia-cuda-nvrtc`, or nvcc");
    }
    refuse({1, compiled.report}, "NVRTC", demand.source, source);
  }
  Product product{folder + "/kernel.cubin", included_files(demand.source, demand.flags)};
  write_source(product.object, compiled.image);
  return product;
}

} // namespace

std::string image_text(const Demand& d) {
  return fmt::format("{}#include <ridge/device/gpu/entry.hpp>\n#include <{}>\n#include \"{}\"\n"
                     "namespace {{ using Body = {}; }}\n"
                     "extern \"C\" __global__ RIDGE_LAUNCH_BOUNDS(Body) void ridge_entry(\n"
                     "    const RIDGE_GRID_CONSTANT Body body) {{ ridge::gpu::run_body(body); }}\n"
                     "extern \"C\" __device__ const auto ridge_facts = Body::facts();\n",
                     d.definitions, d.image->header, d.source, d.image->body);
}

std::vector<std::string> image_options(const std::string& architecture) {
  const std::string headers = headers_folder();
  return {"-std=c++20",
          "-arch=" + architecture,
          "-default-device",
          "-DRIDGE_TARGET_CUDA",
          "-I" + headers + "/ridge/device/rtc",
          "-I" + headers};
}

bool compiles_images() {
  return Nvrtc::here() != nullptr;
}

Binding bind_image(Queue& queue, const void* call, const void* schedule, const Demand& demand) {
  const Device& device = queue.device();
  const std::string text = image_text(demand);
  const std::string name = fmt::format("{} {}\n{}{}", to_text(device.id()), demand.flags, text,
                                       content_of(demand.source));
  Images& all = images();
  const std::lock_guard lock(all.guard);
  std::shared_ptr<KernelImage>& image = all.loaded[name];
  Origin origin = Origin::cached;
  if (!image) {
    require_permission(to_text(device.id()));
    const Nvrtc* const nvrtc = Nvrtc::here();
    if (nvrtc == nullptr) return {};
    std::vector<std::string> options = image_options(device.facts().architecture);
    for (const std::string& flag : words_of(demand.flags))
      options.push_back(flag);
    std::string key = nvrtc->identity();
    for (const std::string& option : options)
      key += "\n" + option;
    try {
      const Made made = make(key + "\n" + name, [&](const std::string& folder) {
        return compile(*nvrtc, folder, text, options, demand);
      });
      std::ifstream in(made.file, std::ios::binary);
      const std::string bytes(std::istreambuf_iterator<char>(in), {});
      image = device.backend().load_image(bytes.data());
      origin = made.origin;
    } catch (const Refused&) {
      return {};
    }
    if (!image) return {};
  }
  return {demand.image->bind(queue, call, demand.image->call_bytes, schedule, image), origin};
}

} // namespace ridge::launch
