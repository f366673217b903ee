// The cpu and the emulated GPU: the C++ compiler of the host.
#include "kinds.hpp"

#include <fstream>

namespace ridge::launch {

namespace {

/// What the processor offers, as the system lists it: -march=native means it.
std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  std::string line;
  std::string found;
  while (std::getline(info, line) && !line.empty()) {
    if (line.starts_with("flags") || line.starts_with("model") || line.starts_with("vendor"))
      found += line + "\n";
  }
  return found;
}

Compiler for_cpu(const Device& device) {
  const std::string cxx = host_compiler(to_text(device.id()));
  Compiler c{{cxx, "-std=c++20", "-O3", "-march=native", "-ffp-contract=fast", "-fno-math-errno",
              "-fno-trapping-math", "-DRIDGE_TARGET_CPU", "-fPIC", "-shared"},
             identity_of(cxx) + "\n" + processor(),
             ".cpp"};
  if (!is_clang(cxx)) c.command.emplace_back("-mprefer-vector-width=512");
  c.gnu = !is_clang(cxx);
  c.takes_prelude = c.gnu;
  c.takes_text = true;
  c.host = cxx;
  return c;
}

Compiler for_simt(const Device& device) {
  const std::string cxx = host_compiler(to_text(device.id()));
  Compiler c{{cxx, "-std=c++20", "-O1", "-DRIDGE_TARGET_SIMT", "-fPIC", "-shared"},
             identity_of(cxx),
             ".cpp"};
  c.gnu = !is_clang(cxx);
  c.takes_prelude = c.gnu;
  c.usual_seconds = 5;
  c.takes_text = true;
  c.host = cxx;
  return c;
}

bool has_host() {
  return !find_host_compiler().empty();
}

} // namespace

constinit const Toolchain toolchains::cpu{
    .definition = "-DRIDGE_TARGET_CPU",
    .compiler = for_cpu,
    .has_compiler = has_host,
};

constinit const Toolchain toolchains::simt{
    .definition = "-DRIDGE_TARGET_SIMT",
    .compiler = for_simt,
    .has_compiler = has_host,
};

} // namespace ridge::launch
