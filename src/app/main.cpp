// The `ridge` command.
#include <ridge/core/error.hpp>

#include "commands.hpp"
#include "interrupt.hpp"

#include <fmt/core.h>

#include <cstdio>
#include <exception>
#include <new>
#include <string>

namespace {

int exit_with(ridge::ExitCode code) {
  return static_cast<int>(code);
}

/// Says it on one line, whatever names the user's files have.
int fail(ridge::ExitCode code, std::string what) {
  std::fflush(stdout);
  for (char& c : what) {
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) c = '?';
  }
  fmt::print(stderr, "ridge: {}\n", what);
  return exit_with(code);
}

/// "the commands are lab, bench, ...; see --help".
std::string commands_of(const CLI::App& app) {
  std::string names;
  for (const CLI::App* const command : app.get_subcommands({}))
    names += (names.empty() ? "" : ", ") + command->get_name();
  return fmt::format("the commands are {}; see --help", names);
}

} // namespace

int main(int argc, char** argv) {
  CLI::App app{"Performance-portable kernels on CPUs and GPUs, accounted against the roof"};
  app.name("ridge");
  app.set_version_flag("--version", std::string("ridge ") + RIDGE_VERSION);
  ridge::app::add_lab(app);
  ridge::app::add_bench(app);
  ridge::app::add_apply(app);
  ridge::app::add_nbody(app);
  ridge::app::add_atmosphere(app);
  ridge::app::add_devices(app);
  ridge::app::add_roof(app);
  ridge::app::add_model(app);

  try {
    ridge::app::catch_interrupts();
    app.parse(argc, argv);
    if (app.get_subcommands().empty()) throw ridge::UsageError(commands_of(app));
  } catch (const CLI::Success& request) {
    return app.exit(request); // --help, --version
  } catch (const CLI::ParseError& error) {
    const std::string right = app.get_subcommands().empty() ? commands_of(app) : "see --help";
    return fail(ridge::ExitCode::usage, fmt::format("{}; {}", error.what(), right));
  } catch (const ridge::app::Interrupted&) {
    return fail(ridge::ExitCode::failure, "interrupted");
  } catch (const ridge::Error& error) {
    return fail(error.code(), error.what());
  } catch (const std::bad_alloc&) {
    return fail(ridge::ExitCode::failure, "the host's memory is too small for this");
  } catch (const std::exception& error) {
    return fail(ridge::ExitCode::failure, error.what());
  }
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    return fail(ridge::ExitCode::failure, "standard output cannot be written to");
  }
  return exit_with(ridge::ExitCode::success);
}
