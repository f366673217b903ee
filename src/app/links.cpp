#include "links.hpp"

#include <ridge/comm/measure.hpp>
#include <ridge/lab/table.hpp>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace ridge::app {

void print_links(comm::Communicator& ranks, const Device& device, bool quick, bool json) {
  Queue queue(device);
  const auto links = comm::measure_links(ranks, queue, quick);
  if (json) {
    nlohmann::ordered_json all{{"device", to_text(device.id())},
                               {"device_name", device.facts().name},
                               {"ranks", ranks.ranks()},
                               {"library", ranks.implementation()},
                               {"links", nlohmann::ordered_json::array()}};
    for (const comm::Link& link : links) {
      nlohmann::ordered_json one{{"with_rank", link.rank},
                                 {"where", link.where},
                                 {"carrier", comm::to_text(link.carrier)},
                                 {"latency_seconds", link.latency.value},
                                 {"bytes_per_second", link.one_way},
                                 {"bytes_per_second_each_way", link.both_ways},
                                 {"exchanges", nlohmann::ordered_json::array()}};
      for (const auto& e : link.exchanges)
        one["exchanges"].push_back({{"bytes", e.size.value}, {"seconds", e.seconds.value}});
      all["links"].push_back(one);
    }
    fmt::print("{}\n", all.dump(2));
    return;
  }
  fmt::print("{} ranks on {} ({}) over {}\n", ranks.ranks(), to_text(device.id()),
             device.facts().name, ranks.implementation());
  lab::Table table({"rank 0 with", "by", "latency", "one way", "each way at once", "exchange of"});
  for (const comm::Link& link : links) {
    std::string exchanges;
    for (const auto& e : link.exchanges)
      exchanges += fmt::format("{}{} in {}", exchanges.empty() ? "" : ", ", to_text(e.size),
                               to_text(e.seconds));
    table.add({fmt::format("{} ({})", link.rank, link.where), comm::to_text(link.carrier),
               to_text(link.latency), quantity(link.one_way, "B/s"),
               quantity(link.both_ways, "B/s"), exchanges});
  }
  fmt::print("{}", table.text());
}

} // namespace ridge::app
