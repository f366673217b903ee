// Fields of site tensors on a lattice.
#pragma once

#include <ridge/device/field.hpp>
#include <ridge/lattice/layout.hpp>
#include <ridge/lattice/site_view.hpp>

#include <string>
#include <vector>

namespace ridge::lattice {

/// Copies between host and device that a field has made: whole fields, each way.
struct CopyCount {
  Index to_device = 0;
  Index to_host = 0;
};

namespace detail {
/// Between the layout and plain order (site after site with x fastest), on the host.
void to_plain(const Geometry& geometry, const SiteShape& shape, void* plain, const void* layout);
void from_plain(const Geometry& geometry, const SiteShape& shape, void* layout, const void* plain);
/// Throws UsageError unless `count` sites were given for the lattice of the field `name`.
void check_sites(const Lattice& lattice, const std::string& name, std::size_t count);
} // namespace detail

/// The name of a field and the lattice it is on, for messages.
struct FieldLabel {
  Lattice lattice;
  std::string name;
};

/// Owns the memory of a field on a device. Throws UsageError when the lattice cannot hold it.
template <class Site>
class Field {
public:
  using Tensor = Site;
  using Real = RealOf<Site>;

  /// Throws Failure with the need and what there is when it does not fit.
  Field(const Device& device, const Lattice& lattice, std::string name = "field")
      : label_{lattice, std::move(name)}, geometry_(lattice.geometry(sizeof(NumberOf<Site>))),
        memory_(device, bytes(), label_.name) {}

  [[nodiscard]] const FieldLabel& label() const { return label_; }
  [[nodiscard]] const Lattice& lattice() const { return label_.lattice; }
  [[nodiscard]] const Geometry& geometry() const { return geometry_; }
  [[nodiscard]] const std::string& name() const { return label_.name; }
  [[nodiscard]] static constexpr SiteShape shape() { return shape_of<Site>(); }
  [[nodiscard]] Bytes bytes() const {
    return {lattice().sites() * static_cast<Index>(sizeof(Site))};
  }
  /// All real numbers in the order of the layout, on the device.
  [[nodiscard]] Span<Real> reals() const {
    return {static_cast<Real*>(memory_.data()), lattice().sites() * reals_of<Site>};
  }
  [[nodiscard]] SiteView<Site> view() const { return {reals(), geometry_}; }

  /// Copies all sites from the host, given in plain order (x fastest), and waits. Throws UsageError
  /// when it is not one tensor a site.
  void set(Queue& queue, const std::vector<Site>& sites) {
    detail::check_sites(lattice(), name(), sites.size());
    std::vector<Site> layout(sites.size());
    detail::from_plain(geometry_, shape(), layout.data(), sites.data());
    copy_bytes_to_device(queue, memory_.data(), layout.data(), bytes());
    queue.wait();
    ++copies_.to_device;
  }
  /// Copies all sites to the host, in plain order, and waits.
  [[nodiscard]] std::vector<Site> get(Queue& queue) const {
    std::vector<Site> layout(static_cast<std::size_t>(lattice().sites()));
    copy_bytes_to_host(queue, layout.data(), memory_.data(), bytes());
    queue.wait();
    ++copies_.to_host;
    std::vector<Site> sites(layout.size());
    detail::to_plain(geometry_, shape(), sites.data(), layout.data());
    return sites;
  }
  /// How often `set` and `get` have moved the field.
  [[nodiscard]] const CopyCount& copies() const { return copies_; }

private:
  FieldLabel label_;
  Geometry geometry_;
  Memory memory_;
  mutable CopyCount copies_;
};

/// Throws UsageError that names both when two fields are not on the same lattice.
void check_same_lattice(const Lattice& a, std::string_view a_name, const Lattice& b,
                        std::string_view b_name);

} // namespace ridge::lattice
