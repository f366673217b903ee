// Menus: the schedules of a launch and what the model says of it under each, as text and numbers.
// Whoever uses kernels of any pattern uses menus; patterns make them (docs/design/house.md).
#pragma once

#include <ridge/comm/grid.hpp>
#include <ridge/launch/subject.hpp>
#include <ridge/model/facts.hpp>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ridge {

/// A schedule as text, with the name it is known by; empty where it has none.
struct NamedText {
  std::string name, text;
};

/// Where launches are laid and modelled.
struct Place {
  /// One that is here, or the emulated GPU whose schedules a described one takes.
  Device device;
  /// The description that the model takes for the device; empty: what is known of `device`.
  std::optional<model::Description> described = {};
  bool here = true;     ///< schedules mean on `device` what they mean on what is described
  double fill_cost = 1; ///< of a byte that a store makes the cache read, in bytes of a copy

  [[nodiscard]] bool is_only_described() const { return described && !here; }
};

/// A change that no cause asks for, and that the model promises no gain of.
struct Advice {
  std::string text;     ///< for people
  std::string schedule; ///< that follows it
};

/// The points that a rank reads of its neighbours for one launch.
struct Halo {
  comm::Reach reach;
  Index3 radius;         ///< points near each edge of the whole that are not written
  int element_bytes = 8; ///< of a point of all fields that are read
};

class Menu {
public:
  explicit Menu(Place place) : place_(std::move(place)) {}
  Menu(const Menu&) = delete;
  Menu& operator=(const Menu&) = delete;
  virtual ~Menu() = default;

  [[nodiscard]] const Place& place() const { return place_; }
  /// The whole of a schedule: `auto`, a name, or fields. Throws UsageError that lists what is
  /// right.
  [[nodiscard]] virtual NamedText parse(const std::string& asked) const = 0;
  /// Schedules with names, and the default. Where the place is described, those that it can run.
  [[nodiscard]] virtual std::vector<NamedText> named() const = 0;
  /// Every combination of the fields' enumerated values.
  [[nodiscard]] virtual std::vector<std::string> space() const = 0;
  /// Schedules that the place can run and that differ from this one in a field.
  [[nodiscard]] virtual std::vector<NamedText> changes(const std::string& schedule) const = 0;
  /// Schedules around one that a search tries: they need not be in the space.
  [[nodiscard]] virtual std::vector<std::string> around(const std::string& schedule) const = 0;
  /// Schedules from which one does not come to the others by changes of a field.
  [[nodiscard]] virtual std::vector<std::string> starts() const { return {}; }
  /// The fields, one a line: name, values, meaning.
  [[nodiscard]] virtual std::string help() const = 0;

  /// The prediction for a launch under a schedule at the place. Throws UsageError for a
  /// schedule that it has no room for, and for a place that nobody described.
  [[nodiscard]] virtual model::Prediction predict(const std::string& schedule) const = 0;
  /// For ranking schedules: what a launch costs under a schedule at a size, in whatever unit.
  /// Nothing where the model is not for ranking, or the device is not described.
  [[nodiscard]] virtual std::optional<double> cost(const std::string& /*schedule*/,
                                                   const Extents& /*size*/) const {
    return {};
  }
  /// Advice beyond schedules of this launch, from these facts and this time.
  [[nodiscard]] virtual std::optional<Advice> advice(const model::Facts& /*facts*/,
                                                     const model::Time& /*time*/) const {
    return {};
  }
  /// Nothing where launches read nothing of other ranks, or are not divided so.
  [[nodiscard]] virtual std::optional<Halo> halo() const { return {}; }

  /// The schedules of `asked`: `space`, without names; `all`, those of `named()`; or those that
  /// `parse` reads, with semicolons between them.
  [[nodiscard]] std::vector<NamedText> asked(const std::string& asked) const;

private:
  Place place_;
};

/// The description of a device that is here; nothing where nobody described it. Found out once.
[[nodiscard]] const model::Description* known_description(const Device& device);

/// The description of a place. Throws UsageError where there is none.
[[nodiscard]] const model::Description& description_at(const Place& place);

} // namespace ridge
