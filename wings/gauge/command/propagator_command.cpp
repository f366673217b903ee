// Propagators of any operator, and the pion's correlator.
#include "propagator_command.hpp"

#include <ridge/comm/carrier.hpp>
#include <ridge/core/error.hpp>
#include <ridge/device/cpu/parallel.hpp>
#include <ridge/record/roof.hpp>

#include "../src/singular_mode.hpp"
#include "app/compiling.hpp"
#include "app/interrupt.hpp"
#include "app/number_list.hpp"
#include "app/picture.hpp"
#include "app/progress.hpp"
#include "core/refuse.hpp"
#include "gauge_input.hpp"
#include "io/output_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <future>
#include <optional>
#include <string_view>

namespace ridge::app {

namespace {

/// "X,Y,Z,T" of "point:X,Y,Z,T"; the origin of "point".
std::vector<Index> parse_source(const std::string& text, const Extents& extents) {
  if (text == "point") return {0, 0, 0, 0};
  std::vector<Index> at;
  if (text.starts_with("point:")) at = numbers_of<Index>(std::string_view(text).substr(6));
  bool inside = at.size() == 4;
  for (std::size_t d = 0; inside && d < 4; ++d)
    inside = at[d] >= 0 && at[d] < extents[static_cast<int>(d)];
  refuse_if(!inside, "--source {}: expected point, or point:X,Y,Z,T within {}", text,
            to_text(extents));
  return at;
}

/// Adds to `sum` what passes until its end, but for compilations.
class Passing {
public:
  explicit Passing(Seconds& sum) : sum_(sum) {}
  Passing(const Passing&) = delete;
  Passing& operator=(const Passing&) = delete;
  ~Passing() {
    const std::chrono::duration<double> passed = Clock::now() - begin_;
    sum_.value += std::max(0.0, passed.count() - (compiled_for().value - compiled_.value));
  }

private:
  using Clock = std::chrono::steady_clock;
  Seconds& sum_;
  Clock::time_point begin_ = Clock::now();
  Seconds compiled_ = compiled_for();
};

/// A line a time: from the source, C(t), and the effective mass log C(t) / C(t + 1) where both are
/// positive.
std::string correlator_table(const std::vector<double>& values, const std::string& name) {
  std::string lines = fmt::format("{:>5} {:>18} {:>12}\n", "t", name, "log ratio");
  for (std::size_t t = 0; t < values.size(); ++t) {
    const double next = t + 1 < values.size() ? values[t + 1] : 0;
    const bool positive = values[t] > 0 && next > 0;
    lines += fmt::format("{:>5} {:>18.10e} {:>12}\n", t, values[t],
                         positive ? fmt::format("{:.6f}", std::log(values[t] / next)) : "");
  }
  return lines;
}

/// Bars of the logarithm, the lowest and the highest value at the edges.
void draw_correlator(const io::OutputPlan& plan, const std::string& file,
                     const std::vector<double>& values) {
  constexpr Index column = 8, gap = 2, height = 160;
  const auto count = static_cast<Index>(values.size());
  const double most = *std::max_element(values.begin(), values.end());
  double least = most;
  for (const double v : values)
    if (v > 0) least = std::min(least, v);
  const double span = most > least ? std::log(most / least) : 1;
  std::vector<double> pixels(static_cast<std::size_t>(count * column * height), 0);
  for (Index t = 0; t < count; ++t) {
    const double v = values[static_cast<std::size_t>(t)];
    const double part = v > 0 ? 0.05 + 0.9 * std::log(v / least) / span : 0;
    for (Index z = 0; z < static_cast<Index>(part * height); ++z) {
      for (Index x = gap; x < column; ++x)
        pixels[static_cast<std::size_t>(z * count * column + t * column + x)] = 1;
    }
  }
  write_picture(plan, file, pixels, count * column, height, 0.6);
}

/// Columns of zeros, whose memory several threads touch first.
std::vector<io::Column> zeros(std::size_t count, std::size_t volume) {
  std::vector<io::Column> all(count);
  cpu::run(cpu::default_threads(), [&](int thread, int threads) {
    const auto mine = cpu::share_of(static_cast<Index>(count), thread, threads);
    for (Index i = mine.begin; i < mine.end; ++i)
      all[static_cast<std::size_t>(i)].assign(volume, {});
  });
  return all;
}

/// What is said of a column beside its numbers.
std::string ended_text(const solve::Solved& solved) {
  std::string text = solved.in_double ? "  went on in fp64" : "";
  if (solved.converged) return text;
  text += "  not converged";
  if (solved.rounding) text += ": rounding";
  if (solved.broken) text += ": broken down";
  return text;
}

} // namespace

void PropagatorCommand::add_options(const Command& command) {
  command.add({
      required("INPUT", &input, "the configuration: NERSC, ILDG (LIME) or HDF5"),
      required("-o,--output", &output, "FILE.h5: the propagator"),
      {"--source", &source, "point (if not given), or point:X,Y,Z,T"},
      {"--boundary", &boundary, "of fermions in time: antiperiodic (if not given) or periodic"},
      {"--tol", &tolerance, "|b - D x| / |b|; 1e-10 if not given"},
      {"--iterations", &iterations, "most of a column; 10000 if not given"},
      {"--reproducible", &reproducible,
       "sums with the same bits for any number of ranks, and so the same solution"},
      {"--size", &size, "NXxNYxNZxNT that the configuration must have"},
      {"--picture", &picture, "PNG of the pion's correlator, bars of its logarithm", Rule::png},
      device_row(&device),
      configuration_row(&configuration),
      {"--accept", &accept, "go on though checks of the configuration fail"},
      {"--overwrite", &overwrite, "replace an output that exists"},
      {"--json", &json, "print an array with the record"},
      {"--no-roof", &no_roof, "measure no ceiling for it"},
  });
  if (spins() == 4) hadrons_.add_options(command);
}

Extents PropagatorCommand::stored_grid(const Extents& extents) const {
  return stored_ranks(ranks(), extents, grid);
}

std::vector<double> PropagatorCommand::parse_shifts(const std::string& text) {
  if (text.empty()) return {};
  std::vector<double> all = numbers_of<double>(text);
  const bool sound = !all.empty() && std::all_of(all.begin(), all.end(), [](double shift) {
    return shift >= 0 && std::isfinite(shift);
  });
  refuse_if(!sound, "--shifts {}: expected numbers of at least 0, such as 0.01,0.1", text);
  return all;
}

void PropagatorCommand::run() {
  (void)is_first("--boundary", boundary, "antiperiodic", "periodic");
  check();
  hadrons_.check(!shifts().empty());
  refuse_if(!(tolerance > 0 && tolerance < 1), "--tol {}: expected a number between 0 and 1",
            tolerance);
  refuse_if(iterations < 1, "--iterations {}: expected at least 1", iterations);
  io::OutputPlan plan(overwrite);
  plan.reads(input, "the configuration");
  if (!from.empty()) plan.reads(from, "the start");
  const bool writes = ranks().rank() == 0; // it alone
  if (writes) plan.writes(output, "the output");
  if (writes && !picture.empty()) plan.writes_at_once(picture, "the picture");
  plan.claim();
  // A GPU starts while the configuration is read.
  auto started = std::async(ranks().ranks() == 1 ? std::launch::async : std::launch::deferred,
                            [this] { return Queue(comm::device_of_rank(ranks(), device)); });
  const io::GaugeFile read = [&] {
    const Passing reading(reading_);
    return read_configuration(input, size, accept, configuration);
  }();
  const Extents& extents = read.configuration.extents;
  const std::vector<Index> at = parse_source(source, extents);
  std::optional<io::PropagatorReader> start;
  if (!from.empty()) start.emplace(from, extents);
  std::optional<Passing> passing(all_but_reading_);
  std::optional<Passing> step(starting_);
  Queue queue = started.get();
  step.emplace(building_);
  const auto solver = make(queue, extents, read.configuration.links);
  hadrons_.prepare(queue, extents, read.configuration.links);
  step.reset();
  std::optional<io::OutputFile> file;
  std::optional<io::PropagatorWriter> writer;
  if (writes) {
    file.emplace(plan, output);
    file->require_room(static_cast<std::uintmax_t>(extents.count()) * 144 * 16 *
                       std::max<std::size_t>(1, shifts().size()));
    writer.emplace(file->path(), extents, std::max(1, static_cast<int>(shifts().size())), spins());
  }
  links_ = &read.configuration.links;
  columns(queue, *solver, extents, at, start ? &*start : nullptr, writer ? &*writer : nullptr);
  facts_.numbers = numbers();
  const auto smeared = hadrons_.numbers();
  facts_.numbers.insert(facts_.numbers.end(), smeared.begin(), smeared.end());
  {
    const Passing correlating(correlating_);
    hadrons_.contract(at[3], boundary == "antiperiodic");
  }
  facts_.correlators = hadrons_.correlators();
  facts_.shifts = shifts();
  facts_.tolerance = tolerance;
  facts_.source = at;
  facts_.configuration = input;
  if (configuration > 0) facts_.configuration += fmt::format(", configuration {}", configuration);
  facts_.boundary = boundary;
  if (writes) {
    const Passing writing(writing_);
    writer->finish(facts_);
    file->commit();
  }
  passing.reset();
  end(plan, queue, extents, at[3]);
}

void PropagatorCommand::columns(Queue& queue, ColumnSolver& solver, const Extents& extents,
                                const std::vector<Index>& at, io::PropagatorReader* start,
                                io::PropagatorWriter* writer) {
  correlator_.assign(static_cast<std::size_t>(extents[3]), 0);
  const auto place = static_cast<std::size_t>(
      at[0] + extents[0] * (at[1] + extents[1] * (at[2] + extents[2] * at[3])));
  const auto volume = static_cast<std::size_t>(extents.count());
  if (!shifts().empty()) {
    shifted_columns(solver, volume, place, writer);
    queue.wait();
    return;
  }
  Progress line;
  if (!json) fmt::print("{:>6} {:>10} {:>12} {:>10}\n", "column", "iterations", "residual", "time");
  std::fflush(stdout);
  const int together = solver.together();
  const auto n = static_cast<std::size_t>(together);
  std::vector<io::Column> b = zeros(n, volume), x = zeros(n, volume);
  std::future<std::vector<io::Column>> next;
  std::future<void> written;
  for (int first = 0; first < 3 * spins(); first += together) {
    for (std::size_t i = 0; i < n; ++i) {
      const int c = first + static_cast<int>(i);
      component(b[i][place], c) = {1, 0};
      if (spins() == 4) hadrons_.smear_source(b[i]);
      if (start == nullptr) continue;
      if (written.valid()) written.get(); // HDF5 takes one thread at a time
      x[i] = start->read(c);
    }
    const bool goes_on = first + together < 3 * spins();
    if (goes_on && start == nullptr && writer != nullptr)
      next = std::async(std::launch::async, [&] { return std::vector(n, io::Column(volume)); });
    std::vector<solve::Solved> solved(n);
    if (!interrupt_seen_by(ranks())) {
      const Passing calling(calling_);
      solved = solver.solve_all(x, b, column_options(line, first, together));
    } else {
      for (std::size_t i = 0; i < n; ++i)
        solved[i].residual = solver.residual(x[i], b[i]);
    }
    line.clear();
    for (std::size_t i = 0; i < n; ++i) {
      const int c = first + static_cast<int>(i);
      add(solved[i]);
      const bool failed = !solved[i].converged && !solved[i].stopped && solved[i].iterations > 0;
      if (failed && why_.empty() && writer != nullptr) look_why(line, extents, x[i], b[i]);
      if (goes_on && hadrons_.smears_source()) b[i].assign(volume, {});
      component(b[i][place], c) = {0, 0};
      if (!json) {
        fmt::print("{:>6} {:>10} {:>12.2e} {:>10}{}\n", c, solved[i].iterations, solved[i].residual,
                   to_text(solved[i].seconds), ended_text(solved[i]));
        std::fflush(stdout);
      }
      if (writer != nullptr) finish(c, std::move(x[i]), solver, *writer, written);
    }
    if (next.valid()) {
      x = next.get();
    } else if (goes_on && start == nullptr) {
      for (io::Column& one : x)
        one.assign(volume, {});
    }
  }
  const Passing writing(writing_);
  if (written.valid()) written.get();
  queue.wait();
}

/// The file is written to while the next column is solved, by one thread at a time.
void PropagatorCommand::finish(int column, io::Column x, ColumnSolver& solver,
                               io::PropagatorWriter& writer, std::future<void>& written) {
  auto kept = std::make_shared<io::Column>(std::move(x));
  {
    const Passing writing(writing_);
    if (written.valid()) written.get();
    written =
        std::async(std::launch::async, [&writer, column, kept] { writer.write(column, *kept); });
    if (hadrons_.smears_sink()) written.get(); // the file has it without
  }
  const Passing correlating(correlating_);
  if (spins() == 4) hadrons_.smear_sink(*kept);
  add_slices(*kept);
  if (spins() == 4) hadrons_.take(column, std::move(kept), solver.midpoint());
}

solve::Options PropagatorCommand::column_options(Progress& line, int column, int together) const {
  solve::Options options{.tolerance = tolerance, .most_iterations = iterations};
  options.reproducible = reproducible;
  if (ranks().ranks() > 1 || reproducible)
    options.check_every = 10; // each time all ranks ask each other
  const std::string which = together == 1
                                ? fmt::format("column {}", column + 1)
                                : fmt::format("columns {} to {}", column + 1, column + together);
  options.go_on = [this, &line, which](const solve::Progress& now) {
    line.show(fmt::format("{} of {}: iteration {}, residual {:.1e}", which, 3 * spins(),
                          now.iterations, now.residual));
    return !interrupt_seen_by(ranks());
  };
  return options;
}

void PropagatorCommand::shifted_columns(ColumnSolver& solver, std::size_t volume, std::size_t place,
                                        io::PropagatorWriter* writer) {
  const std::vector<double> all = shifts();
  Progress line;
  if (!json)
    fmt::print("{:>6} {:>12} {:>10} {:>12}\n", "column", "shift", "iterations", "residual");
  io::Column b(volume);
  for (int c = 0; c < 3 * spins(); ++c) {
    component(b[place], c) = {1, 0};
    std::vector<io::Column> x(all.size(), io::Column(volume));
    std::vector<solve::Solved> solved(all.size());
    for (auto& none : solved)
      none.residual = 1; // of 0
    if (!interrupt_seen_by(ranks()))
      solved = solver.solve_shifted(x, b, all, column_options(line, c));
    component(b[place], c) = {0, 0};
    line.clear();
    for (std::size_t i = 0; i < all.size(); ++i) {
      add(solved[i]);
      if (!json) {
        fmt::print("{:>6} {:>12g} {:>10} {:>12.2e}{}\n", c, all[i], solved[i].iterations,
                   solved[i].residual, ended_text(solved[i]));
      }
      if (writer == nullptr) continue;
      const Passing writing(writing_);
      writer->write(static_cast<int>(i) * 3 * spins() + c, x[i]);
    }
    std::fflush(stdout);
  }
}

void PropagatorCommand::look_why(Progress& line, const Extents& extents, const io::Column& x,
                                 const io::Column& b) {
  const gauge::SearchTime time(calling_.value, looking_.value, [] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  });
  if (!time.is_left()) return;
  const Passing looking(looking_);
  why_ = why_not_solved(extents, *links_, x, b, [&] {
    line.show("not converged: looking whether the operator is singular");
    return time.is_left() && !interrupt_seen();
  });
  line.clear();
}

void PropagatorCommand::add_slices(const io::Column& x) {
  const std::size_t slice = x.size() / correlator_.size();
  cpu::run(cpu::default_threads(), [&](int thread, int threads) {
    const auto mine = cpu::share_of(static_cast<Index>(correlator_.size()), thread, threads);
    for (auto t = static_cast<std::size_t>(mine.begin); t < static_cast<std::size_t>(mine.end);
         ++t) {
      double sum = 0;
      for (std::size_t i = t * slice; i < (t + 1) * slice; ++i) {
        for (int c = 0; c < io::propagator_columns; ++c) {
          const auto& z = component(x[i], c);
          sum += z.re * z.re + z.im * z.im;
        }
      }
      correlator_[t] += sum;
    }
  });
}

void PropagatorCommand::add(const solve::Solved& solved) {
  facts_.residuals.push_back(solved.residual);
  facts_.iterations.push_back(solved.iterations);
  total_.iterations += solved.iterations;
  total_.updates += solved.updates;
  total_.bytes += solved.bytes;
  total_.flops += solved.flops;
  total_.seconds.value += solved.seconds.value;
  if (!(total_.residual >= solved.residual)) total_.residual = solved.residual; // NaN stays
  unfinished_ += solved.converged ? 0 : 1;
  in_double_ += solved.in_double ? 1 : 0;
  stuck_ = stuck_ || solved.rounding || solved.broken;
  // |D^+ (b - D x)| is what rounding leaves, and |b - D x| is not.
  constexpr double far = 1e-4;
  singular_ = singular_ || (solved.rounding && solved.residual > far && solver_text() == "cg");
}

void PropagatorCommand::end(const io::OutputPlan& plan, Queue& queue, const Extents& extents,
                            Index from_t) const {
  const bool goes_on = can_go_on();
  const bool stopped = interrupt_seen_by(ranks());
  std::vector<double> pion = correlator_;
  std::rotate(pion.begin(), pion.begin() + from_t, pion.end());
  if (!picture.empty() && ranks().rank() == 0) draw_correlator(plan, picture, pion);
  if (json) {
    print_record(queue, extents);
  } else {
    if (shifts().empty()) fmt::print("{}{}", correlator_table(pion, "pion"), hadrons_.text());
    fmt::print("{} iterations in {}, {} on {}; wrote {}\n", total_.iterations,
               to_text(total_.seconds), quantity(total_.bytes / total_.seconds.value, "B/s"),
               to_text(queue.device().id()), output);
    constexpr double long_step = 0.1;
    std::string steps;
    const std::pair<const char*, Seconds> all[] = {
        {"reading", reading_}, {"the device", starting_},     {"the operator", building_},
        {"copies", copying()}, {"correlators", correlating_}, {"looking why", looking_},
        {"writing", writing_}, {"compiling", compiled_for()}};
    for (const auto& [step, time] : all) {
      if (time.value > long_step)
        steps += fmt::format("{}{} {}", steps.empty() ? "besides: " : ", ", step, to_text(time));
    }
    if (!steps.empty()) fmt::print("{}\n", steps);
  }
  if (stopped && !json) {
    fmt::print("{} holds what was reached{}\n", output,
               goes_on ? ": go on with --from " + output : "");
  }
  ranks().barrier(); // the first to end ends all: not before rank 0 has written
  if (stopped) throw Interrupted{};
  if (unfinished_ == 0) return;
  throw Failure(fmt::format("{} of {} columns did not converge to {:g}: the largest residual is "
                            "{:.2e}; {}{} holds the best there is{}",
                            unfinished_, facts_.residuals.size(), tolerance, total_.residual,
                            reason(), output, goes_on ? " (go on with --from)" : ""));
}

std::string PropagatorCommand::reason() const {
  if (!why_.empty()) return why_ + "; ";
  if (singular_) {
    const auto number = numbers().front();
    return fmt::format("{} {:g} is exceptional on this configuration, where D is singular but for "
                       "rounding; ",
                       number.name, number.value);
  }
  if (stuck_) return "rounding lets it fall no further; ";
  return fmt::format("{} iterations a column were too few; ", iterations);
}

Seconds PropagatorCommand::copying() const {
  return {std::max(0.0, calling_.value - total_.seconds.value)};
}

Seconds PropagatorCommand::preparing() const {
  return {std::max(0.0, all_but_reading_.value - total_.seconds.value - writing_.value)};
}

void PropagatorCommand::print_record(Queue& queue, const Extents& extents) const {
  solve::Solved all_columns = total_;
  all_columns.converged = unfinished_ == 0;
  Record record = solve::record_of(all_columns, queue.device(), name(), precision_text(), extents,
                                   extents.count());
  record.ranks = ranks().ranks();
  Roof roof; // of one device
  Seconds roof_seconds;
  if (!no_roof && ranks().ranks() == 1) {
    const Passing measuring(roof_seconds);
    roof = measure_roof(queue.device(), {.quick = true, .only = {"copy"}});
  }
  if (const Ceiling* const copy = roof.find("copy"); copy != nullptr && record.achieved) {
    record.achieved->roof = copy->value;
    record.achieved->roof_name = "copy";
  }
  std::string all;
  for (const double c : correlator_)
    all += fmt::format("{}{:.15g}", all.empty() ? "" : " ", c);
  record.details.insert(record.details.end(),
                        {{"solver", 0, solver_text()},
                         {"columns_in_fp64", static_cast<double>(in_double_), ""},
                         {"correlator", 0, all},
                         {"reading_seconds", reading_.value, {}},
                         {"preparing_seconds", preparing().value, {}},
                         {"device_seconds", starting_.value, {}},
                         {"operator_seconds", building_.value, {}},
                         {"copying_seconds", copying().value, {}},
                         {"correlating_seconds", correlating_.value, {}},
                         {"writing_seconds", writing_.value, {}},
                         {"compiling_seconds", compiled_for().value, {}},
                         {"roof_seconds", roof_seconds.value, {}}});
  const std::vector<Detail> hadrons = hadrons_.details();
  record.details.insert(record.details.end(), hadrons.begin(), hadrons.end());
  fmt::print("{}\n", to_json(std::vector{record}));
}

} // namespace ridge::app
