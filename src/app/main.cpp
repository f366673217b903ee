// The `ridge` command.
#include <ridge/core/error.hpp>

#include "commands.hpp"
#include "interrupt.hpp"

#include <fmt/core.h>

#include <cstdio>
#include <exception>
#include <new>

namespace {

int exit_with(ridge::ExitCode code) {
  return static_cast<int>(code);
}

int fail(ridge::ExitCode code, const char* what) {
  std::fflush(stdout);
  fmt::print(stderr, "ridge: {}\n", what);
  return exit_with(code);
}

} // namespace

int main(int argc, char** argv) {
  CLI::App app{"Performance-portable kernels on CPUs and GPUs, accounted against the roof"};
  app.name("ridge");
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string("ridge ") + RIDGE_VERSION);
  ridge::app::add_lab(app);
  ridge::app::add_bench(app);
  ridge::app::add_apply(app);
  ridge::app::add_devices(app);
  ridge::app::add_roof(app);

  try {
    ridge::app::catch_interrupts();
    app.parse(argc, argv);
  } catch (const CLI::Success& request) {
    return app.exit(request); // --help, --version
  } catch (const CLI::ParseError& error) {
    return fail(ridge::ExitCode::usage, (std::string(error.what()) + "; see --help").c_str());
  } catch (const ridge::app::Interrupted&) {
    return fail(ridge::ExitCode::failure, "interrupted");
  } catch (const ridge::Error& error) {
    return fail(error.code(), error.what());
  } catch (const std::bad_alloc&) {
    return fail(ridge::ExitCode::failure, "the host's memory is too small for this");
  } catch (const std::exception& error) {
    return fail(ridge::ExitCode::failure, error.what());
  }
  return exit_with(ridge::ExitCode::success);
}
