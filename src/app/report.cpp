#include <ridge/report/page.hpp>

#include "../io/output_file.hpp"
#include "commands.hpp"

#include <fmt/core.h>

namespace ridge::app {

namespace {

struct ReportCommand {
  std::vector<std::string> inputs;
  std::string output;
  bool overwrite = false;

  void run() const {
    io::OutputPlan plan(overwrite);
    for (const std::string& input : inputs)
      plan.reads(input, "an input");
    plan.writes_at_once(output, "the page");
    plan.claim();
    std::vector<report::Saved> files;
    std::size_t records = 0;
    for (const std::string& input : inputs) {
      files.push_back(report::read_saved(input));
      records += files.back().records.size();
    }
    io::write_text_file(plan, output, report::page(files));
    if (io::is_stream(output)) return; // the page itself may be what is printed
    fmt::print("{}: {} {}\n", output, records, records == 1 ? "record" : "records");
  }
};

} // namespace

void add_report(CommandLine& line) {
  const Command command =
      line.add_command("report", "write one page to look at from files of records");
  auto o = std::make_shared<ReportCommand>();
  command.add({
      {"INPUT", &o->inputs,
       "files of records or of ceilings, as bench, lab and roof write with --json", Rule::some},
      required("-o,--output", &o->output, "the HTML file to write"),
      {"--overwrite", &o->overwrite, "replace the HTML file when it exists"},
  });
  command.set_action([o] { o->run(); });
}

} // namespace ridge::app
