#include "../causes.hpp"

namespace ridge::doctor {

Cause remote_first_touch() {
  Cause c;
  c.name = "remote-first-touch";
  c.title = "most of the data lies on one of several memory nodes";
  c.unit = "times an equal share lies on the fullest node";
  c.threshold = 1.25;
  c.evidence = [](const Facts& f) -> std::optional<double> {
    if (f.device.is_gpu()) return {};
    return f.node_share;
  };
  c.healed = &with<&Facts::node_share, 1>;
  c.action = "let the threads that compute be the first to write the data, as ridge::Field does";
  c.background =
      "A page lies on the node of the thread that first wrote it. Data that one thread has filled "
      "lie on one node, and all others read them through it: its channels alone serve, and two "
      "nodes are as fast as one.";
  c.source = "Portability wiki: what CPUs need of data and loops; Linux, numa(7)";
  return c;
}

} // namespace ridge::doctor
