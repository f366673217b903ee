// A kernel that evolves, whose launch is one sweep.
#include <ridge/core/error.hpp>
#include <ridge/device/kind.hpp>
#include <ridge/doctor/patients.hpp>
#include <ridge/stencil/sweeps_schedule.hpp>

#include <fmt/format.h>

namespace ridge::doctor {

namespace {

constexpr std::string_view one_sweep = "sweeps=1";

class SweepsPatient final : public Patient {
public:
  SweepsPatient(const stencil::Traits& traits, int levels, const Examination& e)
      : traits_(traits), levels_(levels), examined_(e), single_(stencil_patient(traits, e)) {}

  [[nodiscard]] Prescription parse(const std::string& asked) const override {
    return written(single_->parse(of_one(asked)));
  }
  [[nodiscard]] Facts facts(const std::string& schedule) const override {
    return single_->facts(of_one(schedule));
  }
  [[nodiscard]] std::vector<Prescription> changes(const std::string& schedule) const override {
    return written(single_->changes(of_one(schedule)));
  }
  [[nodiscard]] std::vector<Prescription> named() const override {
    return written(single_->named());
  }

  /// Several sweeps in one pass over memory, where memory is what a sweep waits for.
  [[nodiscard]] std::optional<Advice> advice(const Facts& f,
                                             const model::Time& time) const override {
    if (f.in_cache || time.roof != "memory") return {};
    if (!facts_of(examined_.description.kind).has_passes) return {};
    std::optional<Advice> best;
    double least = worth_a_pass;
    for (const auto& named :
         stencil::compared_sweeps(examined_.device, traits_, levels_,
                                  stencil::parse_boundaries("untouched"), examined_.size.xyz())) {
      if (!named.schedule.pass) continue;
      const int sweeps = stencil::sweeps_of(*named.schedule.pass);
      const double share = stencil::pass_share(traits_, levels_, sweeps);
      if (sweeps > usual_sweeps || share >= least) continue;
      least = share;
      best = {fmt::format("{} sweeps in one pass over memory move {:.2f} of the least bytes of {} "
                          "passes; --schedule all of ridge bench compares them",
                          sweeps, share, sweeps),
              stencil::to_text(named.schedule)};
    }
    return best;
  }

private:
  static constexpr int usual_sweeps = 4;
  /// Half of the bytes were not faster anywhere (docs/decisions/0022, 0035).
  static constexpr double worth_a_pass = 0.45;

  /// The schedule of the sweep.
  static std::string of_one(const std::string& asked) {
    if (asked.starts_with(one_sweep))
      return asked.size() > one_sweep.size() ? asked.substr(one_sweep.size() + 1) : "auto";
    if (asked.find("sweeps=") != std::string::npos) {
      throw UsageError(
          fmt::format("--schedule '{}': the doctor examines single sweeps; ridge bench "
                      "--schedule all compares them with several in one pass",
                      asked));
    }
    return asked;
  }
  static Prescription written(Prescription p) {
    p.schedule = std::string(one_sweep) + " " + p.schedule;
    return p;
  }
  static std::vector<Prescription> written(std::vector<Prescription> all) {
    for (Prescription& p : all)
      p = written(std::move(p));
    return all;
  }

  stencil::Traits traits_;
  int levels_;
  Examination examined_;
  std::unique_ptr<Patient> single_;
};

} // namespace

std::unique_ptr<Patient> sweeps_patient(const stencil::Traits& traits, int levels,
                                        const Examination& examination) {
  return std::make_unique<SweepsPatient>(traits, levels, examination);
}

} // namespace ridge::doctor
