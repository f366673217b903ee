// Menus of patterns whose schedules are a variant of a cpu's and a GPU's: what they share.
#pragma once

#include <ridge/core/changes.hpp>
#include <ridge/core/named.hpp>
#include <ridge/device/kind.hpp>
#include <ridge/pattern/menu.hpp>

#include <variant>

namespace ridge {

template <class Schedule>
class MenuOf : public Menu {
public:
  using Named = text::Named<Schedule>;

  [[nodiscard]] NamedText parse(const std::string& asked) const final {
    require_work();
    return written(read(asked));
  }
  [[nodiscard]] std::vector<NamedText> named() const final {
    if (named_.empty()) { // the model's choice takes a while
      for (const Named& n : known())
        add_possible(named_, n);
      add_possible(named_, read("auto"));
    }
    return named_;
  }
  [[nodiscard]] std::vector<std::string> space() const final {
    std::vector<std::string> texts;
    for (const Schedule& s : all())
      texts.push_back(text::print_held(s));
    return texts;
  }
  [[nodiscard]] std::vector<NamedText> changes(const std::string& schedule) const final {
    std::vector<NamedText> all;
    std::visit(
        [&](const auto& held) {
          for (const auto& changed : text::changes_of(held))
            add_possible(all, {"", changed});
        },
        read(schedule).schedule);
    return all;
  }
  [[nodiscard]] std::vector<std::string> around(const std::string& schedule) const final {
    std::vector<std::string> all;
    std::visit(
        [&]<class S>(const S& /*kind*/) {
          for (const S& s : text::neighbours_of(text::parse<S>(schedule)))
            all.push_back(text::print(s));
        },
        kind());
    return all;
  }
  [[nodiscard]] std::string help() const override {
    return std::visit([]<class S>(const S& /*kind*/) { return text::help<S>(); }, kind());
  }
  [[nodiscard]] model::Prediction predict(const std::string& schedule) const override {
    return model::prediction_of(facts_under(read(schedule).schedule));
  }

protected:
  explicit MenuOf(const Place& place) : Menu(place) {}

  /// Throws UsageError where a launch has nothing to do.
  virtual void require_work() const {}
  [[nodiscard]] virtual Named read(const std::string& asked) const = 0;
  /// Those with names.
  [[nodiscard]] virtual std::vector<Named> known() const = 0;
  [[nodiscard]] virtual std::vector<Schedule> all() const = 0;
  /// Whether a schedule of possible fields is possible for this kernel, size and place.
  [[nodiscard]] virtual bool is_possible(const Schedule& schedule) const = 0;
  /// Facts for menus that leave `predict` as it is.
  [[nodiscard]] virtual model::Facts facts_under(const Schedule& /*schedule*/) const { return {}; }

  /// The facts of any launch of this work.
  [[nodiscard]] model::Facts begin(const Work& work) const {
    return model::begin_facts(work, description_at(place()), place().fill_cost);
  }
  /// The schedule of a device of the place's kind where nothing is said.
  [[nodiscard]] Schedule kind() const {
    if (facts_of(place().device).takes_gpu_schedules)
      return std::variant_alternative_t<1, Schedule>{};
    return std::variant_alternative_t<0, Schedule>{};
  }

private:
  mutable std::vector<NamedText> named_;
  static NamedText written(const Named& n) { return {n.name, text::print_held(n.schedule)}; }
  void add_possible(std::vector<NamedText>& all, const Named& n) const {
    if (!place().described || is_possible(n.schedule)) all.push_back(written(n));
  }
};

} // namespace ridge
