#include "spawn.hpp"

#include <ridge/core/error.hpp>
#include <ridge/core/units.hpp>
#include <ridge/launch/process.hpp>

#include "../interrupt.hpp"
#include "../interrupt_source.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <thread>

namespace ridge::app {

namespace {

/// Where our own input began, if it is a file: each run reads it from there. -1: it is none.
off_t input_begin() {
  static const off_t begin = [] {
    struct stat facts {};
    const bool is_file = fstat(STDIN_FILENO, &facts) == 0 && S_ISREG(facts.st_mode);
    return is_file ? lseek(STDIN_FILENO, 0, SEEK_CUR) : off_t{-1};
  }();
  return begin;
}

/// Opens the file of our input again, so that another run reads all of it; else nothing.
int input_again() {
  const int again = input_begin() < 0 ? -1 : open("/proc/self/fd/0", O_RDONLY);
  if (again >= 0) lseek(again, input_begin(), SEEK_SET);
  return again;
}

/// Tells `failed` the error where the program cannot be started.
[[noreturn]] void become(const std::string& file, const std::vector<char*>& arguments, Shown shown,
                         const Environment& more, int failed) {
  // Not SIGHUP, which nohup has ignored; exec undoes what is caught.
  for (const int caught : {SIGINT, SIGTERM, SIGPIPE, SIGXFSZ})
    std::signal(caught, SIG_DFL);
  if (shown == Shown::on_stderr) dup2(STDERR_FILENO, STDOUT_FILENO);
  if (shown == Shown::nowhere) {
    const int nothing = open("/dev/null", O_RDWR), input = input_again();
    dup2(input >= 0 ? input : nothing, STDIN_FILENO);
    for (const int stream : {STDOUT_FILENO, STDERR_FILENO})
      dup2(nothing, stream);
  }
  for (const auto& [name, value] : more)
    setenv(name.c_str(), value.c_str(), 1);
  execv(file.c_str(), arguments.data());
  const int error = errno;
  (void)!write(failed, &error, sizeof error);
  _exit(127);
}

/// Help for a word that a shell would take, but is no program: a pipeline, or a variable.
std::string_view help_for(const std::string& word) {
  if (word.find_first_of(" |;&<>$") != std::string::npos)
    return "; a shell takes what shells know: ridge doctor -- sh -c '...'";
  if (word.find('=') != std::string::npos)
    return "; env sets variables: ridge doctor -- env NAME=VALUE PROGRAM";
  return "; give its path, or one in PATH";
}

/// The path of a program. Throws UsageError that says what is wrong with it.
std::string program_file(const std::string& name) {
  std::string file = launch::find_program(name);
  std::error_code none;
  if (std::filesystem::is_directory(file, none))
    throw UsageError(fmt::format("{}: this is a folder; give a program", name));
  if (!file.empty()) return file;
  const bool is_there = name.find('/') != std::string::npos && access(name.c_str(), F_OK) == 0;
  throw UsageError(is_there ? fmt::format("{}: this file may not be run; chmod +x {}", name, name)
                            : fmt::format("{}: there is no such program{}",
                                          name.empty() ? "''" : name, help_for(name)));
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

} // namespace

Ended run_program(const std::vector<std::string>& words, Shown shown, const Environment& more) {
  using Clock = std::chrono::steady_clock;
  const std::string file = program_file(words.front());
  std::vector<char*> arguments;
  for (const std::string& word : words)
    arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  std::fflush(stdout);
  (void)input_begin(); // before a run moves it
  std::array<int, 2> pipe_of_error{};
  if (pipe2(pipe_of_error.data(), O_CLOEXEC) != 0)
    throw Failure(fmt::format("no pipe can be made: {}", std::strerror(errno)));
  const auto begin = Clock::now();
  const pid_t child = fork();
  if (child == 0) become(file, arguments, shown, more, pipe_of_error[1]);
  const int forked = errno;
  close(pipe_of_error[1]);
  int error = 0;
  const bool failed = child > 0 && read(pipe_of_error[0], &error, sizeof error) == sizeof error;
  close(pipe_of_error[0]);
  if (child < 0) throw Failure(fmt::format("no process can be started: {}", std::strerror(forked)));
  int status = 0;
  rusage used{};
  bool told = false;
  // Asked every millisecond: a wish to stop must reach the program.
  while (wait4(child, &status, WNOHANG, &used) == 0) {
    if (interrupt_seen() && !told) {
      if (!interrupt_by_terminal()) kill(child, interrupted_status() - 128);
      told = true; // and may end in its own way
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (failed)
    throw UsageError(
        fmt::format("{}: it cannot be started: {}{}", words.front(), std::strerror(error),
                    error == ENOENT    ? " (the interpreter that its first line names)"
                    : error == ENOEXEC ? " (a script that names none goes through one: -- sh FILE)"
                                       : ""));
  Ended ended;
  ended.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  ended.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  ended.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + ended.signal;
  ended.user = seconds_of(used.ru_utime);
  ended.system = seconds_of(used.ru_stime);
  ended.faults = static_cast<double>(used.ru_minflt + used.ru_majflt);
  ended.switches = static_cast<double>(used.ru_nvcsw + used.ru_nivcsw);
  ended.involuntary = static_cast<double>(used.ru_nivcsw);
  ended.most_bytes = 1024.0 * static_cast<double>(used.ru_maxrss);
  check_interrupt();
  return ended;
}

std::string note_of_another_run(const char* purpose, const Ended& ended, double own_cpu) {
  constexpr const char* why = "such a run has no terminal, and input only from a file (PROGRAM < "
                              "FILE)";
  if (ended.status != 0)
    return fmt::format("its run {} ended with {}: {}", purpose, to_text(ended), why);
  const double cpu = ended.user + ended.system;
  if (own_cpu < 0.1 || cpu > 0.5 * own_cpu) return {};
  return fmt::format(
      "its run {} used the cores for {}, its own run for {}: it had less to compile, "
      "or no input; {}",
      purpose, to_text(Seconds{cpu}), to_text(Seconds{own_cpu}), why);
}

std::string to_text(const Ended& ended) {
  if (ended.signal != 0)
    return fmt::format("signal {} ({})", ended.signal, strsignal(ended.signal));
  return fmt::format("exit code {}", ended.status);
}

} // namespace ridge::app
