#include "evolve_run.hpp"

#include <ridge/core/error.hpp>
#include <ridge/core/stored.hpp>
#include <ridge/device/field.hpp>
#include <ridge/pattern/storage.hpp>
#include <ridge/stencil/stored_shell.hpp>

#include "../io/output_plan.hpp"
#include "evolve_fields.hpp"
#include "evolve_steps.hpp"
#include "implicit_steps.hpp"
#include "picture.hpp"
#include "rank_pieces.hpp"
#include "run.hpp"
#include "run_device.hpp"
#include "stored_fields.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace ridge::app {

namespace {

/// From the first step to the last.
class EvolveRunner : private Run {
public:
  EvolveRunner(const EvolveOptions& options, EvolveSetup setup, comm::Communicator& ranks)
      : Run(ranks), o_(options), setup_(std::move(setup)), run_(setup_.run),
        queue_(device_of_run(ranks, options.device,
                             {options.restart, setup_.run.device, setup_.run.device_name})),
        input_(*setup_.inputs.front()), goes_on_(!options.restart.empty()),
        file_(options.output.empty() ? options.restart : options.output), plan_(options.overwrite) {
    const std::optional<StepPlan> before =
        goes_on_ ? std::optional(StepPlan{run_.target, run_.every}) : std::nullopt;
    const Index first = goes_on_ ? setup_.snapshots_there.back().step : 0;
    const StepPlan steps = plan_steps(options, first, before);
    run_.target = steps.target;
    run_.every = steps.every;
    plan(first, run_.target, run_.every);
    require_slice();
    if (ranks_.rank() == 0) claim(); // it alone writes
  }

  void execute() {
    const std::string chosen = !o_.schedule.empty()                               ? o_.schedule
                               : same_device_as_before() && run_.implicit.empty() ? run_.schedule
                                                                                  : "auto";
    const std::string schedule = ranks_.gather_text(chosen)[0]; // ranks have devices of their own
    divide(schedule);
    const auto laid =
        stencil::parse_sweeps(schedule, queue_.device(), setup_.kernel.traits, part_->boundaries(),
                              part_->held().extents(), ranks_.ranks(), setup_.kernel.levels);
    run_.device = to_text(queue_.device().id());
    run_.device_name = queue_.device().facts().name;
    run_.schedule = stencil::to_text(laid);
    read_inputs();
    if (run_.implicit.empty()) {
      const std::vector<Memory> stored = store_inputs();
      sweeps_.emplace(setup_.kernel.make(queue_, pointers_, *part_, laid));
      queue_.wait(); // what they were copied from goes
    } else {
      implicit_ = make_implicit_steps(queue_, setup_, ranks_);
      implicit_->set(pointers_);
      run_.schedule = implicit_->method();
    }
    // Only the levels are brought back.
    packed_.resize(static_cast<std::size_t>(run_.levels));
    say_begin();
    if (!run_.storage.empty()) sums_before_ = sums();
    continues() ? ranks_.barrier() : keep();
    integrate();
    finish();
  }

private:
  [[nodiscard]] bool continues() const { return goes_on_ && o_.output.empty(); }
  [[nodiscard]] bool same_device_as_before() const {
    return goes_on_ && to_text(queue_.device().id()) == run_.device;
  }

  /// Halos are as deep as the schedule has sweeps in one pass.
  void divide(const std::string& schedule) {
    const Index3 n = input_.extents().xyz();
    const stencil::SweepsSchedule whole =
        stencil::parse_sweeps(schedule, queue_.device(), setup_.kernel.traits, setup_.boundaries, n,
                              ranks_.ranks(), setup_.kernel.levels);
    std::optional<Index3> ranks;
    if (!o_.ranks.empty()) ranks = comm::parse_ranks(o_.ranks, ranks_.ranks());
    if (!run_.implicit.empty()) ranks = planes(ranks);
    part_.emplace(ranks_, n, setup_.kernel.traits, setup_.boundaries,
                  whole.pass ? stencil::sweeps_of(*whole.pass) : 1, ranks);
    pieces_.emplace(ranks_, part_->grid(), queue_, input_.element_bytes());
  }

  /// Implicit steps divide z alone.
  [[nodiscard]] Index3 planes(const std::optional<Index3>& asked) const {
    const Index3 ranks{1, 1, ranks_.ranks()};
    if (asked && *asked != ranks)
      throw UsageError(fmt::format("--ranks {}: implicit steps take {}", comm::to_text(*asked),
                                   comm::to_text(ranks)));
    return ranks;
  }

  void require_slice() const {
    if (!o_.picture.empty() && input_.extents().rank() < 2)
      throw UsageError("--picture: a line has no slice; it takes two or three dimensions");
  }

  /// Plans all files that the run will write, and claims them.
  void claim() {
    for (const EvolveFile& read : setup_.files)
      plan_.reads(read.file, read.what);
    output_.emplace(plan_, file_, identity_of(run_),
                    continues() ? setup_.snapshots_there : std::vector<EvolveSnapshot>{});
    if (!o_.picture.empty()) plan_.writes_at_once(o_.picture, "the picture");
    plan_.claim();
    if (continues()) require_latest(setup_.snapshots_there, file_);
  }

  void read_inputs() {
    const comm::Box& own = part_->owned();
    const Bytes bytes{own.count() * input_.element_bytes()};
    for (std::size_t i = 0; i < setup_.inputs.size(); ++i) {
      packed_.emplace_back(queue_.device(), bytes, "the fields as they are in files");
      pointers_.push_back(packed_.back().data());
      if (setup_.inputs[i]) {
        const InputDataset& input = *setup_.inputs[i];
        const NotFinite odd = of_all(read_to_device(
            input, input.pieces_in(own.begin, own.extents()), queue_, packed_.back().data()));
        if (odd.count() > 0 && ranks_.rank() == 0) {
          fmt::print(stderr,
                     "ridge: {} holds {} NaN and {} infinite values, the first at {}; they pass "
                     "through\n",
                     to_text(input.name()), odd.nan, odd.infinite, place(odd.first));
        }
        seen_odd_ = seen_odd_ || odd.count() > 0;
      } else if (static_cast<int>(i) < run_.levels) {
        start_at_rest(packed_.back());
      } else {
        upload_friction(packed_.back());
      }
    }
  }

  /// The inputs in 16 bits, where they are asked for: what the sweeps begin from.
  [[nodiscard]] std::vector<Memory> store_inputs() {
    std::vector<Memory> stored;
    if (run_.storage.empty()) return stored;
    const Index count = part_->owned().count();
    const Bytes bytes{count * static_cast<Index>(sizeof(Fp16))};
    std::vector<Memory> low;
    double beyond = 0;
    for (std::size_t i = 0; i < packed_.size(); ++i) {
      stored.emplace_back(queue_.device(), bytes, "the fields in 16 bits");
      if ((setup_.wide >> i & 1U) != 0) {
        low.emplace_back(queue_.device(), bytes, "the low halves of a field in fp32");
        const View<const float> numbers(static_cast<const float*>(packed_[i].data()),
                                        Index3{count, 1, 1});
        split_numbers(queue_, numbers, stored.back().data(), low.back().data());
        pointers_[i] = stored.back().data();
        continue;
      }
      beyond += static_cast<double>(
          narrow_numbers(queue_, run_.storage, packed_[i].data(), stored.back().data(), count));
      pointers_[i] = stored.back().data();
    }
    for (Memory& half : low) {
      pointers_.push_back(half.data());
      stored.push_back(std::move(half));
    }
    beyond = ranks_.sum(beyond);
    if (beyond > 0 && ranks_.rank() == 0) {
      fmt::print(stderr,
                 "ridge: {} values of the start are beyond the range of {} and count as infinite\n",
                 beyond, run_.storage);
    }
    seen_odd_ = seen_odd_ || beyond > 0;
    narrow_ = Memory(queue_.device(), bytes, "a field in 16 bits");
    return stored;
  }

  /// Of the newest level.
  [[nodiscard]] FieldSums sums() {
    bring_state(0, packed_.front());
    std::vector<float> values(static_cast<std::size_t>(part_->owned().count()));
    copy_to_host(queue_, values.data(), static_cast<const float*>(packed_.front().data()),
                 static_cast<Index>(values.size()));
    queue_.wait();
    FieldSums mine;
    for (const double value : values)
      mine.add(value);
    return {ranks_.sum(mine.sum), ranks_.sum(mine.sizes), ranks_.sum(mine.squares)};
  }

  /// Joins what ranks have found in their parts.
  [[nodiscard]] NotFinite of_all(NotFinite mine) const {
    mine.first = index_in_whole(part_->owned(), mine.first, input_.extents().xyz());
    NotFinite all;
    for (const NotFinite& one : ranks_.gather(mine)) {
      if (one.count() == 0) continue;
      all.first = all.count() == 0 ? one.first : std::min(all.first, one.first);
      all.nan += one.nan;
      all.infinite += one.infinite;
    }
    return all;
  }

  [[nodiscard]] std::string place(Index at) const {
    const Extents& n = input_.extents();
    std::string where;
    for (int d = 0; d < n.rank(); ++d) {
      where += fmt::format("{}{}={}", d > 0 ? " " : "", "xyz"[d], at % n[d]);
      at /= n[d];
    }
    return where;
  }

  template <class F>
  void with_type(const F& f) const {
    if (input_.element_bytes() == 4) {
      f(float{});
    } else {
      f(double{});
    }
  }

  void start_at_rest(const Memory& before) {
    const stencil::RankPart part(ranks_, input_.extents().xyz(), setup_.at_rest->traits,
                                 setup_.boundaries, 1, part_->grid().ranks());
    auto half = setup_.at_rest->make(queue_, {pointers_.front()}, part, {});
    half.run(1);
    bring(half, 0, before);
    queue_.wait();
  }

  void upload_friction(const Memory& to) {
    with_type([&]<class T>(T) {
      const std::vector<double> friction = setup_.friction->within(part_->owned());
      const std::vector<T> values(friction.begin(), friction.end());
      copy_to_device(queue_, static_cast<T*>(to.data()), values.data(),
                     static_cast<Index>(values.size()));
      queue_.wait();
    });
  }

  void bring(stencil::Sweeps& sweeps, int input, const Memory& to) const {
    with_type([&]<class T>(T) {
      sweeps.read(input, View<T>(static_cast<T*>(to.data()), part_->owned().extents()));
    });
  }

  /// A level as it is now.
  void bring_state(int level, const Memory& to) {
    if (!run_.storage.empty()) {
      const Index3 own = part_->owned().extents();
      if (run_.storage == "fp16") {
        sweeps_->read(level, View<Fp16>(static_cast<Fp16*>(narrow_.data()), own));
      } else {
        sweeps_->read(level, View<Bf16>(static_cast<Bf16*>(narrow_.data()), own));
      }
      return widen_numbers(queue_, run_.storage, narrow_.data(), to.data(), own.x * own.y * own.z);
    }
    sweeps_ ? bring(*sweeps_, level, to) : implicit_->read(to.data());
  }

  void say_begin() const {
    if (o_.json) return;
    fmt::print("{} {} {} on {} ({}){}; dt {:g} ({}); boundary {}{}\n", run_.kernel,
               to_text(input_.extents()),
               !run_.storage.empty()         ? run_.storage
               : input_.element_bytes() == 4 ? "fp32"
                                             : "fp64",
               run_.device, run_.device_name,
               ranks_.ranks() == 1 ? ""
                                   : fmt::format("; {} ranks as {}", ranks_.ranks(),
                                                 comm::to_text(part_->grid().ranks())),
               run_.dt, setup_.dt_note, run_.boundary,
               run_.absorb.empty()
                   ? ""
                   : fmt::format("; absorbing {} in {} points", run_.absorb, run_.absorb_width));
    std::fflush(stdout);
  }

  Index advance(Index most) override {
    sweeps_ ? sweeps_->run(most) : implicit_->run(most);
    queue_.wait();
    return most;
  }
  [[nodiscard]] std::string kept_in() const override { return file_.string() + " leads to it"; }

  /// Writes the present state.
  void keep() override {
    for (int level = 0; level < run_.levels; ++level)
      bring_state(level, packed_[static_cast<std::size_t>(level)]);
    write_snapshot();
    ranks_.barrier(); // what rank 0 writes is none of the steps' time
  }

  void write_snapshot() {
    const auto piece_of = [&](int level, const Piece& piece) {
      return pieces_->bring(piece, packed_[static_cast<std::size_t>(level)].data());
    };
    if (!output_) {
      for (int level = 0; level < run_.levels; ++level) {
        for (const Piece& piece : input_.pieces())
          (void)piece_of(level, piece);
      }
      return;
    }
    NotFinite odd;
    const Index before = output_->snapshots().empty() ? 0 : output_->snapshots().back().step;
    write([&] { odd = write_levels(*output_, run_, step(), input_, piece_of); },
          [kept = output_->kept("leads to")] { return kept; });
    progress_.clear();
    if (odd.count() > 0 && !seen_odd_) {
      seen_odd_ = true;
      fmt::print(stderr,
                 "ridge: step {} is the first snapshot with values that are not finite: {} NaN and "
                 "{} infinite, the first at {}; that of step {} had none\n",
                 step(), odd.nan, odd.infinite, place(odd.first), before);
    }
    if (!o_.json) say_step(step(), static_cast<double>(step()) * run_.dt);
  }

  void finish() {
    if (!o_.picture.empty()) draw();
    const FieldSums now = run_.storage.empty() ? FieldSums{} : sums();
    if (!output_) return;
    Record record = sweeps_ ? sweeps_->record() : implicit_->record();
    record.size = input_.extents();
    record.schedule = run_.schedule;
    const Seconds each{seconds() / static_cast<double>(taken())};
    add_steps(record, taken(), seconds(), run_.dt);
    record.details.push_back(
        {"points_per_second", static_cast<double>(record.work.items) / each.value, ""});
    if (!run_.storage.empty()) {
      if (!run_.stored.empty()) record.details.push_back({"storage", 0, run_.stored});
      if (sums_before_.sizes > 0) add_drift(record, "", sums_before_, now);
    }
    if (o_.json) {
      fmt::print("{}\n", to_json(std::vector{record}));
      return;
    }
    fmt::print("{} steps in {}, {} a step, {:.3g} points a second; wrote {} and {}{}\n", taken(),
               to_text(Seconds{seconds()}), to_text(each),
               static_cast<double>(record.work.items) / each.value, file_.string(),
               output_->xdmf().string(), o_.picture.empty() ? "" : " and " + o_.picture);
  }

  /// The plane in the middle of z.
  void draw() {
    const Index3 n = input_.extents().xyz();
    const Memory& newest = packed_.front();
    bring_state(0, newest);
    Piece plane{{n.z / 2, 0, 0}, {1, n.y, n.x}, n.z / 2 * n.x * n.y, n.x * n.y};
    if (input_.extents().rank() == 2) plane.start = {0, 0}, plane.count = {n.y, n.x};
    const void* const there = pieces_->bring(plane, newest.data());
    if (there == nullptr) return; // rank 0 has it
    std::vector<double> values;
    with_type([&]<class T>(T) {
      const T* const first = static_cast<const T*>(there);
      values.assign(first, first + plane.elements);
    });
    write_picture(plan_, o_.picture, values, n.x, n.y,
                  run_.spacing.y * static_cast<double>(n.y) /
                      (run_.spacing.x * static_cast<double>(n.x)));
  }

  const EvolveOptions& o_;
  EvolveSetup setup_;
  EvolveRun& run_;
  Queue queue_;
  const InputDataset& input_;
  bool goes_on_;
  std::filesystem::path file_;
  io::OutputPlan plan_;
  std::optional<io::SnapshotFiles> output_; ///< of rank 0
  std::optional<stencil::RankPart> part_;
  std::optional<RankPieces> pieces_;
  std::vector<Memory> packed_;
  std::vector<const void*> pointers_;
  std::optional<stencil::Sweeps> sweeps_;
  std::unique_ptr<ImplicitSteps> implicit_; ///< instead of these
  Memory narrow_;                           ///< a field in 16 bits, where they are stored so
  FieldSums sums_before_;
  bool seen_odd_ = false;
};

} // namespace

void evolve_stencil(const EvolveOptions& options, EvolveSetup setup, comm::Communicator& ranks) {
  EvolveRunner(options, std::move(setup), ranks).execute();
}

} // namespace ridge::app
