#include <ridge/core/error.hpp>
#include <ridge/lab/built_in.hpp>
#include <ridge/lab/kernels/chain_systems.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace ridge::lab {

namespace {

using Describe = BuiltIn (*)();

std::vector<Describe>& announced() {
  static std::vector<Describe> all;
  return all;
}

const BuiltIn& all_headers() {
  static const BuiltIn all = [] {
    BuiltIn sum;
    for (const Describe describe : announced()) {
      BuiltIn one = describe();
      std::move(one.stencils.begin(), one.stencils.end(), std::back_inserter(sum.stencils));
      std::move(one.evolving.begin(), one.evolving.end(), std::back_inserter(sum.evolving));
      std::move(one.others.begin(), one.others.end(), std::back_inserter(sum.others));
      std::move(one.systems.begin(), one.systems.end(), std::back_inserter(sum.systems));
    }
    return sum;
  }();
  return all;
}

} // namespace

AnnouncedKernels::AnnouncedKernels(BuiltIn (*describe)()) {
  announced().push_back(describe);
}

const std::vector<BuiltInStencil>& built_in_stencils() {
  return all_headers().stencils;
}

const std::vector<EvolvingKernel>& evolving_kernels() {
  return all_headers().evolving;
}

const std::vector<std::shared_ptr<const EvolvingSystem>>& evolving_systems() {
  return all_headers().systems;
}

const EvolvingSystem* find_evolving_system(std::string_view name) {
  for (const auto& known : evolving_systems()) {
    if (known->name == name) return known.get();
  }
  return nullptr;
}

bool is_stencil(std::string_view kernel) {
  const auto named = [&](const auto& all, const auto& name) {
    return std::any_of(all.begin(), all.end(), [&](const auto& k) { return name(k) == kernel; });
  };
  return named(built_in_stencils(), [](const BuiltInStencil& k) { return k.bench.name; }) ||
         named(evolving_kernels(), [](const EvolvingKernel& k) { return k.name; });
}

stencil::Traits stencil_traits(std::string_view kernel, std::string_view precision, int rank) {
  std::string names;
  for (const BuiltInStencil& known : built_in_stencils()) {
    if (known.bench.name == kernel) return known.traits(precision, rank);
    names += (names.empty() ? "" : ", ") + known.bench.name;
  }
  for (const EvolvingKernel& known : evolving_kernels()) {
    if (known.name == kernel) return known.traits(precision, rank);
    names += fmt::format(", {}", known.name);
  }
  const BenchKernel& other = find_bench_kernel(kernel); // throws for what is no kernel at all
  throw UsageError(fmt::format("the model knows stencils: {}; {} is of the pattern {}", names,
                               kernel, other.pattern));
}

const BuiltInStencil& find_one_input_stencil(std::string_view kernel) {
  std::string names;
  for (const BuiltInStencil& known : built_in_stencils()) {
    if (known.job == nullptr) continue;
    if (known.bench.name == kernel) return known;
    names += (names.empty() ? "" : ", ") + known.bench.name;
  }
  throw UsageError(fmt::format("unknown kernel '{}'; apply takes one input, and its kernels are {}",
                               kernel, names));
}

void add_stencil_kernels(std::vector<BenchKernel>& kernels) {
  for (const BuiltInStencil& known : built_in_stencils())
    kernels.push_back(known.bench);
  for (const EvolvingKernel& known : evolving_kernels()) {
    if (known.bench) kernels.push_back(*known.bench);
  }
}

void add_built_in(std::vector<BenchKernel>& kernels, std::string_view pattern) {
  for (const BenchKernel& known : all_headers().others) {
    if (known.pattern == pattern) kernels.push_back(known);
  }
}

} // namespace ridge::lab
