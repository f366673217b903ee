// Schedules of lattices: their names and their text.
#include <ridge/lattice/schedule.hpp>

#include <gtest/gtest.h>

namespace ridge::lattice {
namespace {

const SiteShape shape = shape_of<ColourVector<double>>();
const Lattice lattice{{8, 8, 8}};
const Geometry geometry = lattice.geometry(shape.number_bytes());

std::vector<Task> tasks() {
  std::vector<Task> all{Task::map};
  for (const Task::Kind kind : {Task::reduce_tensor, Task::reduce_number, Task::expression}) {
    for (const bool reproducible : {false, true}) {
      for (const bool slices : {false, true})
        all.emplace_back(kind, reproducible, slices);
    }
  }
  return all;
}

TEST(LatticeSchedules, OfNamesAndDefaultsAreReadAsTheyArePrinted) {
  for (const char* id : {"cpu", "simt:32", "simt:64"}) {
    const Device device(id);
    for (const Task& task : tasks()) {
      std::vector<NamedSchedule> all = named_schedules(device, task, geometry);
      all.push_back({"auto", default_schedule(device, task, shape, geometry)});
      for (const NamedSchedule& named : all) {
        const auto read = [&](const std::string& text) {
          return parse_schedule(text, device, task, shape, geometry).schedule;
        };
        EXPECT_EQ(read(named.name), named.schedule) << id << " " << named.name;
        EXPECT_EQ(read(to_text(named.schedule)), named.schedule) << id << " " << named.name;
      }
    }
  }
}

TEST(LatticeSchedules, WithANameMayHaveTheirFieldsChanged) {
  for (const char* id : {"simt:32", "simt:64"}) {
    const Device device(id);
    for (const Task& task : tasks()) {
      for (const NamedSchedule& named : named_schedules(device, task, geometry)) {
        auto expected = std::get<GpuSchedule>(named.schedule);
        expected.store = Store::nontemporal;
        const std::string text = named.name + " store=nontemporal";
        EXPECT_EQ(parse_schedule(text, device, task, shape, geometry).schedule, Schedule(expected))
            << id << " " << text;
      }
    }
  }
}

} // namespace
} // namespace ridge::lattice
