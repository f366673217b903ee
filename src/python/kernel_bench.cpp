// Kernels of Python that are measured, tuned and examined.
#include <ridge/core/error.hpp>
#include <ridge/lab/bench_case.hpp>
#include <ridge/lab/saved_output.hpp>
#include <ridge/lab/tune_case.hpp>
#include <ridge/lab/tuned_text.hpp>
#include <ridge/lab/visit.hpp>

#include "interrupt.hpp"
#include "kernel.hpp"
#include "offered.hpp"
#include "others_may_run.hpp"

#include <nanobind/stl/string.h>

#include <exception>
#include <memory>
#include <vector>

namespace nb = nanobind;

namespace ridge::python {

template <class Work>
void Kernel::on_bench(const Call& call, const std::string& schedule, const Work& work) {
  const OthersMayRun others_may_run;
  Turn& turn = queue_of(call.arrays.device, call.arrays.stream);
  const std::lock_guard in_turn(turn.guard);
  const Unforkable unforkable;
  naming_source(file_, [&] {
    const auto described = describe(call, turn);
    lab::Case& the_case = *described;
    const Array& out = call.arrays.all.back();
    lab::BenchRequest request{turn.queue.device(),
                              Extents(out.extents.data(), out.rank),
                              !call.arrays.storage.empty() ? call.arrays.storage
                              : out.element_bytes == 4     ? "fp32"
                                                           : "fp64",
                              schedule,
                              {}};
    request.wisdom = true;
    request.measure.between = check_interrupt;
    lab::AskedSchedule last;
    {
      std::vector<std::unique_ptr<lab::SavedOutput>> as_they_were;
      for (std::size_t i = call.arrays.all.size() - outputs_; i < call.arrays.all.size(); ++i)
        as_they_were.push_back(std::make_unique<lab::SavedOutput>(turn.queue, call.arrays.all[i]));
      last = work(Bench{the_case, request, turn});
    }
    the_case.bind(last).run();
    turn.queue.wait();
  });
}

std::string Kernel::measure(nb::tuple arrays, nb::tuple numbers, const std::string& schedule,
                            nb::object device, Measured options) {
  const Call call = ask(std::move(arrays), std::move(numbers), std::move(device));
  std::vector<Record> records;
  on_bench(call, schedule, [&](const Bench& b) {
    b.request.measure.repeats = options.repeats;
    lab::bench_case(b.the_case, b.request, b.turn.roof, [&](const Record& record) {
      records.push_back(record);
      if (!options.check) records.back().check.reset();
    });
    return lab::AskedSchedule{records.back().schedule_name, records.back().schedule};
  });
  return to_json(records, -1);
}

std::string Kernel::tune(nb::tuple arrays, nb::tuple numbers, nb::object device, double seconds,
                         int most, nb::object progress) {
  const Call call = ask(std::move(arrays), std::move(numbers), std::move(device));
  std::string found;
  std::exception_ptr interrupted;
  on_bench(call, "auto", [&](const Bench& b) {
    tune::SearchOptions options;
    options.budget = seconds;
    options.most = most;
    options.between = check_interrupt;
    if (!progress.is_none()) {
      options.progress = [&](const std::string& doing) {
        const nb::gil_scoped_acquire interpreter;
        progress(doing);
      };
    }
    const tune::Tuned tuned = lab::tune_case(b.the_case, options);
    interrupted = tuned.found.stopped_by; // between schedules, or while one was compiled
    found = lab::tuned_json(tuned, tune::key_of(b.request.device, b.the_case.subject()));
    if (!tuned.not_kept.empty()) throw Failure(tuned.not_kept);
    return lab::AskedSchedule{"", tuned.found.best.schedule};
  });
  decltype(Found::repeatable) former; // destroyed after the lock
  {
    const std::lock_guard lock(moments());
    found_.get().programs.clear(); // `auto` means another schedule now
    found_.get().meant.clear();
    std::swap(found_.get().repeatable, former);
    found_.get().next = 0;
  }
  if (interrupted) std::rethrow_exception(interrupted);
  return found;
}

std::string Kernel::doctor(nb::tuple arrays, nb::tuple numbers, const std::string& schedule,
                           nb::object device, bool prove) {
  const Call call = ask(std::move(arrays), std::move(numbers), std::move(device));
  std::string text;
  on_bench(call, schedule, [&](const Bench& b) {
    const Device& here = b.request.device;
    ridge::Place place{here, model::description_of(here.facts(), here.kind())};
    lab::RoofSource roof(here, true);
    lab::measure_ceilings(place, roof, check_interrupt);
    const auto menu = b.the_case.menu_at(place);
    const auto meant = lab::schedules_by_wisdom(b.the_case, schedule);
    if (meant.size() != 1) throw UsageError("the doctor examines one schedule at a time");
    const NamedText now = menu->parse(meant[0].text);
    lab::Visit visit{name_,
                     to_text(here.id()),
                     place.described->name,
                     b.request.size,
                     b.request.precision,
                     now,
                     {},
                     {},
                     {}};
    b.request.schedule = now.text;
    b.request.measure.repeats = 5;
    lab::run_visit(visit, b.the_case, b.request, roof);
    visit.findings = doctor::diagnose(*menu, now.text, &*visit.record);
    if (prove) lab::prove_visit(visit, b.the_case, check_interrupt);
    text = lab::record_text(visit);
    return now;
  });
  return text;
}

} // namespace ridge::python
