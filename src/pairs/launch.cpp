#include <ridge/pairs/launch.hpp>

#include "../core/refuse.hpp"

#include <fmt/format.h>

namespace ridge::pairs {

namespace {

void check_one_size(const std::vector<Index>& sizes, const char* what) {
  for (std::size_t c = 0; c < sizes.size(); ++c) {
    refuse_if(sizes[c] != sizes[0],
              "component {} of the {} has {} values, component 0 has {}; they must be as many", c,
              what, sizes[c], sizes[0]);
  }
  refuse_if(sizes.empty() || sizes[0] < 1, "there are no {}", what);
}

} // namespace

void detail::check_sizes(const std::vector<Index>& targets, const std::vector<Index>& sources,
                         const std::vector<Index>& sums, bool skip_self) {
  check_one_size(targets, "targets");
  check_one_size(sources, "sources");
  check_one_size(sums, "sums");
  refuse_if(sums[0] != targets[0], "{} sums for {} targets; each target has one", sums[0],
            targets[0]);
  refuse_if(skip_self && targets[0] > sources[0],
            "{} targets and {} sources cannot be the same bodies", targets[0], sources[0]);
}

void detail::check_memory(const std::vector<launch::Operand>& targets,
                          const std::vector<launch::Operand>& sources,
                          const std::vector<launch::Operand>& sums) {
  std::vector<launch::Operand> all = targets;
  all.insert(all.end(), sources.begin(), sources.end());
  all.insert(all.end(), sums.begin(), sums.end());
  launch::check_operands(all, [&](std::size_t i) {
    if (i < targets.size()) return fmt::format("component {} of the targets", i);
    i -= targets.size();
    if (i < sources.size()) return fmt::format("component {} of the sources", i);
    return fmt::format("sum {}", i - sources.size());
  });
}

Record record_of(const Device& device, const Traits& traits, const Bodies& bodies,
                 const Schedule& schedule, std::string_view kernel) {
  Record record;
  record.pattern = "pairs";
  record.kernel = kernel;
  record.device = device.id();
  record.device_name = device.facts().name;
  record.precision = traits.precision;
  record.size = bodies.targets == bodies.sources ? Extents{bodies.targets}
                                                 : Extents{bodies.targets, bodies.sources};
  record.schedule = to_text(schedule);
  record.work = work_of(traits, bodies);
  return record;
}

} // namespace ridge::pairs
