// Menus of a kernel that evolves: of many sweeps, and as the model sees it, of one.
#include <ridge/core/changes.hpp>
#include <ridge/device/kind.hpp>
#include <ridge/pattern/menu.hpp>
#include <ridge/stencil/menu.hpp>
#include <ridge/stencil/sweeps_schedule.hpp>

#include "../core/refuse.hpp"

#include <fmt/format.h>

namespace ridge::stencil {

namespace {

constexpr std::string_view one_sweep = "sweeps=1";

template <class S>
std::vector<std::string> texts_around(const std::string& schedule) {
  std::vector<std::string> all;
  for (const S& s : text::neighbours_of(text::parse<S>(schedule)))
    all.push_back(text::print(s));
  return all;
}

/// What menus of a place that is described and of others share: a single sweep.
class SweepsMenu : public Menu {
public:
  SweepsMenu(const Traits& traits, int levels, Index3 n, const Place& place)
      : Menu(place), traits_(traits), levels_(levels), n_(n), single_(menu(traits, n, place)) {}

  [[nodiscard]] std::vector<NamedText> changes(const std::string& schedule) const override {
    return written(single_->changes(of_one(schedule)));
  }
  [[nodiscard]] model::Prediction predict(const std::string& schedule) const override {
    return single_->predict(of_one(schedule));
  }
  [[nodiscard]] std::optional<Halo> halo() const override { return single_->halo(); }
  [[nodiscard]] std::string help() const override {
    return "one sweep after the other, sweeps=1 (if not given):\n" + single_->help() +
           "several sweeps in one pass:\n" +
           (takes_gpu_schedules() ? text::help<GpuPassSchedule>() : text::help<CpuPassSchedule>());
  }
  [[nodiscard]] std::vector<std::string> around(const std::string& schedule) const override {
    if (schedule.starts_with(one_sweep)) {
      std::vector<std::string> all = single_->around(of_one(schedule));
      for (std::string& s : all)
        s = std::string(one_sweep) + " " + s;
      return all;
    }
    return takes_gpu_schedules() ? texts_around<GpuPassSchedule>(schedule)
                                 : texts_around<CpuPassSchedule>(schedule);
  }

protected:
  /// The schedule of the sweep.
  static std::string of_one(const std::string& asked) {
    if (asked.starts_with(one_sweep))
      return asked.size() > one_sweep.size() ? asked.substr(one_sweep.size() + 1) : "auto";
    refuse_if(asked.find("sweeps=") != std::string::npos,
              "--schedule '{}': the doctor examines single sweeps; ridge bench --schedule all "
              "compares them with several in one pass",
              asked);
    return asked;
  }
  static NamedText written(NamedText p) {
    p.text = std::string(one_sweep) + " " + p.text;
    return p;
  }
  static std::vector<NamedText> written(std::vector<NamedText> all) {
    for (NamedText& p : all)
      p = written(std::move(p));
    return all;
  }
  [[nodiscard]] bool takes_gpu_schedules() const {
    return ridge::facts_of(place().device).takes_gpu_schedules;
  }

  Traits traits_;
  int levels_;
  Index3 n_;
  std::unique_ptr<Menu> single_;
};

class ManySweeps final : public SweepsMenu {
public:
  ManySweeps(const Traits& traits, int levels, Boundaries boundaries, Index3 n, const Place& place)
      : SweepsMenu(traits, levels, n, place), boundaries_(std::move(boundaries)) {}

  [[nodiscard]] NamedText parse(const std::string& asked) const override {
    return {asked == "auto" ? "default" : "", to_text(read(asked, n_))};
  }
  [[nodiscard]] std::vector<NamedText> named() const override {
    std::vector<NamedText> all;
    for (const auto& s : compared_sweeps(place().device, traits_, levels_, boundaries_, n_))
      all.push_back({s.name, to_text(s.schedule)});
    return all;
  }
  [[nodiscard]] std::vector<std::string> space() const override {
    std::vector<std::string> all;
    for (const auto& s : sweeps_space(place().device, traits_, levels_, boundaries_, n_))
      all.push_back(to_text(s));
    return all;
  }
  /// Passes differ in every field from the single sweep beside them.
  [[nodiscard]] std::vector<std::string> starts() const override {
    std::vector<std::string> all;
    for (const NamedText& s : named())
      all.push_back(s.text);
    return all;
  }
  /// A step: the model's of a single sweep; of a pass, that of the sweep it is made of less the
  /// bytes that the pass does not move.
  [[nodiscard]] std::optional<double> cost(const std::string& schedule,
                                           const Extents& size) const override {
    const SweepsSchedule s = read(schedule, size.xyz());
    const auto single = single_->cost(to_text(s.single), size);
    if (!single || !s.pass) return single;
    return *single * pass_share(traits_, levels_, sweeps_of(*s.pass));
  }

private:
  [[nodiscard]] SweepsSchedule read(const std::string& text, Index3 n) const {
    return parse_sweeps(text, place().device, traits_, boundaries_, n, 1, levels_);
  }

  Boundaries boundaries_;
};

/// Where a launch is one sweep.
class OneSweep final : public SweepsMenu {
public:
  using SweepsMenu::SweepsMenu;

  [[nodiscard]] NamedText parse(const std::string& asked) const override {
    return written(single_->parse(of_one(asked)));
  }
  [[nodiscard]] std::vector<NamedText> named() const override { return written(single_->named()); }
  [[nodiscard]] std::vector<std::string> space() const override {
    std::vector<std::string> all;
    for (const std::string& s : single_->space())
      all.push_back(written({"", s}).text);
    return all;
  }

  /// Several sweeps in one pass over memory, where memory is what a sweep waits for.
  [[nodiscard]] std::optional<Advice> advice(const model::Facts& f,
                                             const model::Time& time) const override {
    if (f.in_cache || time.roof != "memory") return {};
    if (!ridge::facts_of(place().described->kind).has_passes) return {};
    std::optional<Advice> best;
    double least = worth_a_pass;
    for (const auto& named :
         compared_sweeps(place().device, traits_, levels_, parse_boundaries("untouched"), n_)) {
      if (!named.schedule.pass) continue;
      const int sweeps = sweeps_of(*named.schedule.pass);
      const double share = pass_share(traits_, levels_, sweeps);
      if (sweeps > usual_sweeps || share >= least) continue;
      least = share;
      best = {fmt::format("{} sweeps in one pass over memory move {:.2f} of the least bytes of {} "
                          "passes; --schedule all of ridge bench compares them",
                          sweeps, share, sweeps),
              to_text(named.schedule)};
    }
    return best;
  }

private:
  static constexpr int usual_sweeps = 4;
  /// Half of the bytes were not faster anywhere (docs/design/sweeps.md).
  static constexpr double worth_a_pass = 0.45;
};

} // namespace

std::unique_ptr<Menu> sweeps_menu(const Traits& traits, int levels, const Boundaries& boundaries,
                                  Index3 extents, const Place& place) {
  if (place.described) return std::make_unique<OneSweep>(traits, levels, extents, place);
  return std::make_unique<ManySweeps>(traits, levels, boundaries, extents, place);
}

} // namespace ridge::stencil
