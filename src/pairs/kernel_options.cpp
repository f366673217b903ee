#include <ridge/core/error.hpp>
#include <ridge/pattern/kernel_option.hpp>
#include <ridge/pattern/pattern_row.hpp>

#include "../core/refuse.hpp"

namespace ridge::pairs {

namespace {

constexpr unsigned bench_and_doctor = KernelOption::bench | KernelOption::doctor;
constexpr const char* near_alone = "--skin, --density and --box go with --cutoff";
constexpr const char* far_alone =
    "--degree goes with --theta or --error of an interaction: of its proxies";

void check_options(const OptionValues& given) {
  const bool near = given.has("cutoff"), theta = given.has("theta"), error = given.has("error");
  if (!near && (given.has("skin") || given.has("density") || given.has("box")))
    throw UsageError(near_alone);
  const std::string box = given.get("box", "open");
  refuse_if(box != "periodic" && box != "open", "--box {}: periodic or open", box);
  const double density = given.get("density", 1.0);
  refuse_if(!(density > 0 && density < 1e30), "--density {:g}: it must be positive", density);
  if (theta && error) throw UsageError("--theta and --error: give one of them");
  refuse_if(near && (theta || error), "{} is for one rank and goes without --cutoff",
            theta ? "--theta" : "--error");
  if (given.has("degree") && !theta && !error) throw UsageError(far_alone);
}

} // namespace

const PatternAnnounced pairs_row({"pairs", 3, true});
const PatternAnnounced tree_row({"tree", 4});

const KernelOptionsOf kernel_options(
    "pairs",
    {{"--cutoff", std::optional<double>(),
      "interactions: only of pairs nearer than that, by lists; see docs/near_pairs.md",
      bench_and_doctor, "--cutoff is for interactions; {} is not one"},
     {"--skin", std::optional<double>(),
      "with --cutoff: lists hold pairs that are so much farther apart; 0.12 of it if not given",
      bench_and_doctor, near_alone},
     {"--density", std::optional<double>(),
      "with --cutoff: bodies in a unit of volume; 0.8442 if not given", bench_and_doctor,
      near_alone},
     {"--box", std::optional<std::string>(), "with --cutoff: periodic (if not given) or open",
      bench_and_doctor, near_alone},
     {"--theta", std::optional<double>(),
      "interactions: far bodies by proxies, where their box is no wider than that, 0 to 1",
      KernelOption::bench, "--theta is for interactions and trees; {} is none"},
     {"--error", std::optional<double>(),
      "interactions, in place of --theta: the rms error, which chooses theta and degree, checked "
      "on a sample against all pairs",
      KernelOption::bench, "--error is for interactions and trees; {} is none"},
     {"--degree", std::optional<int>(),
      "with --theta of an interaction: of the polynomials of proxies, 1 to 8; 4 if not given, or "
      "what --error chooses",
      KernelOption::bench, far_alone}},
    check_options);

const KernelOptionsOf tree_options(
    "tree",
    {{"--theta", std::optional<double>(),
      "gravity, by a tree: how wide a node may look; 0.5 if not given", bench_and_doctor},
     {"--error", std::optional<double>(),
      "gravity, by a tree, in place of --theta: the rms error, which chooses theta and order",
      KernelOption::bench},
     {"--order", std::optional<int>(),
      "of gravity-tree: of the moments of nodes, 1 to 5; 2 if not given, or what --error chooses",
      KernelOption::bench, "--order is for gravity-tree; {} is none"}},
    check_options);

} // namespace ridge::pairs
