// What the patients of all patterns share: schedules as text.
#pragma once

#include <ridge/core/changes.hpp>
#include <ridge/core/named.hpp>
#include <ridge/doctor/patient.hpp>

namespace ridge::doctor {

/// `Schedule` is a pattern's variant of a cpu's and a GPU's.
template <class Schedule>
class PatternPatient : public Patient {
public:
  using Named = text::Named<Schedule>;

  [[nodiscard]] Prescription parse(const std::string& asked) const final {
    return written(read(asked));
  }
  [[nodiscard]] Facts facts(const std::string& schedule) const final {
    return facts_of(read(schedule).schedule);
  }
  [[nodiscard]] std::vector<Prescription> changes(const std::string& schedule) const final {
    std::vector<Prescription> all;
    std::visit(
        [&](const auto& held) {
          for (const auto& changed : text::changes_of(held))
            add_possible(all, {"", changed});
        },
        read(schedule).schedule);
    return all;
  }
  [[nodiscard]] std::vector<Prescription> named() const final {
    if (named_.empty()) { // the model's choice takes a while
      for (const Named& n : known())
        add_possible(named_, n);
      add_possible(named_, read("auto"));
    }
    return named_;
  }

protected:
  explicit PatternPatient(Examination examination) : examined_(std::move(examination)) {}

  [[nodiscard]] virtual Named read(const std::string& asked) const = 0;
  [[nodiscard]] virtual std::vector<Named> known() const = 0;
  /// Whether a schedule of possible fields is possible for this kernel, size and device.
  [[nodiscard]] virtual bool is_possible(const Schedule& schedule) const = 0;
  [[nodiscard]] virtual Facts facts_of(const Schedule& schedule) const = 0;

  /// Of any launch here.
  [[nodiscard]] Facts begin(std::string pattern, const Work& work) const {
    Facts f;
    f.device = examined_.description;
    f.pattern = std::move(pattern);
    f.least_read = static_cast<double>(work.read.value);
    f.least_written = static_cast<double>(work.written.value);
    f.in_cache = f.least_read + f.least_written <= f.device.cache_bytes / f.device.cache_parts;
    f.flops = work.flops;
    f.fill_cost = examined_.fill_cost;
    f.latency_cycles = f.device.memory_latency_cycles;
    return f;
  }

  Examination examined_;

private:
  mutable std::vector<Prescription> named_;
  static Prescription written(const Named& n) { return {n.name, text::print_held(n.schedule)}; }
  void add_possible(std::vector<Prescription>& all, const Named& n) const {
    if (is_possible(n.schedule)) all.push_back(written(n));
  }
};

} // namespace ridge::doctor
