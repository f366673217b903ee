#include <ridge/core/error.hpp>
#include <ridge/lab/kernels/stencil_evolving.hpp>

#include "../core/refuse.hpp"
#include "commands.hpp"
#include "evolve_run.hpp"
#include "evolve_setup.hpp"
#include "evolve_way.hpp"
#include "implicit_steps.hpp"

#include <fmt/core.h>

#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

namespace ridge::app {

namespace {

void refuse_implicit(const EvolveOptions& o) {
  if (o.implicit.empty() && !o.tolerance && !o.reproducible) return;
  throw UsageError("--implicit, --tol and --reproducible are for heat and diffusion");
}

void add_implicit(const Command& command, EvolveOptions& o) {
  command.add("--implicit", &o.implicit,
              "backward-euler or crank-nicolson: steps of heat or diffusion of any --dt, each "
              "solved by multigrid");
  command.add(
      "--tol", &o.tolerance,
      "of an implicit step's residual over its right-hand side; 1e-10 if not given, 1e-5 of fp32");
  command.add(
      "--reproducible", &o.reproducible,
      "the bits of implicit steps do not depend on the number of ranks: no Fourier transforms");
}

/// Takes the dataset's name off "FILE.h5:/path".
void split_output(EvolveOptions& o) {
  std::error_code none;
  const std::filesystem::path whole(o.output);
  if (o.output.find(":/") == std::string::npos ||
      std::filesystem::is_directory(whole.parent_path(), none))
    return;
  const DatasetName name = parse_dataset_name(o.output, "-o");
  refuse_if(name.path.empty(),
            "-o {} names no dataset; the form is FILE.h5 or FILE.h5:/path, such as out.h5:/u",
            o.output);
  o.output = name.file.string();
  o.field = name.path.substr(1);
}

using Ways = std::vector<std::shared_ptr<EvolveWay>>;

std::string footer(const Ways& ways) {
  std::string lines = "built-in kernels:\n";
  for (const lab::EvolvingKernel& k : lab::evolving_kernels())
    lines += fmt::format("  {:<10} {}\n", k.name, k.meaning);
  for (const auto& way : ways)
    lines += way->footer();
  return lines + "\nCtrl-C writes a last snapshot to go on from. See docs/sweeps.md.\n";
}

void evolve(const EvolveOptions& o, const Ways& ways) {
  for (const auto& way : ways) {
    if (const auto run = way->find(o)) {
      refuse_implicit(o);
      refuse_if(
          !o.field.empty(),
          "-o {0}:/{1}: snapshots of a system have its arrays by their own names; give -o {0}",
          o.output, o.field);
      return run();
    }
  }
  for (const auto& way : ways)
    way->refuse_options();
  comm::Communicator& ranks = comm::world();
  evolve_stencil(o, make_setup(o, ranks), ranks);
}

} // namespace

void add_evolve(CommandLine& line) {
  const Command command = line.add_command(
      "evolve", "a field or a system of fields of yours over time, with boundaries and snapshots");
  auto o = std::make_shared<EvolveOptions>();
  const Ways ways = evolve_ways();
  command.add("KERNEL", &o->kernel, "a built-in kernel, or FILE.hpp:Name of your own");
  command.add("INPUT", &o->input,
              "FILE.h5:/path: the start, an HDF5 dataset of 1 to 3 dimensions, fp32 or fp64; of a "
              "system FILE.h5 or FILE.h5:/group with datasets of its arrays' names");
  command.add("-o,--output", &o->output,
              "FILE.h5: leads to the snapshots, FILE.STEP.h5, with FILE.xdmf beside it for "
              "ParaView; FILE.h5:/path names the field in them, which else has INPUT's name");
  command.add("--steps", &o->steps, "steps to take; 1000 if not given");
  command.add("--dt", &o->dt,
              "time of a step, or auto: 0.9 of the largest stable one; auto if not given");
  if (has_implicit_steps()) add_implicit(command, *o);
  command.add("--boundary", &o->boundary,
              "such as x=periodic,y=dirichlet:0,z-=neumann:1,z+=mirror, or "
              "dirichlet:FILE.h5:/path; faces that are not named stay untouched");
  command.add("--every", &o->every, "steps between snapshots; a tenth of --steps if not given");
  command.add("--spacing", &o->spacing, "between points: XxYxZ, x first, or one number for all");
  command.add("--diffusivity", &o->diffusivity, "of heat; 1 if not given");
  command.add("--speed", &o->speed, "of waves; 1 if not given");
  command.add("--before", &o->before,
              "FILE.h5:/path: waves one step before the start; at rest if not given");
  command.add("--coefficient", &o->coefficients,
              "FILE.h5:/path: a coefficient field; may be repeated");
  command.add("--absorb", &o->absorb, "faces that absorb waves: a list such as x,y-, or all");
  command.add("--absorb-width", &o->absorb_width, "points of an absorbing layer; 20 if not given");
  command.add(
      "--set", &o->settings,
      "MEMBER=NUMBER of a kernel in a file or of a system, such as rate=0.1; may be repeated");
  for (const auto& way : ways)
    way->add_to(command);
  command.add("--store-as", &o->store_as,
              "fp16 or bf16: fields in 16 bits on the device, arithmetic in fp32; files stay fp32. "
              "FIELD=fp16,...: these, by their datasets' names; coefficients not named stay fp32");
  command.add("--restart", &o->restart,
              "FILE.h5: go on from the last snapshot of this run, bit by bit");
  command.add("--picture", &o->picture, "PNG of the plane in the middle of z at the end")
      .require_png();
  command.add_device(&o->device);
  command.add("--schedule", &o->schedule, "auto, a name, or fields such as 'rows=16 store=plain'");
  command.add(
      "--ranks", &o->ranks,
      "PxQxR: the ranks that mpirun started as a grid; the one that sends least if not given");
  command.add("--overwrite", &o->overwrite, "replace output files and snapshots that exist");
  command.add("--json", &o->json, "print an array with the record of a step");
  command.set_footer(footer(ways));
  command.set_action(
      [o, ways] {
        split_output(*o);
        evolve(*o, ways);
      },
      Ranks::several);
}

} // namespace ridge::app
