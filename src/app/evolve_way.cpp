#include "evolve_way.hpp"

namespace ridge::app {

namespace {

std::vector<MakeEvolveWay>& announced_ways() {
  static std::vector<MakeEvolveWay> all;
  return all;
}

} // namespace

EvolveWayAnnounced::EvolveWayAnnounced(MakeEvolveWay make) {
  announced_ways().push_back(make);
}

std::vector<std::shared_ptr<EvolveWay>> evolve_ways() {
  std::vector<std::shared_ptr<EvolveWay>> all;
  for (const MakeEvolveWay make : announced_ways())
    all.push_back(make());
  return all;
}

} // namespace ridge::app
