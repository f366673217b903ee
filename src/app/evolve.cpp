#include <ridge/core/error.hpp>
#include <ridge/lab/kernels/chain_systems.hpp>
#include <ridge/lab/kernels/stencil_evolving.hpp>

#include "commands.hpp"
#include "evolve_run.hpp"
#include "evolve_setup.hpp"
#include "evolve_system.hpp"
#include "implicit_steps.hpp"

#include <fmt/core.h>

#include <memory>
#include <string>

namespace ridge::app {

namespace {

void refuse_probes(const EvolveOptions& o) {
  if (o.source.empty() && o.wavelet.empty() && o.receivers.empty() && o.gather.empty() &&
      o.shown.empty() && o.by_step.empty() && o.gradients.empty() && o.observed.empty() &&
      o.memory.empty() && o.absorb_as.empty() && !o.check)
    return;
  throw UsageError(
      "--by-step, --source, --wavelet, --receivers, --gather, --show, --gradient, --observed, "
      "--memory, --absorb-as and --check are for systems (docs/systems.md), not for stencils");
}

void refuse_implicit(const EvolveOptions& o) {
  if (o.implicit.empty() && !o.tolerance && !o.reproducible) return;
  throw UsageError("--implicit, --tol and --reproducible are for heat and diffusion");
}

void add_implicit(const Command& command, EvolveOptions& o) {
  command.add(
      "--implicit", &o.implicit,
      "backward-euler or crank-nicolson: steps of heat or diffusion of any --dt, each solved "
      "by multigrid");
  command.add("--tol", &o.tolerance,
              "of an implicit step's residual over its right-hand side; 1e-10 if not given, 1e-5 "
              "of fp32");
  command.add(
      "--reproducible", &o.reproducible,
      "the bits of implicit steps do not depend on the number of ranks: no Fourier transforms");
}

std::string footer() {
  std::string lines = "built-in kernels:\n";
  for (const lab::EvolvingKernel& k : lab::evolving_kernels())
    lines += fmt::format("  {:<10} {}\n", k.name, k.meaning);
  lines += "\nbuilt-in systems (docs/systems.md):\n";
  for (const auto& k : lab::evolving_systems()) {
    lines += fmt::format("  {:<14} {}\n", k->name, k->meaning);
    for (const chain::SystemNumber& one : k->make({}, false).numbers)
      lines += fmt::format("  {:<14}   --set {}={:g}: {}\n", "", one.name, one.value, one.meaning);
  }
  return lines + "\nCtrl-C writes a last snapshot to go on from. See docs/sweeps.md.\n";
}

} // namespace

void add_evolve(CommandLine& line) {
  const Command command = line.add_command(
      "evolve", "a field or a system of fields of yours over time, with boundaries and snapshots");
  auto o = std::make_shared<EvolveOptions>();
  command.add("KERNEL", &o->kernel, "a built-in kernel, or FILE.hpp:Name of your own");
  command.add(
      "INPUT", &o->input,
      "FILE.h5:/path: the start, an HDF5 dataset of 1 to 3 dimensions, fp32 or fp64; of a system "
      "FILE.h5 or FILE.h5:/group with datasets of its arrays' names");
  command.add(
      "-o,--output", &o->output,
      "FILE.h5: leads to the snapshots, FILE.STEP.h5, with FILE.xdmf beside it for ParaView");
  command.add("--steps", &o->steps, "steps to take; 1000 if not given");
  command.add("--dt", &o->dt,
              "time of a step, or auto: 0.9 of the largest stable one; auto if not given");
  if (has_implicit_steps()) add_implicit(command, *o);
  command.add(
      "--boundary", &o->boundary,
      "such as x=periodic,y=dirichlet:0,z-=neumann:1,z+=mirror, or dirichlet:FILE.h5:/path; "
      "faces that are not named stay untouched");
  command.add("--every", &o->every, "steps between snapshots; a tenth of --steps if not given");
  command.add("--spacing", &o->spacing, "between points: XxYxZ, x first, or one number for all");
  command.add("--diffusivity", &o->diffusivity, "of heat; 1 if not given");
  command.add("--speed", &o->speed, "of waves; 1 if not given");
  command.add("--before", &o->before,
              "FILE.h5:/path: waves one step before the start; at rest if not given");
  command.add("--coefficient", &o->coefficients,
              "FILE.h5:/path: a coefficient field; may be repeated");
  command.add("--absorb", &o->absorb, "faces that absorb waves: a list such as x,y-, or all");
  command.add(
      "--absorb-as", &o->absorb_as,
      "friction, or cpml:FREQUENCY for systems of waves: layers that send less back; friction "
      "if not given");
  command.add("--absorb-width", &o->absorb_width, "points of an absorbing layer; 20 if not given");
  command.add(
      "--set", &o->settings,
      "MEMBER=NUMBER of a kernel in a file or of a system, such as rate=0.1; may be repeated");
  command.add("--by-step", &o->by_step,
              "NUMBER=FILE: a number of a system with a value for each step, one a line; the last "
              "one after their end; may be repeated");
  command.add("--source", &o->source,
              "FILE.csv: places at which systems are excited, and perhaps arrays and amplitudes");
  command.add("--wavelet", &o->wavelet,
              "ricker:FREQUENCY, or a file of numbers, one a step: what sources add");
  command.add("--receivers", &o->receivers,
              "FILE.csv: places whose traces go to FILE.traces.h5 beside the output");
  command.add("--forces", &o->forces,
              "forces on the bodies of a fluid after each step, in FILE.traces.h5");
  command.add("--gather", &o->gather, "PNG of all traces beside each other").require_png();
  command.add("--gradient", &o->gradients,
              "FILE.h5:/NAME: the derivative of half the squares by which traces differ from "
              "--observed, by the array NAME of the medium or the start; may be repeated");
  command.add("--observed", &o->observed,
              "FILE.h5 or FILE.h5:/path: traces, a row a receiver, for --gradient");
  command.add("--memory", &o->memory,
              "such as 4GB: what --gradient takes of the device; half of what is free if not "
              "given");
  command.add("--check", &o->check,
              "prove the adjoint of --gradient on this run: dot products, and differences of the "
              "loss");
  command.add("--show", &o->shown, "the field of a system that --picture shows");
  command.add("--store-as", &o->store_as,
              "fp16 or bf16: fields in 16 bits on the device, arithmetic in fp32; files stay fp32. "
              "FIELD=fp16,...: these, by their datasets' names; coefficients not named stay fp32");
  command.add("--restart", &o->restart,
              "FILE.h5: go on from the last snapshot of this run, bit by bit");
  command.add("--picture", &o->picture, "PNG of the plane in the middle of z at the end")
      .require_png();
  command.add_device(&o->device);
  command.add("--schedule", &o->schedule, "auto, a name, or fields such as 'rows=16 store=plain'");
  command.add("--ranks", &o->ranks,
              "PxQxR: the ranks that mpirun started as a grid; the one that sends least if not "
              "given");
  command.add("--overwrite", &o->overwrite, "replace output files and snapshots that exist");
  command.add("--json", &o->json, "print an array with the record of a step");
  command.set_footer(footer());
  command.set_action(
      [o] {
        if (const auto system = find_system(*o)) {
          refuse_implicit(*o);
          return evolve_system(*o, *system);
        }
        refuse_probes(*o);
        comm::Communicator& ranks = comm::world();
        evolve_stencil(*o, make_setup(*o, ranks), ranks);
      },
      Ranks::several);
}

} // namespace ridge::app
