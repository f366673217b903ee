// Programs, tuning and wisdom.
#include <ridge/lab/saved_output.hpp>
#include <ridge/lab/tune_case.hpp>
#include <ridge/lab/tuned_text.hpp>
#include <ridge/record/measure.hpp>
#include <ridge/tune/wisdom.hpp>

#include "handles.hpp"
#include "naming.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ridge::c {

namespace {

/// Of a call's arguments, checked.
Bound bound_to(ridge_queue queue, ridge_kernel kernel, const ridge_field* fields, size_t count) {
  Bound made{find<QueueObject>(queue), find<KernelObject>(kernel), {}, {}, nullptr};
  made.fields = fields_of(*made.on, fields, count);
  for (const auto& field : made.fields)
    made.arrays.push_back(field->array);
  return made;
}

/// The kernel on the fields; the turn on the queue is the caller's.
void make_case(Bound& bound) {
  const KernelObject& k = *bound.kernel;
  bound.the_case = naming(k.shown, [&] {
    return lab::case_on_arrays(
        k.kernel, bound.on->queue, bound.on->roof,
        {k.kernel.name, bound.arrays, {}, lab::ShapeOrder::x_first, k.spacing});
  });
}

/// Calls `work` and then `launch`, which finds the output as it was before.
template <class Work, class Launch>
void then_launch(const Bound& bound, const Work& work, const Launch& launch) {
  {
    std::optional<lab::SavedOutput> as_it_was;
    if (const lab::Array* const out = bound.output()) as_it_was.emplace(bound.on->queue, *out);
    work();
  }
  launch();
  bound.on->queue.wait();
}

Record record_of(const ProgramObject& p) {
  Record record = p.program->record();
  record.schedule_name = p.schedule.name;
  if (p.timing) record.timing = *p.timing;
  return record;
}

} // namespace

const lab::Array* Bound::output() const {
  const std::size_t named = kernel->kernel.on_arrays.names.size();
  return kernel->kernel.on_arrays.inputs < named ? &arrays.back() : nullptr;
}

extern "C" {

int ridge_program_bind(ridge_queue queue, ridge_kernel kernel, const ridge_field* fields,
                       size_t count, const char* schedule, ridge_program* program) {
  return call("ridge_program_bind", [&] {
    auto made = std::make_shared<ProgramObject>();
    made->bound = bound_to(queue, kernel, fields, count);
    require(static_cast<const void*>(program), "program");
    const OnQueue turn(*made->bound.on, "program");
    const lab::Unforkable unforkable;
    make_case(made->bound);
    naming(made->bound.kernel->shown, [&] {
      lab::Case& c = *made->bound.the_case;
      const auto meant = lab::schedules_by_wisdom(c, schedule == nullptr ? "auto" : schedule);
      if (meant.size() != 1)
        throw UsageError("a program has one schedule; ridge_schedules lists those of 'all'");
      made->schedule = meant[0];
      made->program.emplace(c.bind(meant[0]));
    });
    *program = add(std::move(made));
  });
}

int ridge_program_run(ridge_program program) {
  return call("ridge_program_run", [&] {
    const auto p = find<ProgramObject>(program);
    const OnQueue turn(*p->bound.on, "program");
    p->program->run();
  });
}

int ridge_program_schedule(ridge_program program, char* text, size_t size, size_t* length) {
  return call("ridge_program_schedule", [&] {
    TextOut{text, size, length}.give(find<ProgramObject>(program)->schedule.text);
  });
}

int ridge_program_record(ridge_program program, char* text, size_t size, size_t* length) {
  return call("ridge_program_record", [&] {
    const auto p = find<ProgramObject>(program);
    const OnQueue turn(*p->bound.on, "program");
    TextOut{text, size, length}.give(to_json(record_of(*p)));
  });
}

int ridge_program_measure(ridge_program program, int repeat) {
  return call("ridge_program_measure", [&] {
    const auto p = find<ProgramObject>(program);
    if (repeat < 1) throw UsageError(fmt::format("repeat={}; at least 1 is right", repeat));
    const OnQueue turn(*p->bound.on, "program");
    const lab::Unforkable unforkable;
    MeasureOptions options;
    options.repeats = repeat;
    p->timing = measure(
        p->bound.on->queue, [&] { p->program->run(); }, options);
  });
}

int ridge_program_check(ridge_program program) {
  return call("ridge_program_check", [&] {
    const auto p = find<ProgramObject>(program);
    const OnQueue turn(*p->bound.on, "program");
    const lab::Unforkable unforkable;
    Check check;
    then_launch(
        p->bound,
        [&] {
          p->bound.the_case->poison();
          p->program->run();
          check = p->bound.the_case->check();
        },
        [&] { p->program->run(); });
    if (!check.ok) {
      throw Refused(RIDGE_CHECK_FAILED, fmt::format("{} differs from the reference: {}",
                                                    p->bound.kernel->kernel.name, check.message));
    }
  });
}

int ridge_program_results(ridge_program program, double* results, size_t size, size_t* count) {
  return call("ridge_program_results", [&] {
    const auto p = find<ProgramObject>(program);
    if (size > 0) require(results, "results");
    const OnQueue turn(*p->bound.on, "program");
    const std::vector<double> all = p->bound.the_case->results();
    if (count != nullptr) *count = all.size();
    std::copy_n(all.begin(), std::min(size, all.size()), results);
  });
}

int ridge_program_free(ridge_program program) {
  if (program == nullptr) return RIDGE_OK;
  return call("ridge_program_free", [&] {
    const auto p = take<ProgramObject>(program);
    const TurnToFree turn(*p->bound.on);
  });
}

int ridge_schedules(ridge_queue queue, ridge_kernel kernel, const ridge_field* fields, size_t count,
                    const char* which, char* text, size_t size, size_t* length) {
  return call("ridge_schedules", [&] {
    Bound bound = bound_to(queue, kernel, fields, count);
    require(which, "which");
    const OnQueue turn(*bound.on, "call");
    const lab::Unforkable unforkable;
    make_case(bound);
    std::string all;
    for (const lab::AskedSchedule& s : bound.the_case->menu().asked(which))
      all += s.text + "\n";
    TextOut{text, size, length}.give(all);
  });
}

int ridge_tune(ridge_queue queue, ridge_kernel kernel, const ridge_field* fields, size_t count,
               double seconds, char* text, size_t size, size_t* length) {
  return call("ridge_tune", [&] {
    Bound bound = bound_to(queue, kernel, fields, count);
    if (!(seconds > 0) || !std::isfinite(seconds))
      throw UsageError(fmt::format("seconds={}; a positive number is right", seconds));
    const OnQueue turn(*bound.on, "call");
    const lab::Unforkable unforkable;
    make_case(bound);
    tune::SearchOptions options;
    options.budget = seconds;
    lab::AskedSchedule best;
    std::string found;
    naming(bound.kernel->shown, [&] {
      then_launch(
          bound,
          [&] {
            const tune::Tuned tuned = lab::tune_case(*bound.the_case, options);
            found = lab::tuned_json(
                tuned, tune::key_of(bound.on->queue.device(), bound.the_case->subject()));
            if (!tuned.not_kept.empty()) throw Failure(tuned.not_kept);
            best = {"", tuned.found.best.schedule};
          },
          [&] { bound.the_case->bind(best).run(); });
    });
    TextOut{text, size, length}.give(found);
  });
}

int ridge_wisdom_file(char* text, size_t size, size_t* length) {
  return call("ridge_wisdom_file", [&] {
    TextOut{text, size, length}.give(tune::Wisdom::here().file());
  });
}

} // extern "C"

} // namespace ridge::c
