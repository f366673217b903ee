// Systems over ranks: each has a part of arrays that go round, and steps them with the others.
#include <ridge/chain/menu.hpp>
#include <ridge/chain/schedule.hpp>
#include <ridge/chain/system/conditions.hpp>
#include <ridge/chain/system/system.hpp>
#include <ridge/comm/communicator.hpp>
#include <ridge/comm/grid.hpp>
#include <ridge/comm/step.hpp>
#include <ridge/device/cpu/parallel.hpp>
#include <ridge/lab/kernels/chain_system_ranks.hpp>
#include <ridge/pattern/rank_shares.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace ridge::lab {

namespace {

using comm::along;

class RankSystemCase final : public Case, public comm::Step {
public:
  RankSystemCase(chain::SystemKernel kernel, const std::vector<std::array<double, 2>>& ranges,
                 std::function<CompareSystem> compare, const BenchRequest& request)
      : ranks_(*request.world.ranks), kernel_(std::move(kernel)), compare_(std::move(compare)),
        queue_(request.device), whole_(request.size.xyz()), dimensions_(request.size.rank()),
        precision_(request.precision) {
    setup_.element_bytes = precision_ == "fp64" ? 8 : 4;
    setup_.dt = kernel_.knows_step ? small_step : 1;
    setup_.walls = walls();
    setup_.extents = whole_;
    if (ranks_.ranks() > 1) {
      std::optional<Index3> asked;
      if (!request.world.grid.empty())
        asked = comm::parse_ranks(request.world.grid, ranks_.ranks());
      setup_.part = chain::SystemPart{
          &ranks_, chain::system_grid(kernel_, setup_.walls, whole_, ranks_.ranks(), asked)};
      setup_.extents = setup_.part->owned().extents();
    }
    for (std::size_t a = 0; a < ranges.size(); ++a)
      numbers_.emplace_back(ranges[a][0], ranges[a][1], static_cast<int>(a));
  }

  [[nodiscard]] Queue& queue() override { return queue_; }
  [[nodiscard]] Subject subject() const override {
    return {nullptr, kernel_.name, precision_,
            Extents{setup_.extents.x, setup_.extents.y, setup_.extents.z}};
  }
  [[nodiscard]] std::unique_ptr<Menu> menu_at(const Place& place) const override {
    return chain::menu(description(), setup_.extents, place);
  }
  /// The arrays begin anew. All ranks take the schedule of the first one.
  [[nodiscard]] Program bind(const AskedSchedule& s) override {
    setup_.schedule = ranks_.gather_text(chain::to_text(
        chain::parse_schedule(s.text, queue_.device(), description(), setup_.extents).schedule))[0];
    system_.reset();
    system_.emplace(queue_, kernel_, setup_);
    for (int a = 0; a < kernel_.arrays(); ++a) {
      const chain::Role role = array(a).role;
      if (role != chain::Role::input && role != chain::Role::update) continue;
      setup_.element_bytes == 4 ? fill<float>(a) : fill<double>(a);
    }
    system_->started();
    return program_of_ranks();
  }
  void poison() override {}
  /// Two corners of what this rank owns.
  [[nodiscard]] Check check() override {
    queue_.wait();
    const Index3 n = setup_.extents;
    const auto part = [](Index extent) { return std::min<Index>(extent, most_checked); };
    const Index3 box{part(n.x), part(n.y), part(n.z)};
    Deviation found;
    compare({}, box, found);
    if (box != n) compare({n.x - box.x, n.y - box.y, n.z - box.z}, box, found);
    return judge(found, precision_ == "fp64" ? bounded_unit<double> : bounded_unit<float>);
  }
  [[nodiscard]] Limit limit() const override {
    const Work work = chain::work_of(description(), whole_);
    return {"copy", "B/s", static_cast<double>(work.read.value + work.written.value)};
  }
  void complete(Record& record, const AskedSchedule& /*schedule*/) override {
    if (kernel_.wide != 0) record.details.push_back({"storage", 0, storage()});
    if (!record.timing) return;
    const auto sites = static_cast<double>(whole_.x * whole_.y * whole_.z);
    record.details.push_back({"site_updates_per_second", sites / record.timing->median.value, {}});
  }
  [[nodiscard]] comm::Step* ranks() override { return this; }
  [[nodiscard]] Extents share() const override {
    if (setup_.part) return greatest_share(setup_.part->grid, dimensions_);
    const Index n[] = {whole_.x, whole_.y, whole_.z};
    return {n, dimensions_};
  }

  void run() override { system_->give_step(); }
  void run_exchange() override { system_->give_step(chain::StepPart::exchange); }
  void run_compute() override { system_->give_step(chain::StepPart::compute); }
  [[nodiscard]] bool exchanges() const override { return setup_.part.has_value(); }
  [[nodiscard]] Record record() const override {
    Record made = system_->record();
    const Index n[] = {whole_.x, whole_.y, whole_.z};
    made.size = Extents(n, dimensions_);
    made.schedule = setup_.schedule;
    made.work = chain::work_of(description(), whole_);
    made.ranks = ranks_.ranks();
    const chain::System::Sent sent = system_->sent();
    made.details.push_back(
        {"rank_grid", 0, comm::to_text(setup_.part ? setup_.part->grid.ranks() : Index3{1, 1, 1})});
    made.details.push_back({"carrier", 0, sent.carrier.empty() ? "none" : sent.carrier});
    made.details.push_back(
        {"exchange_bytes", ranks_.sum(static_cast<double>(sent.bytes.value)), {}});
    return made;
  }

private:
  static constexpr double small_step = 0.2; ///< stable for media around 1 at distances of 1
  static constexpr Index most_checked = 12;
  static constexpr Index few = 16384; ///< points: waking threads takes longer

  [[nodiscard]] const chain::Description& description() const {
    return kernel_.description(setup_.element_bytes);
  }
  [[nodiscard]] std::vector<chain::ArrayWalls> walls() const {
    std::string text;
    for (int d = 0; d < 3; ++d) {
      if (along(whole_, d) > 1)
        text += (text.empty() ? "" : ",") + std::string(1, "xyz"[d]) + "=periodic";
    }
    std::vector<std::string> names;
    for (int a = 0; a < kernel_.arrays(); ++a)
      names.emplace_back(array(a).name);
    return chain::parse_walls(text, names);
  }

  /// How the arrays are stored, but those of next values.
  [[nodiscard]] std::string storage() const {
    std::string all;
    for (int a = 0; a < kernel_.arrays(); ++a) {
      if (kernel_.is_next(a) || (!kernel_.is_state(a) && array(a).role != chain::Role::input))
        continue;
      all += (all.empty() ? "" : ",") + std::string(array(a).name) + "=" +
             (kernel_.is_wide(a) ? "fp32" : precision_);
    }
    return all;
  }
  [[nodiscard]] const chain::Array& array(int a) const {
    return description().arrays[static_cast<std::size_t>(a)];
  }
  [[nodiscard]] double number(int a, const Index3& at) const {
    const auto in = [](Index i, Index n) { return i >= 0 && i < n ? i : (i % n + n) % n; };
    return numbers_[static_cast<std::size_t>(a)].at(
        in(at.x, whole_.x) + whole_.x * (in(at.y, whole_.y) + whole_.y * in(at.z, whole_.z)));
  }
  template <class T>
  void fill(int a) {
    const Index3 n = system_->points(a);
    const Index3 first = setup_.begin();
    std::vector<T> plane(static_cast<std::size_t>(n.x * n.y));
    for (Index z = 0; z < n.z; ++z) {
      cpu::run(n.x * n.y < few ? 1 : cpu::default_threads(), [&](int thread, int team) {
        const cpu::Range rows = cpu::share_of(n.y, thread, team);
        auto* at = plane.data() + rows.begin * n.x;
        for (Index y = rows.begin; y < rows.end; ++y) {
          for (Index x = 0; x < n.x; ++x)
            *at++ = static_cast<T>(number(a, {first.x + x, first.y + y, first.z + z}));
        }
      });
      system_->write(a, {{0, 0, z}, {n.x, n.y, 1}}, plane.data());
    }
  }
  void compare(const Index3& begin, const Index3& box, Deviation& found) {
    const Index3 first = setup_.begin();
    SystemNumbersAt numbers;
    numbers.whole = whole_;
    numbers.before = [this](int a, const Index3& at) { return number(a, at); };
    numbers.after = [this, first](int a, const chain::SystemBox& of, void* to) {
      const Index3& b = of.begin;
      system_->read(a, {{b.x - first.x, b.y - first.y, b.z - first.z}, of.extents}, to);
    };
    numbers.box = {{first.x + begin.x, first.y + begin.y, first.z + begin.z}, box};
    numbers.dt = setup_.dt;
    compare_(numbers, found);
  }

  comm::Communicator& ranks_;
  chain::SystemKernel kernel_;
  std::function<CompareSystem> compare_;
  Queue queue_;
  Index3 whole_;
  int dimensions_;
  std::string precision_;
  chain::SystemSetup setup_;
  std::vector<RandomNumbers> numbers_;
  std::optional<chain::System> system_;
};

} // namespace

std::unique_ptr<Case> rank_system_case(const chain::SystemKernel& kernel,
                                       const std::vector<std::array<double, 2>>& ranges,
                                       const std::function<CompareSystem>& compare,
                                       const BenchRequest& request) {
  return std::make_unique<RankSystemCase>(kernel, ranges, compare, request);
}

} // namespace ridge::lab
