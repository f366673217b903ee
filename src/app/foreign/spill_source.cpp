#include "spill_source.hpp"

#include <ridge/doctor/foreign/cause.hpp>
#include <ridge/doctor/foreign/kept.hpp>

#include "../interrupt.hpp"
#include "files.hpp"

#include <algorithm>

namespace ridge::app {

namespace {

namespace fs = std::filesystem;

std::string tool(const char* variable, const char* name) {
  const char* const home = std::getenv("CUDA_HOME");
  return profiler(
      variable, {name, fmt::format("{}/bin/{}", home != nullptr ? home : "/usr/local/cuda", name)});
}

bool spills(const doctor::Foreign& all, const doctor::ForeignAsked& asked) {
  for (const doctor::ForeignKernel* const k : chosen(all, asked)) {
    for (const doctor::ForeignDiagnosis& d : diagnose_kernel(all, *k, asked.bytes))
      if (d.cause->name == "spilled-registers") return true;
  }
  return false;
}

/// Spills of all kernels that the file has machine code of; nothing where it has none.
doctor::SpillLines lines_in(const std::string& file, const std::string& cuobjdump,
                            const std::string& nvdisasm) {
  const Scratch folder;
  (void)launch::run_command({cuobjdump, "-xelf", "all", file}, folder.file(), check_interrupt);
  doctor::SpillLines all;
  constexpr std::uintmax_t most_bytes = std::uintmax_t{64} << 20; // a library's takes minutes
  for (const auto& entry : fs::directory_iterator(folder.file())) {
    if (entry.file_size() > most_bytes) continue;
    const std::string text = launch::run_command({nvdisasm, "-g", "-c", entry.path().string()},
                                                 folder.file(), check_interrupt)
                                 .report;
    all.merge(doctor::read_disassembly(text)); // of several architectures one will do
  }
  return all;
}

} // namespace

void find_spill_lines(const Profiled& program, const doctor::ForeignAsked& asked,
                      doctor::Foreign& all) {
  if (!spills(all, asked)) return;
  const std::string cuobjdump = tool("RIDGE_CUOBJDUMP", "cuobjdump");
  const std::string nvdisasm = tool("RIDGE_NVDISASM", "nvdisasm");
  if (cuobjdump.empty() || nvdisasm.empty()) {
    all.run.notes.emplace_back(
        "the lines that spill are not known: cuobjdump and nvdisasm of the CUDA toolkit are not "
        "both here (pip install nvidia-cuda-cuobjdump nvidia-cuda-nvdisasm)");
    return;
  }
  const auto lines = lines_in(fs::absolute(launch::find_program(program.words.front())).string(),
                              cuobjdump, nvdisasm);
  doctor::add_spill_lines(all, lines);
  keep_text(program.keep, to_text(lines), "spills.tsv");
}

} // namespace ridge::app
