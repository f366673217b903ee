#include <ridge/comm/communicator.hpp>
#include <ridge/core/error.hpp>
#include <ridge/device/library.hpp>

#include "cores.hpp"
#include "transport.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>

namespace ridge::comm {

namespace {

namespace fs = std::filesystem;

fs::path module_file() {
  return fs::path(library_folder()) / "ridge" / "ridge_mpi.so";
}

int number(const char* variable, int otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::atoi(text);
}

/// What tells a launcher: the variables with the number of ranks and the rank.
struct Launcher {
  const char *ranks, *rank, *name;
};
constexpr Launcher launchers[] = {
    {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "mpirun of Open MPI"},
    {"PMI_SIZE", "PMI_RANK", "mpirun of MPICH"},
    {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID", "srun"},
};

std::unique_ptr<Communicator> open_mpi(const Launched& by) {
  const std::string file = module_file().string();
  // Open MPI loads parts of itself later, which look for its symbols.
  void* const module = dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (module == nullptr)
    throw Failure("the module for MPI cannot be loaded: " + std::string(dlerror()));
  auto* const open = reinterpret_cast<OpenWorld*>(dlsym(module, open_world_name));
  if (open == nullptr) throw Failure(file + " is no module for MPI of this version");
  std::unique_ptr<Communicator> world(open());
  if (world->ranks() != by.ranks) {
    throw Failure(by.by + " started " + std::to_string(by.ranks) + " ranks, and " +
                  world->implementation() + ", which this was built with, sees " +
                  std::to_string(world->ranks()) +
                  "; start it with the mpirun of that library, or build with the other one");
  }
  share_cores(*world);
  return world;
}

} // namespace

Launched launched() {
  for (const Launcher& l : launchers) {
    const int ranks = number(l.ranks, 0);
    // A step of Slurm that asked for no MPI has one task; a shell in a job is no rank at all.
    if (ranks > 0 && std::getenv(l.rank) != nullptr) return {number(l.rank, 0), ranks, l.name};
  }
  return {};
}

bool has_mpi() {
  std::error_code ignored;
  return fs::exists(module_file(), ignored);
}

Communicator& world() {
  static const std::unique_ptr<Communicator> all = [] {
    const Launched by = launched();
    return by.ranks > 1 && has_mpi() ? open_mpi(by) : alone();
  }();
  return *all;
}

} // namespace ridge::comm
