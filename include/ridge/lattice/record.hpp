// Records of the lattice pattern's launches.
#pragma once

#include <ridge/lattice/field.hpp>
#include <ridge/lattice/schedule.hpp>
#include <ridge/record/record.hpp>

#include <string_view>

namespace ridge::lattice {

/// "propagator", "spinor", "matrix", "vector", "complex", "real"; "5 complex numbers" of others.
[[nodiscard]] std::string site_name(const SiteShape& shape);
/// That name, and how wide the lattice's vectors are where that is not usual: "vector, width 512".
[[nodiscard]] std::string site_name(const SiteShape& shape, const Geometry& geometry);

/// The work of a launch on whole fields of one shape, each read or written once; `flops` a real
/// number.
[[nodiscard]] Work work_of(const Geometry& geometry, const SiteShape& shape, int read, int written,
                           double flops);

/// The record of a launch before it is timed.
[[nodiscard]] Record record_of(const Device& device, const Geometry& geometry,
                               const SiteShape& shape, Work work, const Schedule& schedule,
                               std::string_view kernel);

/// The name a launch was given, or its own where it was given none.
[[nodiscard]] constexpr std::string_view name_or(std::string_view given, const char* own) {
  return given == "user" ? own : given;
}

/// Work of launches over fields that are found one by one, each of which counts once.
class FieldsWork {
public:
  /// Counts so many of the fields' sites.
  explicit FieldsWork(Index sites) : sites_(sites) {}

  template <class S>
  void read(const SiteView<S>& view) {
    add(read_, read_fields_, view.reals.data, sizeof(std::remove_const_t<S>));
  }
  template <class S>
  void write(const SiteView<S>& view) {
    add(written_, written_fields_, view.reals.data, sizeof(S));
  }
  /// `flops` a site; `counted` says how they are.
  [[nodiscard]] Work work(double flops, std::string_view counted) const;

private:
  void add(Index& bytes, std::vector<const void*>& fields, const void* data, std::size_t size);

  Index sites_;
  Index read_ = 0, written_ = 0; ///< bytes a site
  std::vector<const void*> read_fields_, written_fields_;
};

} // namespace ridge::lattice
