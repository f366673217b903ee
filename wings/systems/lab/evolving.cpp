// Built-in systems by name.
#include <ridge/lab/built_in.hpp>
#include <ridge/lab/kernels/chain_systems.hpp>

#include <utility>

namespace ridge::lab {

namespace {

std::vector<std::shared_ptr<const EvolvingSystem>>& described() {
  static std::vector<std::shared_ptr<const EvolvingSystem>> all;
  return all;
}

} // namespace

void add_evolving_system(EvolvingSystem system) {
  described().push_back(std::make_shared<const EvolvingSystem>(std::move(system)));
}

const std::vector<std::shared_ptr<const EvolvingSystem>>& evolving_systems() {
  (void)names_evolving_otherwise(); // describes all headers
  return described();
}

const EvolvingSystem* find_evolving_system(std::string_view name) {
  for (const auto& known : evolving_systems()) {
    if (known->name == name) return known.get();
  }
  return nullptr;
}

} // namespace ridge::lab
