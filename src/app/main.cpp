// The `ridge` command.
#include <ridge/comm/communicator.hpp>
#include <ridge/core/error.hpp>

#include "commands.hpp"
#include "compiling.hpp"
#include "foreign/command.hpp"
#include "interrupt.hpp"
#include "ranks.hpp"
#include "version.hpp"

#include <fmt/core.h>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include <cerrno>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <system_error>

namespace {

int exit_with(ridge::ExitCode code) {
  return static_cast<int>(code);
}

/// Says it on one line, whatever names the user's files have.
int fail(int status, std::string what) {
  std::fflush(stdout);
  for (char& c : what)
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) c = '?';
  return ridge::app::fail_on_ranks(status, what);
}
int fail(ridge::ExitCode code, const std::string& what) {
  return fail(exit_with(code), what);
}

/// Says nothing, as other commands whose reader wants no more; other ranks must hear of it.
int stop_at_closed_pipe() {
  if (ridge::comm::launched().ranks > 1)
    return fail(ridge::ExitCode::failure, "standard output was closed");
  return ridge::app::closed_pipe_status();
}

/// Keeps memory that was freed for what is allocated next. Copies of fields on the host come and go
/// by the column and snapshot, and each new page would be cleared once more. Fields on devices have
/// their own.
void keep_freed_memory() {
#if defined(__GLIBC__)
  (void)mallopt(M_MMAP_MAX, 0);
  (void)mallopt(M_TRIM_THRESHOLD, -1);
#endif
}

} // namespace

int main(int argc, char** argv) {
  keep_freed_memory();
  ridge::app::CommandLine line(
      "ridge", "Performance-portable kernels on CPUs and GPUs, accounted against the roof",
      ridge::app::ridge_version);
  ridge::app::add_lab(line);
  ridge::app::add_bench(line);
  ridge::app::add_schedules(line);
  ridge::app::add_model(line);
  ridge::app::add_tune(line);
  ridge::app::add_doctor(line, ridge::app::take_program(argc, argv));
  ridge::app::add_count(line);
  ridge::app::add_apply(line);
  ridge::app::add_evolve(line);
  ridge::app::add_solve(line);
  ridge::app::add_wings(line);
  ridge::app::add_devices(line);
  ridge::app::add_roof(line);
  ridge::app::add_report(line);
  ridge::app::add_compare(line);

  try {
    ridge::app::join_ranks(argc, argv);
    ridge::app::catch_interrupts();
    ridge::app::watch_compilers();
    ridge::app::require_marked_program(argc, argv);
    line.run(argc, argv);
  } catch (const ridge::app::Interrupted& interrupted) {
    return fail(ridge::app::interrupted_status(), interrupted.what);
  } catch (const ridge::Error& error) {
    return fail(error.code(), error.what());
  } catch (const std::system_error& error) {
    if (error.code() == std::errc::broken_pipe) return stop_at_closed_pipe();
    return fail(ridge::ExitCode::failure, error.what());
  } catch (const std::bad_alloc&) {
    return fail(ridge::ExitCode::failure, "the host's memory is too small for this");
  } catch (const std::exception& error) {
    return fail(ridge::ExitCode::failure, error.what());
  }
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    if (errno == EPIPE) return stop_at_closed_pipe();
    return fail(ridge::ExitCode::failure, "standard output cannot be written to");
  }
  return exit_with(ridge::ExitCode::success);
}
