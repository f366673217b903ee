// What a solve leaves.
#include <ridge/solve/solver.hpp>

namespace ridge::solve {

Record record_of(const Solved& solved, const Device& device, const std::string& kernel,
                 const std::string& precision, const Extents& size, Index items) {
  Record record;
  record.pattern = "solve";
  record.kernel = kernel;
  record.device = device.id();
  record.device_name = device.facts().name;
  record.precision = precision;
  record.size = size;
  record.schedule = "default";
  record.work.read = Bytes{static_cast<std::int64_t>(solved.bytes)};
  record.work.flops = solved.flops;
  record.work.items = items * solved.iterations;
  record.work.convention = "bytes: least ones of all launches, read and written together; flops: "
                           "of the operator";
  record.timing = Timing{solved.seconds, solved.seconds, solved.seconds, 1};
  if (solved.seconds.value > 0)
    record.achieved = Achievement{solved.bytes / solved.seconds.value, "B/s", 0, ""};
  record.check = Check{solved.converged, solved.residual, "true residual", ""};
  record.details.push_back({"iterations", static_cast<double>(solved.iterations), ""});
  record.details.push_back({"updates", static_cast<double>(solved.updates), ""});
  record.details.push_back({"residual", solved.residual, ""});
  return record;
}

} // namespace ridge::solve
