#include <ridge/core/random.hpp>
#include <ridge/gradient/found.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace ridge::gradient {

bool FoundReads::linear() const {
  return std::all_of(inputs.begin(), inputs.end(), [](const auto& reads) { return reads.empty(); });
}

double sample_of(const Read& r) {
  const std::int64_t place =
      r.x + 1000 * (r.y + std::int64_t{1000} * r.z) + (std::int64_t{1} << 40);
  return 1 + 0.5 * random_value(static_cast<std::uint64_t>(r.array) + 1, place);
}

FoundReads found_reads(const Trace::Needed& needed, int inputs) {
  FoundReads found;
  found.inputs.resize(static_cast<std::size_t>(inputs));
  for (const Read& r : needed.reads) {
    auto& list =
        r.array == inputs ? found.cotangent : found.inputs[static_cast<std::size_t>(r.array)];
    list.push_back({r.x, r.y, r.z});
  }
  found.flops = needed.flops;
  return found;
}

namespace {

std::string footprint_text(const std::vector<Offset>& offsets) {
  std::string all;
  for (const Offset& o : offsets)
    all += fmt::format("{}{{{}, {}, {}}}", all.empty() ? "" : ", ", o.x, o.y, o.z);
  return fmt::format("ridge::stencil::Footprint<{}>{}", offsets.size(),
                     all.empty() ? "{}" : "{{{" + all + "}}}");
}

} // namespace

ReadsText reads_text(const std::vector<FoundReads>& found) {
  std::vector<std::string> bodies;
  for (const FoundReads& one : found) {
    std::string inputs;
    for (const auto& offsets : one.inputs)
      inputs += (inputs.empty() ? "" : ", ") + footprint_text(offsets);
    bodies.push_back(fmt::format("  static constexpr auto inputs = std::make_tuple({});\n"
                                 "  static constexpr auto cotangent = {};\n"
                                 "  static constexpr double flops = {};\n"
                                 "  static constexpr bool linear = {};\n",
                                 inputs, footprint_text(one.cotangent), one.flops, one.linear()));
  }
  std::string all;
  for (const std::string& body : bodies)
    all += body;
  ReadsText made{fmt::format("Reads{:016x}", std::hash<std::string>{}(all)), {}};
  for (std::size_t i = 0; i < bodies.size(); ++i)
    made.text += fmt::format("struct {}_{} {{\n{}}};\n", made.name, i, bodies[i]);
  made.text = "namespace ridge::gradient::found {\n" + made.text + "} // namespace\n";
  return made;
}

} // namespace ridge::gradient
