#include "prelude.hpp"

#include <ridge/core/error.hpp>
#include <ridge/device/library.hpp>
#include <ridge/launch/process.hpp>

#include "make.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace ridge::launch {

namespace {

/// Compiles the header in `folder`. Throws Failure when it cannot be.
Product compile(const Compiler& compiler, const std::string& text, const std::string& folder) {
  const std::string header = folder + "/prelude.hpp";
  write_source(header, text);
  Product product{header + ".gch", {}};
  std::vector<std::string> command = compiler.command;
  command.push_back("-I" + headers_folder());
  // Without -c, words for the linker among the compiler's options make g++ link nothing to an
  // object, and write that over the header.
  command.insert(command.end(), {"-c", "-x", "c++-header", header, "-o", product.object});
  const Finished finished = run_command(command, folder);
  if (finished.status != 0) throw Failure("the headers cannot be compiled: " + finished.report);
  return product;
}

} // namespace

std::vector<std::string> prelude_options(const Compiler& compiler, const std::string& name,
                                         const std::string& folder) {
  if (!compiler.takes_prelude || name.empty()) return {};
  const std::string text = fmt::format("#include <{}>\n", name);
  try {
    const Made made = make(fmt::format("{}\nprelude\n{}", compiler.identity, text),
                           [&](const std::string& shop) { return compile(compiler, text, shop); });
    write_source(folder + "/prelude.hpp", text); // which counts where the compiled one does not fit
    std::filesystem::create_symlink(made.file, folder + "/prelude.hpp.gch");
  } catch (const Failure&) {
    return {}; // it compiles without, only longer
  } catch (const std::filesystem::filesystem_error&) {
    return {};
  }
  return {"-include", "prelude.hpp"};
}

} // namespace ridge::launch
