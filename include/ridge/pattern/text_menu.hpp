// Menus of launches whose schedules are parsed and listed by functions, and which the model does
// not know yet.
#pragma once

#include <ridge/core/changes.hpp>
#include <ridge/core/error.hpp>
#include <ridge/core/named.hpp>
#include <ridge/pattern/menu.hpp>

#include <functional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace ridge {

/// `Schedule` is a variant of the schedules of kinds of devices.
template <class Schedule>
class TextMenu : public Menu {
public:
  using Named = text::Named<Schedule>;
  struct Source {
    std::function<Named(const std::string&)> parse;
    std::function<std::vector<Named>()> names;
    std::function<std::vector<Schedule>()> space;
    std::string unknown; ///< what the model does not know: "sums by a tree"
  };
  TextMenu(const Place& place, Source source) : Menu(place), source_(std::move(source)) {}

  [[nodiscard]] NamedText parse(const std::string& asked) const override {
    return written(source_.parse(asked));
  }
  [[nodiscard]] std::vector<NamedText> named() const override {
    std::vector<NamedText> all;
    for (const Named& n : source_.names())
      all.push_back(written(n));
    all.push_back(parse("auto"));
    return all;
  }
  [[nodiscard]] std::vector<std::string> space() const override {
    std::vector<std::string> all;
    for (const Schedule& s : source_.space())
      all.push_back(text::print_held(s));
    return all;
  }
  [[nodiscard]] std::vector<NamedText> changes(const std::string& schedule) const override {
    std::vector<NamedText> all;
    std::visit(
        [&](const auto& held) {
          for (const auto& changed : text::changes_of(held)) {
            if (is_possible(text::print(changed))) all.push_back({"", text::print(changed)});
          }
        },
        source_.parse(schedule).schedule);
    return all;
  }
  [[nodiscard]] std::vector<std::string> around(const std::string& schedule) const override {
    std::vector<std::string> all;
    std::visit(
        [&](const auto& held) {
          for (const auto& s : text::neighbours_of(held)) {
            if (is_possible(text::print(s))) all.push_back(text::print(s));
          }
        },
        source_.parse(schedule).schedule);
    return all;
  }
  [[nodiscard]] std::string help() const override {
    return std::visit([]<class S>(const S& /*kind*/) { return text::help<S>(); },
                      source_.parse("auto").schedule);
  }
  [[nodiscard]] model::Prediction predict(const std::string& /*schedule*/) const override {
    throw UsageError("the model does not know " + source_.unknown);
  }

private:
  /// Whether the device can run it: what cannot is refused where it is read.
  [[nodiscard]] bool is_possible(const std::string& schedule) const {
    try {
      (void)source_.parse(schedule);
      return true;
    } catch (const UsageError&) {
      return false;
    }
  }
  static NamedText written(const Named& n) { return {n.name, text::print_held(n.schedule)}; }
  Source source_;
};

} // namespace ridge
