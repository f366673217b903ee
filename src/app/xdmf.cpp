#include "xdmf.hpp"

#include "../report/html.hpp"

#include <fmt/format.h>

namespace ridge::app {

namespace {

using report::escaped;

/// `time`: a line that gives it, or nothing.
std::string grid_text(const XdmfGrid& grid, const std::string& time) {
  // XDMF lists dimensions, origin and spacing slowest first, as HDF5 does.
  const Index3 n = grid.extents.xyz();
  return fmt::format(R"(    <Grid Name="{name}" GridType="Uniform">
{time}      <Topology TopologyType="3DCoRectMesh" Dimensions="{nz} {ny} {nx}"/>
      <Geometry GeometryType="ORIGIN_DXDYDZ">
        <DataItem Name="Origin" Dimensions="3" NumberType="Float" Precision="8" Format="XML">0 0 0</DataItem>
        <DataItem Name="Spacing" Dimensions="3" NumberType="Float" Precision="8" Format="XML">{dz} {dy} {dx}</DataItem>
      </Geometry>
      <Attribute Name="{name}" AttributeType="Scalar" Center="Node">
        <DataItem Dimensions="{nz} {ny} {nx}" NumberType="Float" Precision="{bytes}" Format="HDF">{reference}</DataItem>
      </Attribute>
    </Grid>
)",
                     fmt::arg("time", time), fmt::arg("name", escaped(grid.name)),
                     fmt::arg("nx", n.x), fmt::arg("ny", n.y), fmt::arg("nz", n.z),
                     fmt::arg("dx", grid.spacing[0]), fmt::arg("dy", grid.spacing[1]),
                     fmt::arg("dz", grid.spacing[2]), fmt::arg("bytes", grid.element_bytes),
                     fmt::arg("reference", escaped(grid.reference)));
}

} // namespace

std::string xdmf_text(const XdmfGrid& grid) {
  return fmt::format(R"(<?xml version="1.0" encoding="UTF-8"?>
<Xdmf Version="2.0">
  <Domain>
{}  </Domain>
</Xdmf>
)",
                     grid_text(grid, ""));
}

std::string xdmf_text(const XdmfSeries& series) {
  std::string grids;
  for (std::size_t i = 0; i < series.times.size(); ++i) {
    grids += grid_text(
        {series.name, series.references[i], series.extents, series.spacing, series.element_bytes},
        fmt::format("      <Time Value=\"{}\"/>\n", series.times[i]));
  }
  return fmt::format(R"(<?xml version="1.0" encoding="UTF-8"?>
<Xdmf Version="2.0">
  <Domain>
    <Grid Name="{}" GridType="Collection" CollectionType="Temporal">
{}    </Grid>
  </Domain>
</Xdmf>
)",
                     escaped(series.name), grids);
}

std::string xdmf_points_text(const XdmfBodies& bodies) {
  std::string text = R"(<?xml version="1.0" encoding="UTF-8"?>
<Xdmf Version="2.0">
  <Domain>
    <Grid Name="bodies" GridType="Collection" CollectionType="Temporal">
)";
  for (std::size_t n = 0; n < bodies.times.size(); ++n) {
    const auto item = [&](const char* dataset, int width, int bytes) {
      return fmt::format(
          R"(<DataItem Dimensions="{}{}" NumberType="Float" Precision="{}" Format="HDF">{}:/{}</DataItem>)",
          bodies.count, width > 1 ? fmt::format(" {}", width) : "", bytes, escaped(bodies.files[n]),
          dataset);
    };
    const auto attribute = [&](const char* dataset, const char* type, int width, int bytes) {
      return fmt::format(R"(        <Attribute Name="{}" AttributeType="{}" Center="Node">
          {}
        </Attribute>
)",
                         dataset, type, item(dataset, width, bytes));
    };
    text += fmt::format(R"(      <Grid Name="bodies" GridType="Uniform">
        <Time Value="{}"/>
        <Topology TopologyType="Polyvertex" NodesPerElement="1" NumberOfElements="{}"/>
        <Geometry GeometryType="XYZ">
          {}
        </Geometry>
{}{}{}      </Grid>
)",
                        bodies.times[n], bodies.count, item("position", 3, bodies.position_bytes),
                        attribute("velocity", "Vector", 3, bodies.element_bytes),
                        attribute("potential", "Scalar", 1, bodies.element_bytes),
                        attribute("mass", "Scalar", 1, 8));
  }
  return text + "    </Grid>\n  </Domain>\n</Xdmf>\n";
}

} // namespace ridge::app
