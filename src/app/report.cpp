#include <ridge/core/error.hpp>
#include <ridge/report/page.hpp>

#include "commands.hpp"
#include "output_file.hpp"

#include <fmt/core.h>

namespace ridge::app {

namespace {

struct ReportCommand {
  std::vector<std::string> inputs;
  std::string output;

  void run() const {
    require_writable(output);
    std::vector<report::Saved> files;
    std::size_t records = 0;
    for (const std::string& input : inputs) {
      std::error_code ignored;
      if (std::filesystem::equivalent(input, output, ignored)) {
        throw UsageError(fmt::format("{} is also an input; give --output another name", output));
      }
      files.push_back(report::read_saved(input));
      records += files.back().records.size();
    }
    write_text_file(output, report::page(files));
    if (!std::filesystem::is_regular_file(output)) return; // the page itself may be what is printed
    fmt::print("{}: {} {}\n", output, records, records == 1 ? "record" : "records");
  }
};

} // namespace

void add_report(CommandLine& line) {
  const Command command =
      line.add_command("report", "write one page to look at from files of records");
  auto o = std::make_shared<ReportCommand>();
  command
      .add("INPUT", &o->inputs,
           "files of records or of ceilings, as bench, lab and roof write with --json")
      .require_some();
  command.add("-o,--output", &o->output, "the HTML file to write").require();
  command.set_action([o] { o->run(); });
}

} // namespace ridge::app
